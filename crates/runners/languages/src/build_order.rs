//! What a runner is built into for a definition: the files that its commands read, and the key that it is kept under.

use std::fs;
use std::path::Path;

use wiredyno_build::{Bench, BuildStep, Ordered};
use wiredyno_payloads::Payload;
use wiredyno_schema::idl::{self, LoweredFile};
use xxhash_rust::xxh3::Xxh3;

use crate::command::Task;
use crate::declaration::DeclaredBuild;
use crate::folder::RunnerFolder;
use crate::places;
use crate::set_up_error::{SetUpError, at};

/// The file with the definition, in the form that the contract passes to runners.
const DESCRIPTORS: &str = "definition.binpb";

/// A runner to be built for a payload's definition.
pub(crate) struct Building<'a> {
    folder: &'a RunnerFolder,
    build: &'a DeclaredBuild,
    payload: &'a Payload,
    schemas: Vec<LoweredFile>,
}

impl<'a> Building<'a> {
    /// The one for a payload; `None` where the folder's runner accepts every definition.
    ///
    /// # Errors
    /// When one of the languages that its commands read can't express the definition.
    pub(crate) fn new(folder: &'a RunnerFolder, payload: &'a Payload) -> Result<Option<Self>, SetUpError> {
        let Some(build) = &folder.declared.definition else { return Ok(None) };
        let lower = |id: &String| {
            // What a folder names is checked when it is read.
            let language = idl::find(id)?;
            Some(idl::lower_to_file(language, payload.definition()).map_err(|reason| SetUpError::Schema {
                runner: folder.name.clone(),
                payload: payload.id().name.clone(),
                reason,
            }))
        };
        let schemas = build.schemas.iter().filter_map(lower).collect::<Result<_, _>>()?;
        Ok(Some(Building { folder, build, payload, schemas }))
    }

    /// What to build, with the digest of the runner's folder and the version of its language.
    pub(crate) fn ordered(&self, key: &str, language_version: &str) -> Ordered {
        let mut hash = Xxh3::new();
        let definition = self.payload.definition_digest();
        let message = &self.payload.definition().root().full_name;
        let files = self.schemas.iter().flat_map(|file| [file.path.as_str(), file.text.as_str()]);
        for part in [key, &definition, message].into_iter().chain(files) {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let declared = &self.folder.declared;
        Ordered {
            key: format!("{:032x}", hash.digest128()),
            runner: self.folder.name.clone(),
            payload: self.payload.id().name.clone(),
            definition,
            codecs: declared.codecs.iter().map(|codec| codec.id.to_string()).collect(),
            transports: declared.transports.iter().map(|transport| transport.id.to_string()).collect(),
            records: declared.reads_records,
            folder: key.to_owned(),
            language: format!("{} {language_version}", declared.language),
        }
    }

    /// Runs its build commands; `values` are what placeholders of its folder and environment stand for.
    ///
    /// # Errors
    /// When a command fails, a file can't be written, or the user cancels.
    pub(crate) fn fill(
        &self,
        bench: &Bench,
        mut values: Vec<(&'static str, String)>,
        task: Task<'_>,
        tell: &mut dyn FnMut(BuildStep),
    ) -> Result<(), SetUpError> {
        let schemas = bench.scratch.join("schemas");
        self.write(&schemas)?;
        let temporary = bench.scratch.join("temporary");
        fs::create_dir(&temporary).map_err(at(&temporary))?;
        let task = Task {
            missing: &self.build.missing,
            limit: self.build.limit,
            temporary: Some(&temporary),
            ..task
        };
        values.extend([
            (places::SCHEMAS, schemas.display().to_string()),
            (places::MESSAGE, self.payload.definition().root().full_name.clone()),
            (places::DEFINITION, self.payload.definition_digest()),
            (places::BUILT, bench.built.display().to_string()),
        ]);
        for command in &self.build.make {
            let command = places::filled(command, &values);
            tell(BuildStep::Said(command.join(" ")));
            task.run(&command)?;
        }
        Ok(())
    }

    fn write(&self, folder: &Path) -> Result<(), SetUpError> {
        let descriptors = &self.payload.definition().descriptor_set;
        let texts = self.schemas.iter().map(|file| (file.path.as_str(), file.text.as_bytes()));
        for (path, content) in texts.chain([(DESCRIPTORS, descriptors.as_slice())]) {
            let path = folder.join(path);
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent).map_err(at(parent))?;
            fs::write(&path, content).map_err(at(&path))?;
        }
        Ok(())
    }
}
