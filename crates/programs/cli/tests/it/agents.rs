//! What `agent` and `agents` refuse, and how they say it. Agents that join are in the physical tests.

use crate::stand::{Desk, said};

#[test]
fn an_agent_says_what_is_wrong_with_its_invitation_and_itself() {
    let desk = Desk::new();
    let agent = |arguments: &[&str]| {
        let mut command = desk.command(&[&["agent"], arguments].concat());
        said(command.env_remove("WIREDYNO_INVITATION"))
    };
    let none = agent(&[]).refused(2);
    assert!(none.contains("needs an invitation") && none.contains("WIREDYNO_INVITATION"), "{none}");
    let missing = agent(&["nowhere"]).refused(1);
    assert!(missing.contains("nowhere: copy the file"), "{missing}");
    std::fs::write(desk.file("damaged"), "gateway.example:7411/xyz\n").unwrap();
    let damaged = agent(&["damaged"]).refused(1);
    assert!(damaged.contains("damaged: the invitation is damaged after the `/`"), "{damaged}");
    std::fs::write(desk.file("good"), format!("localhost:1/{}\n", "A".repeat(75))).unwrap();
    for (label, wanted) in [("garage", "KEY=VALUE"), ("=garage", "KEY=VALUE")] {
        let wrong = agent(&["good", "--label", label]).refused(2);
        assert!(wrong.contains(wanted), "{wrong}");
    }
    let twice = agent(&["good", "--label", "a=1", "--label", "a=2"]).refused(2);
    assert!(twice.contains("`a` is given twice"), "{twice}");
    let name = agent(&["good", "--name", "The Vehicle"]).refused(1);
    assert!(name.contains("`The Vehicle` can't be the name of an agent"), "{name}");
    let unreached = agent(&["good", "--name", "vehicle", "--patience", "100ms"]).refused(1);
    assert!(unreached.contains("localhost:1 was not reached"), "{unreached}");
}

#[test]
fn invitations_are_shown_to_a_terminal_alone() {
    let desk = Desk::new();
    for arguments in [&["agents"][..], &["agents", "--json"]] {
        let refused = desk.wiredyno(arguments).refused(2);
        assert!(refused.contains("add --invitations FOLDER"), "{refused}");
    }
    let arguments = ["agents", "--listen", "127.0.0.1:0", "--invitations", "invited", "--within", "100ms"];
    let nobody = desk.wiredyno(&arguments);
    assert_eq!((nobody.code, nobody.out.trim()), (Some(11), "0 of 1 agents are connected"), "{nobody:?}");
    let invitation = std::fs::read_to_string(desk.file("invited/agent-1.invitation")).unwrap();
    assert!(!nobody.err.contains(invitation.trim()) && invitation.starts_with("127.0.0.1:"), "{nobody:?}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = desk.wiredyno(&["agents", "--listen", &address, "--invitations", "invited"]).refused(1);
    assert!(refused.contains(&address) && refused.contains("another port"), "{refused}");
}
