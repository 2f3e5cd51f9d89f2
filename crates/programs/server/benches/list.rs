//! How fast is a list of many runs, and a restart with them?
//!
//! `make bench-list`. A server's folder holds 10,000 small runs. The first list reads each of their summaries; later ones come from memory, and
//! those after a restart from the database. `WIREDYNO_BENCH_REPEATS` sets how often each is measured, five times without it.
//! Limits: the runs are made up, with four combinations each, and their files have just been written, so that reading them needs no disk.

#![allow(clippy::unwrap_used, reason = "made-up runs belong to tests, which may panic")]

#[path = "../../../results/answers/tests/made_up/mod.rs"]
mod made_up;
#[path = "../tests/stand/mod.rs"]
mod stand;

use std::path::Path;
use std::time::Instant;

use stand::Server;
use wiredyno_bench::{Done, MachineState, Table, Value, repeats};

const RUNS: usize = 10_000;

fn main() -> Done<()> {
    println!("{}", MachineState::look()?);
    let times = repeats(5)?;
    let data = tempfile::tempdir()?;
    make(data.path())?;
    let begun = Instant::now();
    let server = Server::start(data.path(), &[]);
    // The first answers are "busy" as long as the summaries are read.
    let total = loop {
        let answer = server.get("/api/runs?limit=50");
        if answer.status == 200 {
            break answer.json()["total"].as_u64();
        }
    };
    let first = begun.elapsed().as_secs_f64();
    if total != Some(RUNS as u64) {
        return Err(format!("{total:?} of {RUNS} runs are listed").into());
    }
    let mut table = Table::default();
    table.add(Value::new("start and first list, each summary read once", "s", first));
    for (row, path) in [
        ("a page of 50 of the list", "/api/runs?limit=50"),
        ("a page of 1,000", "/api/runs"),
        ("the last page", "/api/runs?limit=50&offset=9950"),
        ("a search", "/api/runs?search=run-0999"),
    ] {
        for _ in 0..times {
            let begun = Instant::now();
            server.get(path).expect(200);
            table.add(Value::new(row, "s", begun.elapsed().as_secs_f64()).aim("aim: at most", 0.2));
        }
    }
    server.kill();
    for _ in 0..times {
        let begun = Instant::now();
        let server = Server::start(data.path(), &[]);
        server.get("/api/runs?limit=50").expect(200);
        let took = begun.elapsed().as_secs_f64();
        table.add(Value::new("restart until the first list", "s", took).aim("aim: at most", 1.0));
        server.kill();
    }
    print!("{table}");
    Ok(())
}

fn make(data: &Path) -> Done<()> {
    let run = made_up::messages(made_up::FOUR_CELLS, |cell, repeat| {
        let json = if cell.codec.format == "json" { 2.0 } else { 1.0 };
        let latency = 10e6 * json * made_up::noise(&cell.to_string(), repeat);
        vec![("latency", latency), ("lost", 0.0), ("wire_per_message", 200.0 * json)]
    });
    for number in 0..RUNS {
        let mut run = run.clone();
        run.run.id = format!("run-{number:05}");
        let folder = data.join("runs").join(&run.run.id);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("summary.json"), serde_json::to_vec(&run)?)?;
    }
    Ok(())
}
