//! The program `wiredyno`; all of it is in the library.

use std::process::ExitCode;

/// Where `malloc` itself can't be counted, this counts Rust's allocations; see there.
#[global_allocator]
static ALLOCATOR: wiredyno_codecs::alloc::CountingAllocator = wiredyno_codecs::alloc::CountingAllocator;

fn main() -> ExitCode {
    wiredyno_cli::main()
}
