//! The pages in Chromium, against a server started here, with real trials; web/server/browser/pages.mjs has the steps. Ignored, with the reason
//! in the name, where Chromium is missing; `WIREDYNO_CHROMIUM` names another one.

#![allow(clippy::unwrap_used, reason = "tests may panic, their functions beside #[test] too")]

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let browser = find_browser();
    let name = match browser {
        Some(_) => "the_pages_do_what_people_do_with_them",
        None => "the_pages_do_what_people_do_with_them (chromium is missing)",
    };
    let ignored = browser.is_none();
    let trial = Trial::test(name, move || pages(&browser.unwrap_or_default())).with_ignored_flag(ignored);
    libtest_mimic::run(&arguments, vec![trial]).exit();
}

fn find_browser() -> Option<OsString> {
    if let Some(named) = std::env::var_os("WIREDYNO_CHROMIUM") {
        return Some(named);
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut files = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    files.find(|file| file.is_file()).map(Into::into)
}

/// A server with a folder of its own, killed when dropped.
struct Server {
    child: Child,
    address: String,
    /// The token that it wrote at its first start, if it requires one.
    token: Option<String>,
}

impl Server {
    fn start(data: &Path, more: &[&str]) -> Result<Server, Failed> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_wiredyno-server"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(more)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("the server has no output")?).lines();
        let mut token = None;
        let address = loop {
            let line = lines.next().ok_or("the server told no address")??;
            if line.starts_with("The token") {
                token = Some(std::fs::read_to_string(data.join("first-token"))?.trim().to_owned());
            }
            if let Some(address) = line.split_whitespace().find(|word| word.starts_with("http://")) {
                break address.trim_end_matches([',', '/']).to_owned();
            }
        };
        // Drained, so that a full pipe does not stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Server { child, address, token })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn pages(browser: &OsString) -> Result<(), Failed> {
    let [folder, guarded] = [tempfile::tempdir()?, tempfile::tempdir()?];
    let server = Server::start(folder.path(), &[])?;
    let guarded = Server::start(guarded.path(), &["--login"])?;
    let below = tempfile::tempdir()?;
    let below = Server::start(below.path(), &["--path", "/bench"])?;
    let token = guarded.token.as_deref().ok_or("a server that demands a token told none")?;
    let web = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../web/server"));
    if !web.join("node_modules/playwright-core").exists() {
        return Err("web/server/node_modules has no playwright-core: `make server` puts it there".into());
    }
    let output = Command::new("node")
        .args(["--test", "--test-reporter=spec", "browser/pages.mjs"])
        .current_dir(web)
        .env("WIREDYNO_SERVER", &server.address)
        .env("WIREDYNO_GUARDED_SERVER", &guarded.address)
        .env("WIREDYNO_TOKEN", token)
        .env("WIREDYNO_BELOW", format!("{}/bench", below.address))
        .env("WIREDYNO_CHROMIUM", browser)
        .env_remove("NODE_OPTIONS")
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{said}{}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}
