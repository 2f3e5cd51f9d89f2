//! A run before its first trial: what the study refers to is found, what can't be run here is left out.

mod checks;
mod counted;
mod estimate;
mod leaving_out;
mod repeats;

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use wiredyno_build::BuildStep;
use wiredyno_contract::{Capability, DeclaredTransport, LinkId, PayloadId, TransportId};
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::summary::Summary;
use wiredyno_model::{Cell, Host, Hosts, Known, Lack, Lifetime, Place, Records, Refusal, Study};
use wiredyno_payloads::Payload;
use wiredyno_planning::catalogue::{CatalogueError, Kind, find};
use wiredyno_planning::left_out::{LeftOut, Part, Reason};
use wiredyno_planning::needs::{Needs, ProvideError};
use wiredyno_planning::plan::{Plan, PlanError};
use wiredyno_planning::resume::Asked;
use wiredyno_planning::source::StudySource;
use wiredyno_planning::stock::{self, Stock, StockError};
use wiredyno_planning::study::Refused;
use wiredyno_schema::canonical_bytes;
use wiredyno_seats::database;
use wiredyno_seats::here::lack_of;
use wiredyno_seats::interrupt::Over;
use wiredyno_seats::managed::Managed;
use wiredyno_seats::runners::{Runners, Wanted};
use wiredyno_seats::seat::away::Away;
use wiredyno_seats::serving::{PEER, Served, Serving, Servings, security_of};
use wiredyno_store::RunFolder;

use self::checks::{check_agents, check_modes, check_place};
pub(super) use self::counted::Contents;
use self::counted::counted_only;
use super::{PrepareError, PreparedRun, RunRequest};

/// The runs to which a study's thresholds refer: unreadable ones are detected before the first trial.
fn bases(study: &Study) -> Result<BTreeMap<String, Summary>, PrepareError> {
    let named = study.threshold.iter().filter_map(|threshold| threshold.than.clone());
    let read = |folder: String| {
        let summary = RunFolder::open(Path::new(&folder))
            .and_then(|run| run.read_summary())
            .map_err(|source| PrepareError::Base { study: study.name.clone(), source })?;
        Ok((folder, summary))
    };
    named.map(read).collect()
}

impl PreparedRun {
    /// Makes the plan: opens the payloads, reads the links, finds the brokers, and leaves out what can't be run here.
    ///
    /// # Errors
    /// When the study refers to something that does not exist, or contradicts itself.
    pub fn new(request: RunRequest) -> Result<Self, PrepareError> {
        if !request.resumes {
            RunFolder::check_free(&request.folder).map_err(|taken| Refused(taken.to_string()))?;
            check_place(&request.folder)?;
        }
        let mut run = PreparedRun::planned(request)?;
        check_agents(&run.request, &run.plan.cells).map_err(Refused)?;
        run.take_out_what_cannot_be_run()?;
        run.notes.extend(run.told_of_counting());
        run.notes.extend(run.told_of_repeats());
        run.notes.extend(run.told_of_room());
        Ok(run)
    }

    /// What was found while planning, in sentences.
    pub fn found_so_far(&self) -> &[String] {
        &self.notes
    }

    /// A run whose trials are only read, on any machine: what could be run on the original one is known from `asked`.
    ///
    /// # Errors
    /// When the study refers to something that does not exist here.
    pub fn to_read(request: RunRequest, asked: &Asked) -> Result<Self, PrepareError> {
        let mut run = PreparedRun::planned(request)?;
        for LeftOut { part, reason } in &asked.left_out {
            if let Part::Cell(left_out) = part {
                run.plan.without(|cell| *cell == **left_out, reason);
            }
        }
        run.plan.left_out.clone_from(&asked.left_out);
        run.notes.clone_from(&asked.notes);
        run.is_past = true;
        Ok(run)
    }

    /// With all trials of the study.
    #[expect(
        clippy::too_many_lines,
        reason = "the checks of a study in the order in which their errors are to be reported"
    )]
    fn planned(mut request: RunRequest) -> Result<Self, PrepareError> {
        let is_changed = request.source.is_changed;
        let payloads = stock::resolve(&mut request.study, &request.source).map_err(|error| {
            let is_name = matches!(error, StockError::Study(_)) || error.names_nothing();
            if is_changed && is_name { Refused(error.to_string()).into() } else { PrepareError::from(error) }
        })?;
        let known = stock::known(&payloads)?;
        let StudySource { file, text, .. } = &request.source;
        let clients = known.clients_of(&request.study);
        let with_options = request.study.with_options(file, text, &clients);
        let with_options = with_options.map_err(|error| request.source.told(error));
        request.study = with_options.map_err(|error| match is_changed {
            true => PrepareError::from(Refused(error.to_string())),
            false => error.into(),
        })?;
        let refused = |refusal: Refusal| match is_changed {
            // The study was valid before it was changed on the command line, so the change is to blame.
            true => PrepareError::from(Refused(refusal.problem)),
            false => request.source.refuse(refusal).into(),
        };
        Plan::check(&request.study, &known, &request.only).map_err(|error| match error {
            PlanError::Study(refusal) => refused(refusal),
            only @ PlanError::Only { .. } => Refused(only.to_string()).into(),
        })?;
        let mut plan = Plan::new(&request.study, &known, &request.only);
        if plan.trials.is_empty() && plan.codec_trials.is_empty() && plan.left_out.is_empty() {
            let nothing = "nothing is left to run: --only excludes every cell of the study";
            return Err(Refused(nothing.to_owned()).into());
        }
        let mut links = HashMap::new();
        for id in request.study.axes.link.iter().filter(|id| id.is_emulated()) {
            links.insert(id.clone(), link(id, &request)?);
        }
        plan.trials.sort_by_key(|trial| !estimate::runs_alone(&links, &trial.cell));
        if !request.external.is_empty() && plan.cells.iter().any(|cell| cell.link.is_emulated()) {
            let unreachable = "--broker names a server on this machine's network, which an emulated link cannot reach: leave \
                               --broker out, or run over loopback with --set link=loopback";
            return Err(Refused(unreachable.to_owned()).into());
        }
        check_modes(&known, &plan.cells).map_err(refused)?;
        for protocol in request.external.keys() {
            if !plan.cells.iter().any(|cell| cell.mode.protocol == *protocol) {
                return Err(Refused(format!(
                    "--broker {protocol}=...: no mode of the study uses the protocol `{protocol}`; leave it out"
                ))
                .into());
            }
        }
        let counted_only = counted_only(&request.study, &payloads, &plan.cells)?;
        let (bases, body_bytes) = (bases(&request.study)?, body_bytes(&payloads));
        let (servings, notes, is_past) = (Servings::new(), Vec::new(), false);
        Ok(PreparedRun {
            request,
            known,
            payloads,
            plan,
            links,
            servings,
            counted_only,
            body_bytes,
            bases,
            notes,
            is_past,
        })
    }

    /// The hosts of the roles in a cell's trials.
    pub(super) fn hosts_of(&self, cell: &Cell) -> Hosts {
        hosts_of(&self.known, self.request.study.hosts, cell)
    }

    /// How messages of a cell travel: there and back or one way, over one hop or two.
    pub fn way_in_words(&self, cell: &Cell) -> String {
        self.hosts_of(cell).way_in_words(cell, is_peer(cell) || is_direct(&self.known, cell))
    }

    /// Why the messages of a cell can only be counted, if so.
    pub fn counted_only(&self, cell: &Cell) -> Option<&str> {
        let contents = Contents::of(cell, self.request.study.load.as_ref()?);
        self.counted_only.iter().find(|(of, _)| *of == contents).map(|(_, why)| why.as_str())
    }

    /// For each payload whose messages are only counted, a sentence that says so and why.
    fn told_of_counting(&self) -> Vec<String> {
        let mut told = Vec::new();
        for cell in &self.plan.cells {
            let said = self.counted_only(cell).map(|why| {
                format!(
                    "Messages of `{}` are only counted, without latency, duplicates and order: {why}.",
                    cell.payload
                )
            });
            told.extend(said.filter(|said| !told.contains(said)));
        }
        told
    }

    /// The runners that the trials need.
    pub fn needs(&self) -> Needs<'_> {
        let RunRequest { study, external, .. } = &self.request;
        Needs { study, known: &self.known, payloads: &self.payloads, plan: &self.plan, external }
    }

    /// Builds or sets up the missing runners, and gives them the payloads. Codecs that can't be compiled are removed from the plan.
    /// `program` is this one; `over` can end a build, as the user can.
    ///
    /// # Errors
    /// When the run folder is not empty, a runner is not available, or samples are not valid.
    pub fn provide(
        &mut self,
        stock: &Stock,
        program: PathBuf,
        over: Option<Over>,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<Runners, ProvideError> {
        // Checked again when the folder is created; here so that the user does not wait for runners first.
        if !self.request.resumes {
            RunFolder::check_free(&self.request.folder)?;
        }
        let (sandbox, interrupt) = (self.request.sandbox.clone(), self.request.interrupt.or_when(over));
        self.needs().make_ready(stock, &sandbox, &interrupt, tell)?;
        if let Err(error) = self.needs().compile(stock, &sandbox, &interrupt, tell) {
            self.leave_out_not_compiled(error)?;
        }
        let study = &self.request.study;
        let provided = self.needs().provide(stock, &sandbox, &interrupt, tell)?;
        let weights = self.needs().weights(stock, &sandbox)?;
        let mut runners = Runners::of(program)?.weighed(weights);
        runners = runners.burdened(&self.request.injected);
        let secured = |cell: &Cell| !security_of(cell, &self.known).is_none();
        if study.security.login || self.plan.cells.iter().any(secured) {
            let agents = self.request.agents.as_ref().and_then(|agents| agents.away.as_deref());
            let of_hosts = |away: &(dyn Away + Send + Sync)| Host::ALL.map(|host| away.address(host).ok());
            let addresses: Vec<IpAddr> = agents.into_iter().flat_map(of_hosts).flatten().collect();
            runners = runners.secured(&addresses)?;
        }
        for (payload, programs) in provided {
            let samples = self.samples_of(payload) as usize;
            runners.add(payload, programs, Wanted { samples, dictionary: self.trains_dictionaries() })?;
        }
        Ok(runners)
    }

    /// The run folder to be created, or to resume in.
    pub fn folder(&self) -> &Path {
        &self.request.folder
    }

    /// The study, after `--set`.
    pub fn study(&self) -> &Study {
        &self.request.study
    }

    /// The brokers that a lane keeps, each once, and how many of it: one for the run, or one for each of its cells.
    pub(super) fn kept(&self) -> Vec<(&Managed, u64)> {
        let mut kept: Vec<(&Managed, u64)> = Vec::new();
        for (of, serving) in &self.servings {
            let Serving::Managed(managed) = serving else { continue };
            let served = |cell: &&Cell| Served::from(*cell) == *of;
            let count = match managed.lifetime() {
                Lifetime::Trial => continue,
                Lifetime::Run => 1,
                Lifetime::Cell => self.plan.cells.iter().filter(served).count() as u64,
            };
            match kept.iter_mut().find(|(other, _)| *other == managed) {
                Some((_, before)) if managed.lifetime() == Lifetime::Cell => *before += count,
                Some(_) => {}
                None => kept.push((managed, count)),
            }
        }
        kept
    }
}

/// Bytes of headers around a body, for estimates: Ethernet, IP, TCP and some of the protocol.
const HEADERS_BYTES: u64 = 100;

/// The approximate length of each payload's bodies, in bytes: its size parameter, or that of its first sample in Protobuf.
fn body_bytes(payloads: &[Payload]) -> BTreeMap<PayloadId, u64> {
    let of = |payload: &Payload| {
        let sized = payload.id().size_bytes.map(u64::from);
        let first = || payload.samples(Some(1)).ok()?.next()?.ok();
        let bytes = sized.or_else(|| Some(canonical_bytes(&first()?).len() as u64));
        (payload.id().clone(), bytes.unwrap_or_default())
    };
    payloads.iter().map(of).collect()
}

/// The link with an id.
fn link(id: &LinkId, request: &RunRequest) -> Result<LinkSpec, PrepareError> {
    if let Some(link) = request.injected.links.get(id) {
        return Ok(link.clone());
    }
    let found = find(Kind::Link, id.as_str()).map_err(|error| match error {
        unknown @ CatalogueError::Unknown { .. } if request.source.is_changed => {
            PrepareError::from(Refused(unknown.to_string()))
        }
        CatalogueError::Unknown { .. } => {
            let place = Place::of_axis("link").word(id.as_str());
            request.source.refuse(Refusal::at(place, error.to_string())).into()
        }
        error => error.into(),
    })?;
    let path = found.path.clone().unwrap_or_else(|| PathBuf::from(&found.name));
    Ok(LinkSpec::parse(&found.text, &path)?)
}

/// Whether a cell's messages use this client.
fn uses(known: &Known, cell: &Cell, transport: &TransportId) -> bool {
    known.client(cell).is_some_and(|used| used.id == *transport)
}

/// Leaves out cells that read records if there is no database, or their runner can't; adds a note about the database if there is one.
fn take_out_without_records(plan: &mut Plan, known: &Known, notes: &mut Vec<String>) {
    let from_database = |cell: &Cell| cell.records == Some(Records::Postgresql);
    if !plan.cells.iter().any(from_database) {
        return;
    }
    if let Some(lack) = database::missing() {
        plan.without(from_database, &Reason::NoDatabase(lack.clone()));
        notes.push(format!("No records were read from a database: {lack}."));
        return;
    }
    let others = |cell: &Cell| from_database(cell) && !known.reads_records(&cell.codec);
    if plan.without(others, &Reason::NoRecords) {
        notes.push("No records were read from a database for codecs whose runner can't.".to_owned());
    }
    if plan.cells.iter().any(from_database) {
        notes.push(format!(
            "Records were read from PostgreSQL {} over a Unix socket, {} rows at a time; it neither synced nor vacuumed.",
            database::version(),
            wiredyno_records::FETCHED
        ));
    }
}

/// A client that can't be compiled here.
struct Lacking {
    transport: TransportId,
    /// Whether only its encryption can't be compiled.
    encrypted: bool,
    /// What is missing, and the command that installs it.
    lack: Lack,
}

/// The clients of cells that can't be compiled here as the cells need them.
fn lacking(known: &Known, cells: &[Cell]) -> Vec<Lacking> {
    let lack = |client: &&DeclaredTransport| {
        let id = client.describe().id;
        let used = || cells.iter().filter(|cell| uses(known, cell, &id));
        used().next()?;
        let encrypted = used().any(|cell| !security_of(cell, known).is_none());
        let (encrypted, lack) = lack_of(client, encrypted)?;
        Some(Lacking { transport: id, encrypted, lack })
    };
    wiredyno_transport_registry::REGISTRY.iter().filter_map(lack).collect()
}

/// Whether a cell's protocol has no server between its clients.
pub(super) fn is_direct(known: &Known, cell: &Cell) -> bool {
    known.client(cell).is_some_and(|transport| transport.capabilities.contains(&Capability::Direct))
}

/// The hosts of the roles in a cell's trials.
pub(super) fn hosts_of(known: &Known, hosts: Hosts, cell: &Cell) -> Hosts {
    let hosts = hosts.of(cell);
    known.client(cell).map_or(hosts, |transport| hosts.used_by(transport))
}

/// Whether messages go directly from the publisher to the subscriber because the study names the subscriber as the broker.
pub(super) fn is_peer(cell: &Cell) -> bool {
    cell.broker.as_ref().is_some_and(|broker| broker.name == PEER)
}
