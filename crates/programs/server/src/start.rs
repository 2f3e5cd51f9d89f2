//! Starts the server from its arguments, and shuts it down.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use nix::fcntl::{FcntlArg, fcntl};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Semaphore, watch};

use crate::clock::now_ms;
use crate::database::Database;
use crate::events::EventLog;
use crate::helper::Helper;
use crate::options::OptionsCache;
use crate::payloads::Payloads;
use crate::queue::Queue;
use crate::rate::Rate;
use crate::reader::Reader;
use crate::runs::Runs;
use crate::scheduler::{self, Scheduler};
use crate::serve;
use crate::session::Sessions;
use crate::settings::{Arguments, Settings};
use crate::{App, Shared, routes};

/// How many requests, logins and questions a client may send: a second in the long run, and at once.
const REQUESTS: (f64, f64) = (100.0, 400.0);
const LOGINS: (f64, f64) = (1.0 / 6.0, 10.0);
const QUESTIONS: (f64, f64) = (4.0, 20.0);

/// Most event streams at a time.
const STREAMS: usize = 100;
/// Name of the token created at the first start that requires a login.
const FIRST_TOKEN: &str = "first";

/// Serves, or makes a backup, creates a token or revokes one, as the arguments say.
pub fn main(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(file) = &arguments.backup {
        Database::backup(&Settings::database(&arguments.data), file)?;
        println!("{}", file.display());
        return Ok(ExitCode::SUCCESS);
    }
    let settings = Settings::new(arguments)?;
    let database = Arc::new(Database::open(&Settings::database(&settings.data))?);
    if let Some(name) = &arguments.new_token {
        println!("{}", Sessions::make_token(&database, name)?);
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
    // Uploaded payloads are found relative to it.
    std::env::set_current_dir(&settings.data).context("the server's folder")?;
    if settings.login_required && settings.proxy.is_none() && !Sessions::any_token(&database)? {
        let token = Sessions::make_token(&database, FIRST_TOKEN)?;
        println!("The token `{FIRST_TOKEN}`, shown only this once: {token}");
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
    let router = routes::guarded(router, &app);
    let serving = tokio::spawn(serve::serve(listener, tls, router, ended));
    asked_to_end().await?;
    // Standard output may be closed by now.
    let _ = writeln!(io::stdout(), "Stopping: running tests continue when the server starts again.");
    app.scheduler.end();
    let _ = end.send(true);
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
    };
    let scheduler = Arc::new(Scheduler::new(of_runs, Arc::clone(&queue), Arc::clone(&events)));
    Ok(Arc::new(Shared {
        sessions: Sessions::new(Arc::clone(&database))?,
        payloads: Payloads::new(&data, Arc::clone(&helper)),
        runs: Runs::new(&data.join("runs")),
        reader: Reader::new(Arc::clone(&helper), &settings.own, &data.join("runs")),
        options: OptionsCache::default(),
        rate: Rate::new(REQUESTS.0, REQUESTS.1),
        login_rate: Rate::new(LOGINS.0, LOGINS.1),
        question_rate: Rate::new(QUESTIONS.0, QUESTIONS.1),
        streams: Arc::new(Semaphore::new(STREAMS)),
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
