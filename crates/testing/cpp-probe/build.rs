//! Compiles the probe, where there is a C++ compiler.

fn main() -> wiredyno_cpp_build::Done<()> {
    println!("cargo::rustc-check-cfg=cfg(cpp)");
    println!("cargo::rerun-if-env-changed=PATH");
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join("c++").is_file()) {
        let made = wiredyno_cpp_build::Made { name: "wd_probe", files: &["probe.cpp"], libraries: &[] };
        wiredyno_cpp_build::compile(&made)?;
        println!("cargo::rustc-cfg=cpp");
    }
    Ok(())
}
