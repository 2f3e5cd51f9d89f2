//! Makes packs: the program with the runners of some studies, for machines of the same kind without a compiler or a network. The
//! contents of a pack are described in [`wiredyno_build::pack`].

mod writing;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use wiredyno_brokers::BrokerFolderError;
use wiredyno_build::pack::{MANIFEST, Machine, Manifest, PACK_SCHEMA, PackError};
use wiredyno_build::{BuildError, BuildStep, CacheError, CachedRunner, Composition};
use wiredyno_contract::{Capability, LinkId};
use wiredyno_languages::{RunnerFolder, RunnerFolderError};
use wiredyno_link::sandbox::Sandbox;
use wiredyno_link::spec::LinkFileError;
use wiredyno_model::{FileError, Known, Study};
use wiredyno_payloads::Payload;
use wiredyno_planning::catalogue::{self, CatalogueError, Kind, find};
use wiredyno_planning::meaning::Meaning;
use wiredyno_planning::needs::{Needs, ProvideError};
use wiredyno_planning::plan::{Plan, PlanError};
use wiredyno_planning::stock::{self, Stock, StockError, VerifyError};
use wiredyno_planning::study::{self, StudyError};
use wiredyno_seats::interrupt::Interrupt;
use wiredyno_seats::serving::{External, first_of};

use self::writing::{machine, sum, write};

/// Why a pack can't be made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// The folder for it exists already.
    #[error("{folder} exists: name another folder with -o, or delete it")]
    Exists {
        /// The folder as it was requested.
        folder: PathBuf,
    },
    /// A study measures codecs of runners that can't be packed.
    #[error(
        "{study} can't be packed: it measures codecs of {}, which need more than the files built for a definition: an interpreter, or an \
         environment that contains paths of this machine. Both have to exist where the pack is used, and need a network once. Pack a \
         copy of the study without those codecs",
        .runners.iter().map(|name| format!("the runner `{name}`")).collect::<Vec<_>>().join(" and ")
    )]
    NotAlone {
        /// The study as it was requested.
        study: String,
        /// Names of the runners that can't be packed.
        runners: Vec<String>,
    },
    /// A study can't be found or is not valid.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A study refers to something that does not exist.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Its payloads, codecs or runners are not available.
    #[error(transparent)]
    Stock(#[from] StockError),
    /// A broker's folder is not valid.
    #[error(transparent)]
    Broker(#[from] BrokerFolderError),
    /// The language of a runner is not available.
    #[error(transparent)]
    Language(#[from] RunnerFolderError),
    /// Its runners can't be built or set up.
    #[error(transparent)]
    Provide(#[from] ProvideError),
    /// The file of a link can't be read.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The file of a link is not valid.
    #[error(transparent)]
    Link(#[from] LinkFileError),
    /// A link is referred to by its file instead of its name.
    #[error(
        "{0}: a pack needs links by name: put the file into links/, and name it in the study without .toml"
    )]
    LinkByPath(LinkId),
    /// A trace that a link names is not in the link's folder.
    #[error("{link}: the trace {trace} is outside the link's folder: move it there")]
    TraceOutside {
        /// Path of the link's file.
        link: PathBuf,
        /// The trace's path, as the link's file has it.
        trace: String,
    },
    /// A program in it can't be examined.
    #[error(transparent)]
    Program(#[from] PackError),
    /// Its manifest can't be written.
    #[error("{MANIFEST}: {0}")]
    Manifest(#[from] serde_json::Error),
    /// A file can't be read, written or copied.
    #[error("{path}: {source}")]
    Io {
        /// The file, or its folder.
        path: PathBuf,
        /// The system's error for this path.
        source: io::Error,
    },
}

impl MakeError {
    /// Whether nothing has a requested name.
    pub fn names_nothing(&self) -> bool {
        match self {
            MakeError::Stock(error) => error.names_nothing(),
            MakeError::Catalogue(error) => error.names_nothing(),
            _ => false,
        }
    }
}

impl Meaning for MakeError {
    fn is_interruption(&self) -> bool {
        matches!(self, MakeError::Provide(error) if error.is_interruption())
    }

    fn is_refusal(&self) -> bool {
        matches!(self, MakeError::Study(error) if error.is_refusal())
    }
}

impl From<FileError> for MakeError {
    fn from(error: FileError) -> Self {
        MakeError::Study(error.into())
    }
}

impl From<CacheError> for MakeError {
    fn from(error: CacheError) -> Self {
        MakeError::Provide(error.into())
    }
}

impl From<VerifyError> for MakeError {
    fn from(error: VerifyError) -> Self {
        MakeError::Provide(error.into())
    }
}

/// An error for a path that can't be read or written.
fn at(path: &Path) -> impl Fn(io::Error) -> MakeError {
    move |source| MakeError::Io { path: path.to_owned(), source }
}

/// A study and everything on which its runners depend.
struct Packed {
    study: Study,
    /// Its text, unless it comes with the program.
    text: Option<String>,
    known: Known,
    payloads: Vec<Payload>,
    plan: Plan,
}

/// What a finished pack consists of.
pub struct Made {
    /// The contents of `pack.json`.
    pub manifest: Manifest,
    /// The number of runners in it.
    pub runners: usize,
    /// The size of its files, in bytes.
    pub bytes: u64,
}

/// The studies that come with the program and need no broker, by their ids.
///
/// # Errors
/// When one of them is not valid.
pub fn studies_without_broker() -> Result<Vec<String>, MakeError> {
    let mut ids = Vec::new();
    for (name, _) in catalogue::bundled_in(Kind::Study.folder()) {
        let Some(id) = name.strip_suffix(".toml").filter(|id| !id.contains('/')) else { continue };
        let packed = Packed::open(id)?;
        if packed.brokers()?.is_empty() && packed.folders().is_empty() {
            ids.push(id.to_owned());
        }
    }
    ids.sort();
    Ok(ids)
}

/// Packs studies, by id or file, into a new folder. Missing runners are compiled first. `program` is this program.
///
/// # Errors
/// When a study can't be packed, the folder exists, a runner is not available, or a file can't be written. Then no folder is left.
pub fn make(
    ids: &[String],
    folder: &Path,
    program: &Path,
    sandbox: &Sandbox,
    interrupt: &Interrupt,
    tell: &mut dyn FnMut(BuildStep),
) -> Result<Made, MakeError> {
    if folder.exists() {
        return Err(MakeError::Exists { folder: folder.to_owned() });
    }
    let all = opened(ids)?;
    let stock = Stock::of_user()?;
    let (compositions, missing) = compositions_of(&all, &stock)?;
    let _built = match &missing[..] {
        [] => Vec::new(),
        missing => match stock.build(missing, sandbox, interrupt, tell) {
            // Plan again, without the codecs that can't be compiled, which are noted by now.
            Err(BuildError::LeftOut(_)) => return make(ids, folder, program, sandbox, interrupt, tell),
            built => built.map_err(ProvideError::from)?,
        },
    };
    let mut runners: Vec<CachedRunner> = Vec::new();
    for (composition, exactly) in &compositions {
        let kept = stock.find(composition, *exactly)?.ok_or(ProvideError::Gone)?;
        stock::verify(&kept, composition, &|command| sandbox.prepare(command), interrupt)?;
        if !runners.iter().any(|other| other.composed.key == kept.composed.key) {
            runners.push(kept);
        }
    }
    let mut languages: BTreeMap<String, RunnerFolder> = BTreeMap::new();
    for packed in &all {
        for (_, folder, ready) in packed.needs().make_ready(&stock, sandbox, interrupt, tell)? {
            runners.extend(ready.kept);
            languages.insert(folder.name.clone(), folder);
        }
    }
    runners.sort_by(|a, b| a.composed.key.cmp(&b.composed.key));
    runners.dedup_by(|a, b| a.composed.key == b.composed.key);

    let beside = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(beside).map_err(at(beside))?;
    // Built in a temporary sibling, then renamed, so that the folder is complete or absent.
    let desk = TempDir::with_prefix_in(".packing-", beside).map_err(at(beside))?;
    let root = desk.path().join("pack");
    let manifest = manifest(&all, machine(program, &runners)?, stock.cache().compiler(), &languages)?;
    for (name, folder) in &languages {
        let to = root.join("languages").join(name);
        folder.write_to(&to).map_err(at(&to))?;
    }
    write(&root, program, &all, &runners, &manifest)?;
    let bytes = sum(&root).map_err(at(&root))?;
    fs::rename(&root, folder).map_err(at(folder))?;
    Ok(Made { manifest, runners: runners.len(), bytes })
}

/// The studies with these ids or files, and those that run where no link can be emulated, by name.
fn opened(ids: &[String]) -> Result<Vec<Packed>, MakeError> {
    let mut all: Vec<Packed> = Vec::new();
    for id in ids {
        let packed = Packed::open(id)?;
        let needs = packed.needs();
        let runners: Vec<String> = needs
            .folders()?
            .iter()
            .filter(|folder| !folder.stands_alone())
            .map(|folder| folder.name.clone())
            .collect();
        if !runners.is_empty() {
            return Err(MakeError::NotAlone { study: id.clone(), runners });
        }
        let stand_in = packed.study.without_link.as_deref().map(Packed::open).transpose()?;
        all.extend(std::iter::once(packed).chain(stand_in));
    }
    all.sort_by(|a, b| a.study.name.cmp(&b.study.name));
    all.dedup_by(|a, b| a.study.name == b.study.name);
    Ok(all)
}

/// What the studies need, each with whether its runner must have nothing else.
type Wanted = Vec<(Composition, bool)>;

/// All compositions that studies need, and those of them for which no runner is there, joined where they share a definition.
fn compositions_of(all: &[Packed], stock: &Stock) -> Result<(Wanted, Vec<Composition>), MakeError> {
    let mut compositions = Wanted::new();
    let mut missing: Vec<Composition> = Vec::new();
    for packed in all {
        let needs = packed.needs();
        let of_study = needs.compositions();
        compositions.extend(of_study.all().map(|(composition, exactly)| (composition.clone(), exactly)));
        for composition in needs.missing(stock)? {
            match missing.iter_mut().find(|other| {
                !other.is_alone() && !composition.is_alone() && other.definition() == composition.definition()
            }) {
                Some(other) => *other = other.clone().and(&composition),
                None => missing.push(composition),
            }
        }
    }
    Ok((compositions, missing))
}

/// What `pack.json` says.
fn manifest(
    all: &[Packed],
    machine: Machine,
    compiler: String,
    languages: &BTreeMap<String, RunnerFolder>,
) -> Result<Manifest, MakeError> {
    let brokers = all.iter().map(Packed::brokers).collect::<Result<Vec<_>, BrokerFolderError>>()?;
    let to_pack = |(name, folder): (&String, &RunnerFolder)| Ok((name.clone(), folder.to_pack()?));
    Ok(Manifest {
        schema: PACK_SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        compiler,
        machine,
        studies: all.iter().map(|packed| packed.study.name.clone()).collect(),
        brokers: brokers.into_iter().flatten().collect::<BTreeSet<_>>().into_iter().collect(),
        languages: languages.iter().map(to_pack).collect::<Result<_, RunnerFolderError>>()?,
    })
}

impl Packed {
    fn open(id: &str) -> Result<Packed, MakeError> {
        let found = find(Kind::Study, id)?;
        let (mut study, source) = study::find(id, &[])?;
        let payloads = stock::resolve(&mut study, &source)?;
        let known = stock::known(&payloads)?;
        let clients = known.clients_of(&study);
        let study = study.with_options(&source.file, &source.text, &clients)?;
        Plan::check(&study, &known, &[]).map_err(|error| match error {
            PlanError::Study(refusal) => MakeError::from(source.refuse(refusal)),
            only @ PlanError::Only { .. } => only.into(),
        })?;
        let plan = Plan::new(&study, &known, &[]);
        let text = found.path.map(|_| found.text);
        Ok(Packed { study, text, known, payloads, plan })
    }

    fn needs(&self) -> Needs<'_> {
        // A pack has no brokers by address.
        static NONE: BTreeMap<String, External> = BTreeMap::new();
        let Packed { study, known, payloads, plan, .. } = self;
        Needs { study, known, payloads, plan, external: &NONE }
    }

    /// The runners in other languages whose codecs it names.
    fn folders(&self) -> BTreeSet<&str> {
        let codecs = self.known.codecs.iter().filter(|codec| self.study.axes.codec.contains(&codec.id));
        codecs.filter_map(|codec| codec.runner.as_deref()).collect()
    }

    /// What has to be installed for its messages, one line for each protocol that needs a broker.
    fn brokers(&self) -> Result<Vec<String>, BrokerFolderError> {
        let protocols: BTreeSet<&str> =
            self.plan.cells.iter().map(|cell| cell.mode.protocol.as_str()).collect();
        let known = wiredyno_brokers::all()?;
        let line = |protocol: &str| {
            let transport = first_of(&self.known, protocol)?;
            if transport.capabilities.contains(&Capability::Brokerless) {
                return None;
            }
            let serves = |served: &String| served == protocol;
            let broker = known.iter().find(|folder| folder.broker.protocols.iter().any(serves))?;
            Some(format!("{protocol}: {}", broker.install_line()))
        };
        Ok(protocols.into_iter().filter_map(line).collect())
    }
}

/// The brokers that come with the program, as files beside it.
fn beside(program: &Path) -> Result<Vec<PathBuf>, BrokerFolderError> {
    // A broker with a path of its own is not one that comes with the program.
    let known = wiredyno_brokers::all()?.into_iter().filter(|folder| !folder.broker.program.contains('/'));
    Ok(known
        .map(|folder| program.with_file_name(&folder.broker.program))
        .filter(|path| path.is_file())
        .collect())
}
