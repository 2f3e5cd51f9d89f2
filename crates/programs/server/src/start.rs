//! Starts the server from its arguments, and shuts it down.

use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::stat::{Mode, fstat, umask};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, watch};

use crate::clock::now_ms;
use crate::database::Database;
use crate::events::EventLog;
use crate::fleets::Fleets;
use crate::helper::{Helper, Turns};
use crate::links::Links;
use crate::options::OptionsCache;
use crate::payloads::Payloads;
use crate::places::Places;
use crate::queue::Queue;
use crate::rate::Rate;
use crate::reader::Reader;
use crate::runs::Runs;
use crate::scheduler::{self, Scheduler};
use crate::serve;
use crate::session::Sessions;
use crate::settings::{Arguments, Settings};
use crate::studies::Studies;
use crate::{App, Shared, retention, routes};

/// How many requests, logins and questions a client may send: a second in the long run, and at once.
pub(crate) const REQUESTS: (f64, f64) = (100.0, 400.0);
pub(crate) const LOGINS: (f64, f64) = (1.0 / 6.0, 10.0);
pub(crate) const QUESTIONS: (f64, f64) = (4.0, 20.0);

/// Most event streams at a time, in all and of one user; a browser needs one for all of its tabs.
pub(crate) const STREAMS: usize = 200;
pub(crate) const STREAMS_EACH: usize = 50;
/// Name of the token created at the first start that requires a login.
const FIRST_TOKEN: &str = "first";

/// Serves, or makes a backup, creates a token or revokes one, as the arguments say.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(file) = &arguments.backup {
        Database::backup(&Settings::database(&arguments.data), file)?;
        println!("{}", file.display());
        return Ok(ExitCode::SUCCESS);
    }
    // Whatever the server and its children create is their user's alone.
    umask(Mode::from_bits_truncate(0o077));
    let settings = Settings::new(arguments)?;
    let database = Arc::new(Database::open(&Settings::database(&settings.data))?);
    if let Some(name) = &arguments.new_token {
        let token = Sessions::make_token(&database, name)?;
        if is_of_journal(&io::stdout()) {
            let file = kept_secret(&settings.data, &format!("token-{name}"), &token)?;
            println!("The token `{name}` is in {}", file.display());
        } else {
            println!("{token}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(name) = &arguments.revoke_token {
        Sessions::revoke(&database, name)?;
        return Ok(ExitCode::SUCCESS);
    }
    let lock = std::fs::File::create(settings.data.join("lock")).context("the server's folder")?;
    held(&lock).with_context(|| {
        format!(
            "another server is using {}: stop it, or use another folder with --data",
            settings.data.display()
        )
    })?;
    settings.tidy();
    // Uploaded payloads are found relative to it.
    std::env::set_current_dir(&settings.data).context("the server's folder")?;
    if settings.login_required && !settings.has_users() && !Sessions::any_token(&database)? {
        let token = Sessions::make_token(&database, FIRST_TOKEN)?;
        if io::stdout().is_terminal() {
            println!("The token `{FIRST_TOKEN}`, shown only this once: {token}");
        } else {
            let file = kept_secret(&settings.data, "first-token", &token)?;
            println!("The token `{FIRST_TOKEN}` is in {}: read it, and remove the file", file.display());
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .enable_all()
        .build()
        .context("the runtime")?;
    let served = runtime.block_on(served(settings, database));
    runtime.shutdown_background();
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a secret into a new file of the server's folder, which only its user can read: what a service manager reads from standard
/// output ends up in a journal that others read too.
fn kept_secret(data: &Path, name: &str, secret: &str) -> anyhow::Result<PathBuf> {
    let path = data.join(name.replace('/', "-"));
    let told = || path.display().to_string();
    let _ = std::fs::remove_file(&path);
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).with_context(told)?;
    writeln!(file, "{secret}").with_context(told)?;
    Ok(path)
}

/// Whether a stream goes into systemd's journal: its device and inode are those of `JOURNAL_STREAM` (systemd.exec(5)).
fn is_of_journal(stream: &impl AsFd) -> bool {
    let journal = std::env::var("JOURNAL_STREAM").unwrap_or_default();
    fstat(stream).is_ok_and(|about| journal == format!("{}:{}", about.st_dev, about.st_ino))
}

/// Locks a file for this process until it closes the file or ends. Not with flock(2): a child that this process was just starting when it
/// was killed would keep that lock, and a server restarted at once would find the folder in use.
fn held(lock: &std::fs::File) -> nix::Result<()> {
    // From its beginning (SEEK_SET, 0) to its end, however long it is (fcntl(2)).
    let all = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    fcntl(lock, FcntlArg::F_SETLK(&all)).map(drop)
}

async fn served(settings: Settings, database: Arc<Database>) -> anyhow::Result<()> {
    let tls = serve::tls(&settings)?;
    let listener =
        TcpListener::bind(settings.listen).await.with_context(|| format!("--listen {}", settings.listen))?;
    let address = listener.local_addr().context("the listener")?;
    let (end, ended) = watch::channel(false);
    let (router, document) = routes::api().finish();
    let app = shared(settings, database, ended.clone(), document)?;
    let scheduler = Arc::clone(&app.scheduler);
    let worker = std::thread::spawn(move || scheduler.work());
    let scheme = if tls.is_some() { "https" } else { "http" };
    println!("Wiredyno serves at {scheme}://{address}/, with its data in {}", app.settings.data.display());
    // Fills the caches, so that the first page need not wait.
    tokio::spawn(routes::look_round(Arc::clone(&app)));
    tokio::spawn(retention::work(Arc::clone(&app)));
    let router = routes::guarded(router, &app);
    let serving = tokio::spawn(serve::serve(Arc::clone(&app), listener, tls, router, ended));
    asked_to_end().await?;
    // Standard output may be closed by now.
    let _ = writeln!(io::stdout(), "Stopping: running tests continue when the server starts again.");
    app.scheduler.end();
    let _ = end.send(true);
    app.fleets.end().await;
    serving.await.context("the listener")??;
    tokio::task::spawn_blocking(move || worker.join())
        .await
        .context("the scheduler")?
        .map_err(|_| anyhow::anyhow!("the scheduler panicked; please report this"))?;
    Ok(())
}

fn shared(
    settings: Settings,
    database: Arc<Database>,
    ended: watch::Receiver<bool>,
    document: serde_json::Value,
) -> anyhow::Result<App> {
    let data = settings.data.clone();
    let queue = Arc::new(Queue::new(Arc::clone(&database), settings.attempts));
    let events = Arc::new(EventLog::new(ended));
    let helper = Arc::new(Helper::new(&settings.program, &data));
    let of_runs = scheduler::Settings {
        program: settings.program.clone(),
        data: data.clone(),
        most_attempts: settings.attempts,
        pause: settings.pause,
        most_compile: settings.most_compile,
        most_seconds: settings.most_seconds,
        most_bytes: settings.most_bytes,
        least_free: settings.least_free,
        live: settings.live,
    };
    let fleets = Fleets::new(&settings.fleets, &settings.program, &data, Arc::clone(&helper))?;
    let fleets = Arc::new(fleets);
    let scheduler =
        Arc::new(Scheduler::new(of_runs, Arc::clone(&queue), Arc::clone(&events), Arc::clone(&fleets)));
    Ok(Arc::new(Shared {
        sessions: Sessions::new(Arc::clone(&database))?,
        payloads: Payloads::new(&data, Arc::clone(&helper)),
        links: Links::new(&data, Arc::clone(&helper)),
        fleets,
        studies: Studies::new(&data),
        runs: Runs::with(&data.join("runs"), Arc::clone(&database)),
        reader: Reader::new(Arc::clone(&helper), &settings.own, &data.join("runs")),
        options: OptionsCache::default(),
        rate: Rate::new(REQUESTS.0, REQUESTS.1),
        login_rate: Rate::new(LOGINS.0, LOGINS.1),
        question_rate: Rate::new(QUESTIONS.0, QUESTIONS.1),
        streams: Places::new(STREAMS, STREAMS_EACH),
        turns: Turns::default(),
        first_page: Default::default(),
        senders: Places::new(routes::SENDERS, routes::SENDERS_EACH),
        bodies: Arc::new(Semaphore::new(routes::BODIES)),
        started_ms: now_ms(),
        settings,
        database,
        queue,
        scheduler,
        events,
        helper,
        document,
    }))
}

async fn asked_to_end() -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("signal handling")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("signal handling")?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
