//! Studies that users keep under a name. They are files in the server's folder, where the program looks for studies by their ids.

use std::io::Write;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ApiResult};
use crate::study::{self, is_id};

/// Most studies that are kept.
const STUDIES: usize = 500;
/// The longest id of a study, in characters.
const NAME: usize = 60;

/// A study to keep.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewStudy {
    /// Its id: lower-case letters, digits and hyphens. One that a user kept before is replaced.
    pub id: String,
    /// Its text, as TOML.
    pub study: String,
}

/// A study that was kept or removed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KeptStudy {
    /// The study's id.
    pub id: String,
}

/// The studies below the server's folder.
pub struct Studies {
    folder: PathBuf,
}

impl Studies {
    /// The studies below the server's folder `data`.
    pub fn new(data: &Path) -> Self {
        Studies { folder: data.join("studies") }
    }

    /// Whether a user keeps a study under this id.
    pub fn has(&self, id: &str) -> bool {
        is_id(id, NAME) && self.file(id).is_file()
    }

    fn file(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.toml"))
    }

    /// Keeps a study.
    ///
    /// # Errors
    /// With the line, if it is none.
    pub fn keep(&self, new: &NewStudy) -> ApiResult<()> {
        if !is_id(&new.id, NAME) {
            let message = format!(
                "a study's id has at most {NAME} lower-case letters, digits and hyphens, and begins with a letter"
            );
            return Err(ApiError::text("id", message, None));
        }
        study::read(&new.study)?;
        let kept = std::fs::read_dir(&self.folder).map_err(ApiError::internal)?.count();
        if kept >= STUDIES && !self.has(&new.id) {
            return Err(ApiError::conflict(format!("at most {STUDIES} studies are kept: remove some first")));
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(ApiError::internal)?;
        file.write_all(new.study.as_bytes()).map_err(ApiError::internal)?;
        file.persist(self.file(&new.id)).map_err(ApiError::internal)?;
        Ok(())
    }

    /// Removes a study. Tests have their own copy.
    ///
    /// # Errors
    /// When no user keeps a study under this id.
    pub fn take_away(&self, id: &str) -> ApiResult<()> {
        if !self.has(id) {
            return Err(ApiError::not_found("no user keeps a study under this id"));
        }
        std::fs::remove_file(self.file(id)).map_err(ApiError::internal)
    }
}
