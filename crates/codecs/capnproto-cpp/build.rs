//! Offers the codec's headers.

fn main() -> wiredyno_cpp_build::Done<()> {
    wiredyno_cpp_build::offer("src")
}
