//! A runner, composed by `wiredyno`.
use wiredyno_codec::Definition;
use wiredyno_codec::alloc::CountingAllocator;
use wiredyno_rust_runner::Composition;
use wiredyno_transport::Transport;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
static DEFINITION: Option<&Definition> = {definition};
static TRANSPORTS: &[&dyn Transport] = &[{transports}];

fn main() -> std::process::ExitCode {
    wiredyno_rust_runner::main(Composition { definition: DEFINITION, transports: TRANSPORTS, records: {records} })
}
