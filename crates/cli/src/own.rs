//! Payloads of the user's own: from what command line and studies call them to the runners that were built of them.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::bail;
use wiredyno_build::{Build, Cache, NamedBuild, PayloadFolder, State};
use wiredyno_model::summary::PayloadBuild;
use wiredyno_model::{IdError, PayloadId};
use wiredyno_orchestrate::runners::Apart;
use wiredyno_runner_wire::PayloadDescription;

/// A payload as the command line names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayloadName {
    /// By its id.
    Id(PayloadId),
    /// By the folder that it was built of, with a size where it takes one.
    Folder(PathBuf, Option<u32>),
}

impl FromStr for PayloadName {
    type Err = IdError;
    /// What has a slash in it, or begins with a point, is a folder.
    fn from_str(text: &str) -> Result<Self, IdError> {
        if !text.contains('/') && !text.starts_with('.') {
            return Ok(PayloadName::Id(text.parse()?));
        }
        let sized = text.rsplit_once('@').and_then(|(path, size)| Some((path, size.parse().ok()?)));
        Ok(match sized {
            Some((path, size)) => PayloadName::Folder(path.into(), Some(size)),
            None => PayloadName::Folder(text.into(), None),
        })
    }
}

/// Whether the program itself has a payload of that name.
pub fn is_bundled(name: &str) -> bool {
    wiredyno_payloads::PAYLOADS.iter().any(|entry| entry.name == name)
}

/// The id of a payload; for a folder, that of what was built of it as it stands.
pub fn resolve(name: &PayloadName) -> anyhow::Result<PayloadId> {
    let (path, size_bytes) = match name {
        PayloadName::Id(id) => return Ok(id.clone()),
        PayloadName::Folder(path, size_bytes) => (path, *size_bytes),
    };
    let folder = PayloadFolder::read(path)?;
    let Some(named) = Cache::of_user()?.find(&folder.name)? else { return Err(unbuilt(path)) };
    // Two folders of one content are one payload.
    if named.build.files != folder.digests() {
        if named.folder != folder.path {
            bail!(
                "`{}` means {} as long as {} is not built: run `wiredyno build {}` first",
                folder.name,
                named.folder.display(),
                path.display(),
                path.display()
            );
        }
        usable(named)?;
    }
    Ok(PayloadId { name: folder.name, size_bytes })
}

fn unbuilt(folder: &Path) -> anyhow::Error {
    anyhow::anyhow!("{0} is not built yet: run `wiredyno build {0}` first", folder.display())
}

/// The runners of those payloads that the program itself does not have. Names that nothing was built of are left to
/// who looks for payloads, unless there is a folder to build.
pub fn apart<'a>(payloads: impl IntoIterator<Item = &'a PayloadId>) -> anyhow::Result<Vec<Apart>> {
    let mut runners: Vec<Apart> = Vec::new();
    for PayloadId { name, .. } in payloads {
        if is_bundled(name) || runners.iter().any(|apart| apart.build.payload == *name) {
            continue;
        }
        match Cache::of_user()?.find(name)? {
            Some(named) => runners.push(usable(named)?),
            None => {
                let places = [PathBuf::from("."), PathBuf::from("payloads")].map(|place| place.join(name));
                if let Some(folder) = places.iter().find(|folder| folder.join("message.proto").is_file()) {
                    return Err(unbuilt(folder));
                }
            }
        }
    }
    Ok(runners)
}

/// Refuses a build that is not of what stands in its folder now.
fn usable(named: NamedBuild) -> anyhow::Result<Apart> {
    let (name, folder) = (named.build.description.name.clone(), named.folder.display().to_string());
    if let State::Stale(why) = named.state()? {
        bail!("the build of `{name}` is out of date, {why}: run `wiredyno build {folder}` again");
    }
    let Build { digest, description, .. } = named.build;
    let build = PayloadBuild { payload: name, build: digest, folder, definition: description.definition };
    Ok(Apart { program: named.runner, build })
}

/// Everything that was built, without what the program has itself; none where no cache can be had.
fn all() -> anyhow::Result<Vec<NamedBuild>> {
    let Ok(cache) = Cache::of_user() else { return Ok(Vec::new()) };
    let mut all = cache.all()?;
    all.retain(|named| !is_bundled(&named.build.description.name));
    Ok(all)
}

/// The payloads that were built and are up to date.
pub fn described() -> anyhow::Result<Vec<PayloadDescription>> {
    let mut described = Vec::new();
    for named in all()? {
        if !matches!(named.state()?, State::Stale(_)) {
            described.push(named.build.description);
        }
    }
    Ok(described)
}

/// The payloads that have to be built again, each with what has changed.
pub fn out_of_date() -> anyhow::Result<Vec<(NamedBuild, String)>> {
    let mut stale = Vec::new();
    for named in all()? {
        if let State::Stale(why) = named.state()? {
            stale.push((named, why));
        }
    }
    Ok(stale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_path_is_a_folder() {
        let read = |text: &str| text.parse::<PayloadName>().unwrap();
        assert_eq!(read("person"), PayloadName::Id("person".parse().unwrap()));
        assert_eq!(read("./trips"), PayloadName::Folder("./trips".into(), None));
        assert_eq!(read("."), PayloadName::Folder(".".into(), None));
        assert_eq!(read("a/b@12"), PayloadName::Folder("a/b".into(), Some(12)));
        assert_eq!(read("a@b/c"), PayloadName::Folder("a@b/c".into(), None));
        assert!("Trips".parse::<PayloadName>().is_err());
    }
}
