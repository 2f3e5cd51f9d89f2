//! Offers the headers that code in C and C++ includes.

fn main() -> wiredyno_cpp_build::Done<()> {
    wiredyno_cpp_build::offer("src/include")
}
