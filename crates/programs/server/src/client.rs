//! `wiredyno submit`, `status` and `fetch`: using a server from a shell.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Method, Request, Response, Uri};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The environment variable with the token.
const TOKEN: &str = "WIREDYNO_TOKEN";
/// The variable with user and password for a proxy in front of the server, as USER:PASSWORD.
const LOGIN: &str = "WIREDYNO_LOGIN";
/// Polling interval of `submit --wait`.
const LOOK: Duration = Duration::from_secs(1);
/// Limit for opening a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Limit for an answer: longer than the server takes to report a timeout itself.
const ANSWER: Duration = Duration::from_secs(420);

/// An error in the command line, which ends with exit code 2.
#[derive(Debug)]
pub struct Wrong(String);

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Wrong {}

/// The server to talk to, and the authority that its certificate is checked against.
#[derive(Debug, clap::Args)]
pub struct ServerArguments {
    /// The server, with its path if it has one. Its token is read from the variable WIREDYNO_TOKEN; behind a proxy that asks for a password,
    /// USER:PASSWORD from WIREDYNO_LOGIN
    #[arg(long, env = "WIREDYNO_SERVER", default_value = "http://127.0.0.1:8970", value_name = "URL")]
    server: String,
    /// Trust this authority for the server's certificate, as PEM, instead of the system's
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct SubmitArguments {
    /// The study's file, `-` for standard input, or the id of a study that the server has
    study: String,
    #[command(flatten)]
    server: ServerArguments,
    /// Keep only these cells of the study
    #[arg(long, value_name = "AXIS=VALUE,...")]
    only: Vec<String>,
    /// Tests with a higher priority run first
    #[arg(long, default_value_t = 0, allow_negative_numbers = true, value_name = "NUMBER")]
    priority: i32,
    /// Capture every packet of the trials
    #[arg(long)]
    capture: bool,
    /// Run it on the agents of a fleet that the server has
    #[arg(long, value_name = "NAME")]
    fleet: Option<String>,
    /// Wait until the test ends; the exit code is 1 if it has no result
    #[arg(long)]
    wait: bool,
}

#[derive(Debug, clap::Args)]
pub struct StatusArguments {
    /// The test; the whole queue when left out
    test: Option<u64>,
    #[command(flatten)]
    server: ServerArguments,
    /// Print the server's answer as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct FetchArguments {
    /// The test's number, or the id of a run
    run: String,
    #[command(flatten)]
    server: ServerArguments,
    /// The folder to create; named after the run when left out
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Submits a study; with `--wait`, fails unless the test ends as done.
pub fn submit(arguments: &SubmitArguments) -> anyhow::Result<ExitCode> {
    with_server(&arguments.server, async |server| {
        let study = match arguments.study.as_str() {
            "-" => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text).context("standard input")?;
                text
            }
            file if file.contains('/') || file.ends_with(".toml") => {
                std::fs::read_to_string(file).with_context(|| file.to_owned())?
            }
            id => {
                let options = server.ask(Method::GET, "/api/options", None).await?;
                let studies = || options["studies"].as_array().into_iter().flatten();
                let found =
                    studies().filter(|study| study["id"] == id).find_map(|study| study["text"].as_str());
                let near = wiredyno_contract::nearest(id, studies().filter_map(|study| study["id"].as_str()));
                let meant = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
                let told =
                    || Wrong(format!("the server has no study `{id}`; {meant}Name a file as ./{id}.toml"));
                found.ok_or_else(told)?.to_owned()
            }
        };
        let order = json!({
            "study": study, "only": arguments.only, "priority": arguments.priority, "capture": arguments.capture,
            "fleet": arguments.fleet,
        });
        let mut test = server.ask(Method::POST, "/api/tests", Some(order)).await?;
        println!("{}", test["id"]);
        if !arguments.wait {
            return Ok(ExitCode::SUCCESS);
        }
        let path = format!("/api/tests/{}", test["id"]);
        while matches!(test["state"].as_str(), Some("submitted" | "processing")) {
            tokio::time::sleep(LOOK).await;
            test = server.ask(Method::GET, &path, None).await?;
        }
        eprintln!("{}", line_of(&test));
        Ok(if test["state"] == "done" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

/// Prints one test or the whole queue.
pub fn status(arguments: &StatusArguments) -> anyhow::Result<ExitCode> {
    with_server(&arguments.server, async |server| {
        let path = arguments.test.map_or("/api/tests".to_owned(), |test| format!("/api/tests/{test}"));
        let answer = server.ask(Method::GET, &path, None).await?;
        if arguments.json {
            println!("{}", serde_json::to_string_pretty(&answer)?);
        } else if arguments.test.is_some() {
            println!("{}", line_of(&answer));
        } else {
            answer["tests"].as_array().into_iter().flatten().for_each(|test| println!("{}", line_of(test)));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// `12  processing  demo  3 of 40 trials, 25 s left`.
fn line_of(test: &Value) -> String {
    let text = |key: &str| test[key].as_str().map(str::to_owned);
    let mut words =
        vec![test["id"].to_string(), text("state").unwrap_or_default(), text("name").unwrap_or_default()];
    if let Some(doing) = test["doing"].as_str() {
        words.push(doing.to_owned());
    } else if let Some(progress) = test["progress"].as_object() {
        let left_s = progress["left_ns"].as_u64().unwrap_or_default() / 1_000_000_000;
        words.push(format!("{} of {} trials, {left_s} s left", progress["done"], progress["total"]));
    }
    words.extend(test["place"].as_u64().map(|place| format!("place {place}")));
    words.extend(text("by").map(|by| format!("by {by}")));
    words.extend(text("run").filter(|_| test["opens"] == true));
    words.extend(text("reason"));
    words.join("  ")
}

/// Downloads the files of a run into a new folder.
pub fn fetch(arguments: &FetchArguments) -> anyhow::Result<ExitCode> {
    with_server(&arguments.server, async |server| {
        let run = match arguments.run.parse::<u64>() {
            Ok(test) => {
                let test = server.ask(Method::GET, &format!("/api/tests/{test}"), None).await?;
                let run = test["run"].as_str().filter(|_| test["opens"] == true).map(str::to_owned);
                run.with_context(|| format!("the test has no result: {}", line_of(&test)))?
            }
            Err(_) => arguments.run.clone(),
        };
        ensure!(
            is_plain(&run),
            Wrong(format!("`{run}` is not the id of a run; `wiredyno status` shows them"))
        );
        let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(&run));
        let exists = || Wrong(format!("{} exists already: name another folder with --out", folder.display()));
        ensure!(!folder.exists(), exists());
        let files = server.ask(Method::GET, &format!("/api/runs/{run}/files"), None).await?;
        let parent =
            folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let desk = tempfile::Builder::new().prefix(".wiredyno-fetch-").tempdir_in(parent)?;
        for file in files["files"].as_array().into_iter().flatten() {
            let path = file["path"].as_str().unwrap_or_default();
            // Paths from the server must stay inside the folder.
            ensure!(path.split('/').all(is_plain), "the server names a file `{path}`");
            let to = desk.path().join(path);
            std::fs::create_dir_all(to.parent().unwrap_or(desk.path()))?;
            server.download(&format!("/api/runs/{run}/files/{path}"), &to).await?;
        }
        std::fs::rename(desk.keep(), &folder).with_context(|| folder.display().to_string())?;
        println!("{}", folder.display());
        Ok(ExitCode::SUCCESS)
    })
}

fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
}

fn with_server(
    arguments: &ServerArguments,
    work: impl AsyncFnOnce(&Server) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("the runtime")?;
    runtime.block_on(async { work(&Server::new(arguments)?).await })
}

struct Server {
    uri: Uri,
    host: String,
    port: u16,
    /// The path below which it is: empty, or with a slash in front and none behind.
    path: String,
    tls: Option<TlsConnector>,
    token: Option<String>,
    /// What a proxy in front of it asks for, as `Authorization` has it (RFC 7617).
    login: Option<String>,
}

impl Server {
    fn new(arguments: &ServerArguments) -> anyhow::Result<Self> {
        let wrong = || {
            Wrong(format!(
                "--server {}: write http://HOST:PORT or https://HOST:PORT/PATH; passwords belong into {LOGIN}",
                arguments.server
            ))
        };
        let uri: Uri = arguments.server.parse().map_err(|_| wrong())?;
        let host = uri.host().ok_or_else(wrong)?.to_owned();
        let encrypted = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(wrong().into()),
        };
        let path = uri.path().trim_end_matches('/').to_owned();
        ensure!(
            uri.query().is_none() && !uri.authority().is_some_and(|of| of.as_str().contains('@')),
            wrong()
        );
        let port = uri.port_u16().unwrap_or(if encrypted { 443 } else { 80 });
        let tls = encrypted.then(|| tls(arguments.ca.as_deref())).transpose()?;
        let set = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let token = set(TOKEN);
        let login = set(LOGIN).map(|pair| format!("Basic {}", BASE64_STANDARD.encode(pair)));
        if token.is_some() && login.is_some() {
            bail!("{TOKEN} and {LOGIN} are set, and a request has room for one: unset the other");
        }
        if (token.is_some() || login.is_some())
            && !encrypted
            && !matches!(host.as_str(), "127.0.0.1" | "localhost" | "[::1]")
        {
            bail!(
                "{} is set, and would be sent to {host} unencrypted: use https://, or a tunnel to localhost",
                if token.is_some() { TOKEN } else { LOGIN }
            );
        }
        Ok(Server { uri, host, port, path, tls, token, login })
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<Response<Incoming>> {
        let authority = self.uri.authority().map(ToString::to_string).unwrap_or_default();
        let path = format!("{}{path}", self.path);
        let mut request = Request::builder().method(method).uri(path).header(hyper::header::HOST, authority);
        if let Some(login) = &self.login {
            request = request.header(hyper::header::AUTHORIZATION, login);
        }
        if let Some(token) = &self.token {
            request = request.header(hyper::header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let bytes = body.map(|body| body.to_string());
        if bytes.is_some() {
            request = request.header(hyper::header::CONTENT_TYPE, "application/json");
        }
        if self.token.is_none() && bytes.is_some() {
            // Without a token of its own a server expects the CSRF token that its pages send.
            let session = Box::pin(self.ask(Method::GET, "/api/session", None)).await?;
            if let Some(csrf) = session["csrf"].as_str() {
                request = request.header("x-csrf", csrf);
            }
        }
        let request = request.body(Full::new(Bytes::from(bytes.unwrap_or_default())))?;
        let told = || format!("the server {}", self.uri);
        let address = (self.host.trim_start_matches('[').trim_end_matches(']'), self.port);
        let stream = tokio::time::timeout(CONNECT, TcpStream::connect(address)).await;
        let stream =
            stream.context("it does not answer").and_then(|stream| Ok(stream?)).with_context(told)?;
        let sending = async {
            match &self.tls {
                None => exchange(TokioIo::new(stream), request).await,
                Some(tls) => {
                    let name = ServerName::try_from(address.0.to_owned())?;
                    exchange(TokioIo::new(tls.connect(name, stream).await?), request).await
                }
            }
        };
        tokio::time::timeout(ANSWER, sending)
            .await
            .context("no answer")
            .and_then(|sent| sent)
            .with_context(told)
    }

    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> anyhow::Result<Value> {
        let response = self.send(method, path, body).await?;
        let status = response.status();
        let bytes = response.into_body().collect().await.context("the answer")?.to_bytes();
        let answer: Value = serde_json::from_slice(&bytes)
            .with_context(|| format!("{} is not a Wiredyno server: it answers {status}", self.uri))?;
        if status.is_success() {
            return Ok(answer);
        }
        let error = &answer["error"];
        let line = error["line"].as_u64().map(|line| format!("line {line}: ")).unwrap_or_default();
        let hint = match error["code"].as_str() {
            Some("login") => format!("; put the token into the variable {TOKEN}"),
            _ => String::new(),
        };
        bail!("{line}{}{hint}", error["message"].as_str().unwrap_or("refused"));
    }

    async fn download(&self, path: &str, to: &Path) -> anyhow::Result<()> {
        let response = self.send(Method::GET, path, None).await?;
        ensure!(response.status().is_success(), "{path}: {}", response.status());
        let mut file = std::fs::File::create(to).with_context(|| to.display().to_string())?;
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            if let Ok(data) = frame.context("the answer")?.into_data() {
                file.write_all(&data).with_context(|| to.display().to_string())?;
            }
        }
        Ok(())
    }
}

async fn exchange<I>(stream: I, request: Request<Full<Bytes>>) -> anyhow::Result<Response<Incoming>>
where
    I: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(stream).await?;
    tokio::spawn(connection);
    Ok(sender.send_request(request).await?)
}

fn tls(authority: Option<&Path>) -> anyhow::Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    match authority {
        Some(file) => {
            for certificate in
                CertificateDer::pem_file_iter(file).with_context(|| file.display().to_string())?
            {
                roots.add(certificate?)?;
            }
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
        }
    }
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
