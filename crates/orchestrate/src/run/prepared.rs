//! A run before its first trial: what the study names is found, what can't be run here is taken out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use wiredyno_build::Step;
use wiredyno_link::spec::LinkSpec;
use wiredyno_model::summary::{NotRun, Summary};
use wiredyno_model::{Cell, Known, Lifetime, LinkId, MessageRate, ModeId, PayloadId, Security, Study};
use wiredyno_payloads::Payload;
use wiredyno_store::RunFolder;
use wiredyno_transports::Protocol;

use super::clients;
use super::{PreparedRun, RunRequest, StudySource};
use crate::catalogue::{Kind, find};
use crate::conduct;
use crate::kept;
use crate::lanes::most_lanes;
use crate::needs::Needs;
use crate::plan::{Plan, PlannedTrial};
use crate::resume::Asked;
use crate::runners::{Injected, Runners, Wanted};
use crate::serving::{Managed, PEER, Served, Serving, Servings, choose, security_of, transport_for};
use crate::stock::{self, Stock};
use crate::{contents, machine};

/// The runs that a study's thresholds name: what can't be read is known before the first trial.
fn bases(study: &Study) -> anyhow::Result<BTreeMap<String, Summary>> {
    let named = study.threshold.iter().filter_map(|threshold| threshold.than.clone());
    let read = |folder: String| {
        let summary = RunFolder::open(Path::new(&folder))
            .and_then(|run| run.read_summary())
            .with_context(|| format!("the run that a threshold of `{}` names", study.name))?;
        Ok((folder, summary))
    };
    named.map(read).collect()
}

impl PreparedRun {
    /// Makes the plan: opens the payloads, reads the links, finds the brokers, and sorts out what can't be run here.
    ///
    /// # Errors
    /// When the study names something that does not exist, or asks for what contradicts itself.
    pub fn new(request: RunRequest) -> anyhow::Result<Self> {
        let mut run = PreparedRun::planned(request)?;
        run.take_out_what_cannot_be_run()?;
        run.notes.extend(run.told_of_counting());
        Ok(run)
    }

    /// One whose trials are only read, on any machine: what could be run where it was made is known from what it was `asked` for.
    ///
    /// # Errors
    /// When the study names something that does not exist here.
    pub fn to_read(request: RunRequest, asked: &Asked) -> anyhow::Result<Self> {
        let mut run = PreparedRun::planned(request)?;
        for NotRun { what, why } in &asked.not_run {
            run.plan.without(|cell| cell.to_string() == *what, why);
        }
        run.plan.not_run.clone_from(&asked.not_run);
        run.notes.clone_from(&asked.notes);
        run.is_past = true;
        Ok(run)
    }

    /// With all trials of the study.
    fn planned(mut request: RunRequest) -> anyhow::Result<Self> {
        let payloads = stock::resolve(&mut request.study, &request.source)?;
        let known = stock::known(&payloads)?;
        let StudySource { file, text } = &request.source;
        request.study = request.study.with_options(file, text, &known.transports)?;
        Plan::check(&request.study, &known, &request.only).map_err(anyhow::Error::msg)?;
        let plan = Plan::new(&request.study, &known, &request.only);
        if plan.trials.is_empty() && plan.codec_trials.is_empty() && plan.not_run.is_empty() {
            bail!("nothing is left to run: --only takes away every cell of the study");
        }
        let mut links = HashMap::new();
        for id in request.study.axes.link.iter().filter(|id| !id.is_loopback()) {
            links.insert(id.clone(), link(id, &request.injected)?);
        }
        if !request.external.is_empty() && plan.cells.iter().any(|cell| !cell.link.is_loopback()) {
            bail!(
                "--broker names a server on this machine's network, which an emulated link cannot reach: leave \
                 --broker out, or run over loopback with --set link=loopback"
            );
        }
        check_modes(&known, &plan.cells)?;
        for protocol in request.external.keys() {
            if !plan.cells.iter().any(|cell| cell.mode.protocol == *protocol) {
                bail!(
                    "--broker {protocol}=...: no mode of the study is of the protocol `{protocol}`; leave it out"
                );
            }
        }
        let counted_only = counted_only(&request.study, &payloads, &plan.cells)?;
        let bases = bases(&request.study)?;
        let (servings, notes, is_past) = (Servings::new(), Vec::new(), false);
        Ok(PreparedRun {
            request,
            known,
            payloads,
            plan,
            links,
            servings,
            counted_only,
            bases,
            notes,
            is_past,
        })
    }

    /// Finds who serves, and takes out the cells for which this machine lacks something.
    fn take_out_what_cannot_be_run(&mut self) -> anyhow::Result<()> {
        let PreparedRun { request, known, plan, notes, .. } = self;
        if let Err(missing) = &request.sandbox.rights().network_namespaces
            && plan
                .without(|cell| !cell.link.is_loopback(), &format!("no link can be emulated here: {missing}"))
        {
            notes.push(format!("No link can be emulated on this machine: {missing}."));
        }
        for Lacking { protocol, encrypted, why } in lacking(&plan.cells, known) {
            let of = |cell: &Cell| !encrypted || !security_of(cell, known).is_none();
            plan.without(|cell| cell.mode.protocol == protocol && of(cell), &why);
            let how = if encrypted { " encrypted" } else { "" };
            notes.push(format!("Nothing was sent{how} over {protocol}: {why}."));
        }
        if request.study.hosts.publisher == request.study.hosts.subscriber {
            let over_link = |cell: &Cell| is_peer(cell) && !cell.link.is_loopback();
            plan.without(over_link, SAME_HOST);
        }
        if let Some(load) = &request.study.load {
            clients::check_descriptors(load, &plan.cells)?;
            for (cell, why) in clients::impossible(load, &plan.cells, known) {
                plan.without(|other| *other == cell, &why);
            }
        }
        let wanted: BTreeSet<_> = plan.cells.iter().map(Served::from).collect();
        let (servings, unserved) = choose(known, &request.external, request.study.security.login, wanted)?;
        for (of, why) in unserved {
            plan.without(|cell| Served::from(cell) == of, &why);
            let by = of.broker.as_ref().map_or_else(String::new, |broker| format!(" by {broker}"));
            let with = of.security.filter(|security| !security.is_none());
            let with = with.map_or_else(String::new, |security| format!(" with {security}"));
            notes.push(format!("Nothing was sent over {}{by}{with}: {why}.", of.protocol));
        }
        let encrypted: BTreeSet<&str> = plan
            .cells
            .iter()
            .map(|cell| security_of(cell, known))
            .filter(|security| !security.is_none())
            .map(Security::word)
            .collect();
        if !encrypted.is_empty() {
            let words: Vec<&str> = encrypted.into_iter().collect();
            notes.push(format!(
                "What is encrypted can't be read: with {} bytes are not told apart by what they are for, and it is not known when a \
                 message was at the broker.",
                words.join(", ")
            ));
        }
        self.servings = servings;
        Ok(())
    }

    /// Why the messages of a cell can only be counted, where that is so.
    pub fn counted_only(&self, cell: &Cell) -> Option<&str> {
        self.counted_only.get(&contents_of(cell)).map(String::as_str)
    }

    /// Of each payload whose messages are only counted, that they are and why.
    fn told_of_counting(&self) -> Vec<String> {
        let mut told = Vec::new();
        for cell in &self.plan.cells {
            let said = self.counted_only(cell).map(|why| {
                format!(
                    "Messages of `{}` are only counted, without latency, copies and order: {why}.",
                    cell.payload
                )
            });
            told.extend(said.filter(|said| !told.contains(said)));
        }
        told
    }

    /// What the trials need of runners.
    pub fn needs(&self) -> Needs<'_> {
        let RunRequest { study, external, .. } = &self.request;
        Needs { study, known: &self.known, payloads: &self.payloads, plan: &self.plan, external }
    }

    /// Builds or makes ready the runners that are missing, and hands out the payloads. `program` is this one.
    ///
    /// # Errors
    /// When something stands in the run folder, a runner can't be had, or samples are broken.
    pub fn provide(
        &self,
        stock: &Stock,
        program: PathBuf,
        tell: &mut dyn FnMut(Step),
    ) -> anyhow::Result<Runners> {
        // Asked again when the folder is made; here so that nobody waits for runners first.
        if !self.request.resumes {
            RunFolder::check_free(&self.request.folder)?;
        }
        let RunRequest { study, sandbox, interrupt, .. } = &self.request;
        let provided = self.needs().provide(stock, sandbox, interrupt, tell)?;
        let messages = study.load.as_ref().map_or(1, conduct::samples_of);
        let wanted = Wanted {
            samples: study.codec_trials.samples.max(messages) as usize,
            dictionary: study.axes.compression.iter().any(|id| id.dictionary),
        };
        let mut runners = Runners::of(program)?.burdened(self.request.injected.burdens_per_mille.clone());
        let secured = |cell: &Cell| !security_of(cell, &self.known).is_none();
        if study.security.login || self.plan.cells.iter().any(secured) {
            runners = runners.secured()?;
        }
        for (payload, programs) in provided {
            runners.add(payload, programs, wanted)?;
        }
        Ok(runners)
    }

    /// The run folder to be made, or gone on with.
    pub fn folder(&self) -> &Path {
        &self.request.folder
    }

    /// The study, after `--set`.
    pub fn study(&self) -> &Study {
        &self.request.study
    }

    /// Lanes at most.
    pub fn lanes(&self) -> u32 {
        let loopback = self.plan.cells.iter().any(|cell| cell.link.is_loopback());
        if loopback {
            // Trials on loopback use the CPU all the time: side by side they would measure each other.
            return 1;
        }
        let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get());
        let trials = self.plan.trials.len();
        let lanes = most_lanes(self.request.study.trials.lanes, u32::try_from(cpus).unwrap_or(1), trials);
        let kept = self.kept();
        if kept.is_empty() {
            return lanes;
        }
        let of_a_lane = kept.into_iter().map(|(managed, count)| managed.memory_bytes() * count).sum();
        kept::most_lanes(lanes, of_a_lane, machine::available_memory_bytes())
    }

    /// The brokers that a lane keeps, each once, with how many of it: one for the run, or one for each of its cells.
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

    /// About how long it will take, in nanoseconds, without invalid trials and without rounds beyond `repeats`.
    pub fn estimate_ns(&self) -> u64 {
        let study = &self.request.study;
        let round_trip_ns = |link: &LinkId| self.links.get(link).map(|link| link.mean_round_trip().ns);
        let of_trial = |planned: &PlannedTrial| {
            let load = study.load.as_ref().map(|load| load.of(&planned.cell));
            load.map_or(0, |load| Plan::trial_estimate_ns(&load, round_trip_ns(&planned.cell.link)))
        };
        let messages = self.plan.trials.iter().map(of_trial).sum::<u64>() / u64::from(self.lanes());
        messages + self.brokers_estimate_ns() + self.plan.codec_estimate_ns(study)
    }

    /// About how long it takes until the brokers that lanes keep have started, all lanes at once, and are warm in every mode.
    fn brokers_estimate_ns(&self) -> u64 {
        let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u64);
        let start_ns: u64 = self.kept().into_iter().map(|(managed, count)| managed.start_ns() * count).sum();
        let side_by_side = u64::from(self.lanes()).div_ceil(cpus);
        let modes: BTreeSet<_> =
            self.plan.cells.iter().map(|cell| (&cell.mode, Served::from(cell))).collect();
        let warm_ns =
            |(_, served): &(&ModeId, Served)| self.servings.get(served).map_or(0, conduct::warming_ns);
        start_ns * side_by_side + modes.iter().map(warm_ns).sum::<u64>()
    }
}

/// The link of that name.
fn link(id: &LinkId, injected: &Injected) -> anyhow::Result<LinkSpec> {
    if let Some(link) = injected.links.get(id) {
        return Ok(link.clone());
    }
    let found = find(Kind::Link, id.as_str())?;
    let path = found.path.clone().unwrap_or_else(|| PathBuf::from(&found.name));
    Ok(LinkSpec::parse(&found.text, &path)?)
}

impl Plan {
    /// Takes out cells that can't be run, with the reason. Whether there were any.
    fn without(&mut self, cannot: impl Fn(&Cell) -> bool, why: &str) -> bool {
        let out: Vec<NotRun> = self
            .cells
            .iter()
            .filter(|cell| cannot(cell))
            .map(|cell| NotRun { what: cell.to_string(), why: why.to_owned() })
            .collect();
        let any = !out.is_empty();
        self.not_run.extend(out);
        self.trials.retain(|trial| !cannot(&trial.cell));
        self.cells.retain(|cell| !cannot(cell));
        any
    }
}

/// What decides whether messages can be told apart: payload, whether a dictionary is trained, rate and window.
pub(super) type Contents = (PayloadId, bool, Option<MessageRate>, Option<u32>);

fn contents_of(cell: &Cell) -> Contents {
    (cell.payload.clone(), cell.compression.dictionary, cell.rate, cell.window)
}

/// Why the messages of cells can only be counted.
fn counted_only(
    study: &Study,
    payloads: &[Payload],
    cells: &[Cell],
) -> anyhow::Result<BTreeMap<Contents, String>> {
    let Some(load) = &study.load else { return Ok(BTreeMap::new()) };
    let kinds: BTreeMap<Contents, &Cell> = cells.iter().map(|cell| (contents_of(cell), cell)).collect();
    let mut reasons = BTreeMap::new();
    for (contents, cell) in kinds {
        let Some(payload) = payloads.iter().find(|payload| *payload.id() == cell.payload) else { continue };
        if let Some(why) = contents::counted_only(payload, &load.of(cell), cell.compression.dictionary)? {
            reasons.insert(contents, why);
        }
    }
    Ok(reasons)
}

/// A protocol whose client can't be compiled here.
struct Lacking {
    protocol: String,
    /// Not at all, or not with encryption.
    encrypted: bool,
    /// What is missing, with the line that helps.
    why: String,
}

/// The protocols of cells whose clients can't be compiled here as the cells need them.
fn lacking(cells: &[Cell], known: &Known) -> Vec<Lacking> {
    let lack = |protocol: &Protocol| {
        let id = (protocol.describe)().id.protocol;
        let used = || cells.iter().filter(|cell| cell.mode.protocol == id);
        let encrypted = used().any(|cell| !security_of(cell, known).is_none());
        let lacks = |with| used().next().and_then(|_| protocol.lack(with)).map(|lack| (with, lack));
        let (encrypted, lack) = lacks(false).or_else(|| lacks(true).filter(|_| encrypted))?;
        let packages = lack.debian.join(" ");
        let why =
            format!("its client can't be compiled here, {}: sudo apt-get install {packages}", lack.reason);
        Some(Lacking { protocol: id, encrypted, why })
    };
    wiredyno_transports::REGISTRY.iter().filter_map(lack).collect()
}

/// Why a cell whose messages go straight to the subscriber may have nothing to measure.
const SAME_HOST: &str = "without a broker its messages would not cross the link: publisher and subscriber stand on one host; write \
                         subscriber = \"cloud\" in [hosts] of a study of its own";

/// Whether messages go straight from the publisher to the subscriber.
pub(super) fn is_peer(cell: &Cell) -> bool {
    cell.broker.as_ref().is_some_and(|broker| broker.name == PEER)
}

/// Refuses modes that no transport has.
fn check_modes(known: &Known, cells: &[Cell]) -> anyhow::Result<()> {
    for cell in cells {
        let mode = &cell.mode;
        let Some(transport) = transport_for(known, &mode.protocol) else {
            let known = known.transports.iter().map(|transport| transport.id.protocol.as_str());
            let hint = match wiredyno_model::nearest(&mode.protocol, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`wiredyno list protocols` shows what there is".to_owned(),
            };
            bail!("there is no protocol `{}`; {hint}", mode.protocol);
        };
        let settings: Vec<&str> = transport.settings.iter().map(|setting| setting.name.as_str()).collect();
        match mode.setting.as_deref() {
            None if settings.is_empty() => {}
            Some(setting) if settings.contains(&setting) => {}
            _ if settings.is_empty() => bail!("`{mode}`: {} has just one mode, write `{0}`", mode.protocol),
            _ => bail!(
                "`{mode}` is no mode of {}: write one of {}",
                mode.protocol,
                modes(&mode.protocol, &settings)
            ),
        }
    }
    Ok(())
}

fn modes(protocol: &str, settings: &[&str]) -> String {
    settings.iter().map(|setting| format!("`{protocol}:{setting}`")).collect::<Vec<_>>().join(", ")
}
