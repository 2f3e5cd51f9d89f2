//! A cable between an agent and its coordinator, for TCP alone, that can be cut, and that can fall silent.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What both directions look at.
#[derive(Default)]
struct State {
    silent: AtomicBool,
    ends: AtomicBool,
    connected: Mutex<Vec<TcpStream>>,
}

pub struct Cable {
    pub address: SocketAddr,
    state: Arc<State>,
}

impl Cable {
    pub fn to(coordinator: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, state) = (listener.local_addr().unwrap(), Arc::new(State::default()));
        let own = state.clone();
        std::thread::spawn(move || {
            for agent in listener.incoming() {
                if own.ends.load(Ordering::Relaxed) {
                    return;
                }
                let (agent, other) = (agent.unwrap(), TcpStream::connect(coordinator).unwrap());
                let both = [agent.try_clone().unwrap(), other.try_clone().unwrap()];
                own.connected.lock().unwrap().extend(both);
                for (from, to) in [(&agent, &other), (&other, &agent)] {
                    let (from, to, of) = (from.try_clone().unwrap(), to.try_clone().unwrap(), own.clone());
                    std::thread::spawn(move || forward(from, to, &of));
                }
            }
        });
        Cable { address, state }
    }

    /// Ends all connections; new ones are possible.
    pub fn cut(&self) {
        for one in self.state.connected.lock().unwrap().drain(..) {
            // The other side may have ended it.
            let _ = one.shutdown(Shutdown::Both);
        }
    }

    /// Whether nothing gets through, though all connections stay.
    pub fn silent(&self, silent: bool) {
        self.state.silent.store(silent, Ordering::Relaxed);
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.state.ends.store(true, Ordering::Relaxed);
        self.cut();
        let _ = TcpStream::connect(self.address);
    }
}

/// A silent cable carries the end of a connection as little as its bytes.
fn forward(mut from: TcpStream, mut to: TcpStream, state: &State) {
    let mut bytes = [0; 4_096];
    loop {
        let count = from.read(&mut bytes).unwrap_or_default();
        while state.silent.load(Ordering::Relaxed) && !state.ends.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        if count == 0 || to.write_all(&bytes[..count]).is_err() {
            let _ = to.shutdown(Shutdown::Both);
            return;
        }
    }
}
