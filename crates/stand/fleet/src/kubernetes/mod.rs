//! Agents in the pods of one Indexed Job of Kubernetes. The user's own `kubectl` is used, with its login and its context.
//!
//! What is to be created is looked through first: a fleet removes all of it again, so that nothing may be among it that is not its own. The Job is then created first, alone, then what else the manifests have, and at last the Secret with the invitations, all of them
//! owned by the Job: whatever happens to this program in between, the cluster removes them with the Job, a minute after its last agent has ended. Each agent takes the line of its own index. An
//! agent that ends does not end the others, and is not replaced.

mod cluster;
mod job;
mod made;
pub mod manifests;
mod objects;
mod states;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use wiredyno_contract::Span;

use crate::FleetError;

pub use self::job::Job;

/// One Job of Kubernetes, with an agent in each of its pods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kubernetes {
    /// How many agents to ask for, at least one, spread over the nodes. A study that needs fewer starts with fewer.
    pub agents: u32,
    /// The image with the program, as nodes pull it: `wiredyno fleet image` makes one.
    pub image: String,
    /// `--context` of kubectl; its current one if left out.
    #[serde(default)]
    pub context: Option<String>,
    /// `--namespace` of kubectl; that of the context if left out.
    #[serde(default)]
    pub namespace: Option<String>,
    /// Whether agents use the network of their node instead of the pods' own.
    #[serde(default)]
    pub host_network: bool,
    /// What a pod asks for, for example `{ cpu = "2", memory = "512Mi" }`.
    #[serde(default)]
    pub requests: BTreeMap<String, String>,
    /// What a pod may use at most.
    #[serde(default)]
    pub limits: BTreeMap<String, String>,
    /// Labels for the Job and its pods.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The labels of the nodes that may be used.
    #[serde(default)]
    pub node_selector: BTreeMap<String, String>,
    /// How long the Job may exist: Kubernetes then ends it. A day if left out.
    #[serde(default)]
    pub time: Option<Span>,
    /// How long an agent tries to reach its coordinator again; a minute if left out.
    #[serde(default)]
    pub patience: Option<Span>,
    /// A kustomize folder in place of the bundled one.
    #[serde(default)]
    pub manifests: Option<PathBuf>,
    /// Further options of kubectl, for example `["--kubeconfig", "cluster.conf"]`.
    #[serde(default)]
    pub options: Vec<String>,
}

/// The name with which the agent of an index joins.
fn name_of(index: usize) -> String {
    format!("agent-{index}")
}

impl Kubernetes {
    pub(crate) fn names(&self) -> Vec<String> {
        (0..self.agents as usize).map(name_of).collect()
    }

    pub(crate) fn check(&self) -> Result<(), FleetError> {
        let wrong = |what: &str| Err(FleetError::Asked(format!("[fleet.kubernetes]: {what}")));
        if self.agents == 0 {
            return wrong("agents must be at least 1");
        }
        if self.image.trim().is_empty() {
            return wrong(
                "image is empty: name the image that your nodes can pull (`wiredyno fleet image` makes one)",
            );
        }
        if let Some(label) =
            [manifests::LABEL, manifests::NAME].iter().find(|one| self.labels.contains_key(**one))
        {
            return wrong(&format!("the label `{label}` is set by this program"));
        }
        if let Some(word) = self.options.iter().find(|word| cluster::is_place(word)) {
            return wrong(&format!(
                "leave `{word}` out of options: context and namespace have keys of their own"
            ));
        }
        if let Some(word) = self.options.iter().find(|word| cluster::is_secret(word)) {
            let option = word.split('=').next().unwrap_or_default();
            return wrong(&format!(
                "leave `{option}` out of options, where others on this machine can read it: put it into the kubeconfig"
            ));
        }
        Ok(())
    }
}
