//! The transport against a real RabbitMQ: one start of it for all tests, which run one after the other and end with its death.
//! Where it is not installed they are ignored, by name.

// Helper functions of tests may unwrap like the tests themselves: a failure is a failed test.
#![allow(clippy::unwrap_used)]

#[path = "rabbitmq/broker.rs"]
mod broker;
#[path = "rabbitmq/faults.rs"]
mod faults;
#[path = "rabbitmq/messages.rs"]
mod messages;
#[path = "../../tests/stand/mod.rs"]
mod stand;

use std::sync::{Arc, Mutex, PoisonError};

use broker::Broker;
use libtest_mimic::{Arguments, Trial};
use wiredyno_model::{OptionTable, OptionValue};
use wiredyno_transport::{ClientSetup, Publisher, Subscriber};

use stand::{Arrivals, LIMIT, Notebook};
use wiredyno_transport_amqp_0_9_1::TRANSPORT;

/// The one broker, started by the first test that needs it.
#[derive(Default)]
struct Stand(Mutex<Option<Broker>>);

impl Stand {
    fn with<T>(&self, test: impl FnOnce(&mut Broker) -> T) -> T {
        let mut broker = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        test(broker.get_or_insert_with(Broker::start))
    }
}

/// What a client is told, with options by name.
fn setup(broker: &Broker, setting: &str, topic: &str, options: &[(&str, OptionValue)]) -> ClientSetup {
    let options: OptionTable =
        options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    ClientSetup { options, ..stand::setup(Some(setting), broker.address, topic) }
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

/// How many threads of this process bear such a name; a name has 15 bytes at most.
fn threads(name: &str) -> usize {
    let names = std::fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.unwrap().path().join("comm")).ok());
    names.filter(|thread| thread.trim().starts_with(name)).count()
}

/// Waits until no client of a test runs any more: neither ours nor the library's thread. They end on their own, a moment after
/// they have been told.
fn no_thread_is_left() {
    let until = std::time::Instant::now() + LIMIT;
    while threads("amqp-") + threads("lapin-io-loop") > 0 {
        assert!(std::time::Instant::now() < until, "a client's thread is left");
        std::thread::yield_now();
    }
}

fn main() {
    /// Name, test.
    type Case = (&'static str, fn(&mut Broker));
    let of_broker: [Case; 13] = [
        ("every_mode_and_option_carries_messages_once_and_in_order", messages::every_mode_and_option),
        ("ten_thousand_small_ones_arrive_in_order", messages::ten_thousand_small_ones),
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
        // The last: it ends the broker.
        ("a_broker_that_dies_is_told_to_both_roles_and_leaves_nothing", faults::dying_broker),
    ];
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let installed = broker::program().1;
    let reason = if installed { "" } else { " [RabbitMQ is not installed: apt-get install rabbitmq-server]" };
    let stand = Arc::new(Stand::default());
    let mut trials: Vec<Trial> = vec![Trial::test("no_broker_no_client", || {
        faults::no_broker();
        no_thread_is_left();
        Ok(())
    })];
    for (name, test) in of_broker {
        let stand = stand.clone();
        let run = move || {
            stand.with(test);
            no_thread_is_left();
            Ok(())
        };
        trials.push(Trial::test(format!("{name}{reason}"), run).with_ignored_flag(!installed));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    // What the process exits with would not end it.
    drop(stand);
    conclusion.exit();
}
