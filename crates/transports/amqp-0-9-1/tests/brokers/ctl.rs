//! RabbitMQ's own tool.

use std::process::Stdio;

use wiredyno_transport_stand::{Broker, folder};

/// The output of `rabbitmqctl`; it is given the port, as there is no epmd. The program of the same name on the PATH changes user
/// and folder first.
pub fn ctl(broker: &Broker, arguments: &[&str]) -> String {
    let program = folder("rabbitmq").program_path().unwrap().with_file_name("rabbitmqctl");
    let distribution = broker.port("distribution").unwrap();
    let mut command = broker.command(program.to_str().unwrap(), &["--silent"]).unwrap();
    command
        .args(arguments)
        .env(
            "RABBITMQ_CTL_ERL_ARGS",
            format!("-start_epmd false -dist_listen false -erl_epmd_port {distribution}"),
        )
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{arguments:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
    said
}
