//! Every mode over every broker that serves the protocol, and beyond the matrix what is specific to RabbitMQ or an option.

// Test helpers may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

mod ctl;
mod faults;
mod messages;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::Trial;
use wiredyno_contract::{OptionTable, OptionValue, TlsVersion};
use wiredyno_transport::{ClientSetup, Publisher, Subscriber};

use wiredyno_transport_amqp_0_9_1::TRANSPORT;
use wiredyno_transport_stand::{
    self as stand, Arrivals, Broker, Grounds, LIMIT, Notebook, Shared, conformance, folder, matrix, run,
};

/// A client's setup, with options by name.
fn setup(broker: &Broker, setting: &str, topic: &str, options: &[(&str, OptionValue)]) -> ClientSetup {
    let options: OptionTable =
        options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    ClientSetup { options, ..stand::setup(Some(setting), broker.address(), topic) }
}

fn text(word: &str) -> OptionValue {
    OptionValue::Text(word.to_owned())
}

/// A subscriber and a publisher that share a notebook.
fn pair(setup: &ClientSetup) -> (Box<dyn Subscriber>, Box<dyn Publisher>, Arc<Notebook>) {
    let book = Arc::new(Notebook::default());
    let subscriber = TRANSPORT.subscriber(setup, Box::new(Arrivals(book.clone()))).unwrap();
    let publisher = TRANSPORT.publisher(setup, book.clone()).unwrap();
    (subscriber, publisher, book)
}

/// How many threads of this process have this name; names have 15 bytes at most.
fn threads(name: &str) -> usize {
    let names = std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.unwrap().path().join("comm")).ok());
    names.filter(|thread| thread.trim().starts_with(name)).count()
}

/// Waits until no client of a test is running any more, neither our thread nor the library's. They end by themselves, a moment
/// after they were told to.
fn no_thread_is_left() {
    let until = std::time::Instant::now() + LIMIT;
    while threads("amqp-") + threads("lapin-io-loop") > 0 {
        assert!(std::time::Instant::now() < until, "a client's thread is left");
        std::thread::yield_now();
    }
}

fn main() -> ExitCode {
    /// A test's name and function.
    type Case = (&'static str, fn(&mut Broker));
    let over_it: [Case; 12] = [
        ("every_mode_and_option_carries_messages_once_and_in_order", messages::every_mode_and_option),
        ("sixteen_megabytes_arrive_and_more_than_the_limit_is_refused", messages::large_ones),
        ("every_exchange_reaches_all_subscribers_from_all_publishers", messages::all_subscribers),
        ("a_publisher_needs_no_subscriber", messages::no_subscriber),
        ("confirms_are_what_the_broker_counts", messages::the_brokers_own_count),
        ("a_slow_subscriber_gets_no_more_than_its_prefetch", messages::prefetch),
        ("a_connection_has_no_heartbeats", messages::heartbeats),
        ("a_wrong_login_is_refused_and_its_password_not_shown", faults::wrong_login),
        ("what_the_broker_ends_is_told_with_its_reason", faults::ended_by_the_broker),
        ("a_broker_that_hangs_does_not_hold_up_the_end", faults::hanging_broker),
        ("nothing_is_left_at_the_broker", messages::nothing_is_left),
        ("a_broker_that_dies_leaves_no_thread_and_no_process", faults::dying_broker),
    ];
    let rabbitmq = Shared::standing(&folder("rabbitmq"), 1);
    let mut trials: Vec<Trial> = vec![Trial::test("no_broker_no_client", || {
        faults::no_broker();
        no_thread_is_left();
        Ok(())
    })];
    for (name, test) in over_it {
        trials.push(rabbitmq.trial(name, move |broker| {
            test(broker);
            no_thread_is_left();
        }));
    }
    trials.extend(matrix(TRANSPORT, None));
    trials.extend(conformance(TRANSPORT));
    let grounds = Grounds::new();
    // RabbitMQ is configured to speak nothing newer.
    for (broker, version) in [("rabbitmq", TlsVersion::Tls12), ("qpid", TlsVersion::Tls13)] {
        trials.extend(grounds.trials(TRANSPORT, &grounds.broker(broker), Some(version)));
    }
    run(trials)
}
