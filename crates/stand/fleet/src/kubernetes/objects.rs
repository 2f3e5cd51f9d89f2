//! What kubectl says of a Job, its pods and its events, as far as it tells what has become of agents.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A list of anything.
#[derive(Deserialize)]
pub struct List {
    pub items: Vec<serde_json::Value>,
}

/// A Job or a pod.
#[derive(Deserialize)]
pub struct Object<S> {
    pub metadata: Metadata,
    #[serde(default)]
    pub spec: Spec,
    pub status: S,
}

pub type Pod = Object<PodStatus>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    pub name: String,
    pub creation_timestamp: Option<String>,
    pub deletion_timestamp: Option<String>,
    #[serde(default)]
    pub annotations: BTreeMap<String, String>,
    #[serde(default)]
    pub uid: String,
    #[serde(default)]
    pub owner_references: Vec<Owner>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Owner {
    pub uid: String,
    pub controller: bool,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    pub node_name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobStatus {
    pub conditions: Vec<Condition>,
    /// Numbers and ranges: `0,2-4`.
    pub failed_indexes: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodStatus {
    pub phase: String,
    pub reason: String,
    pub message: String,
    #[serde(rename = "podIP")]
    pub pod_ip: String,
    pub conditions: Vec<Condition>,
    pub init_container_statuses: Vec<Container>,
    pub container_statuses: Vec<Container>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Condition {
    pub r#type: String,
    pub status: String,
    pub reason: String,
    pub message: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Container {
    pub name: String,
    pub image: String,
    pub state: ContainerState,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct ContainerState {
    pub waiting: Option<Why>,
    pub terminated: Option<Why>,
}

/// Why a container waits, or how it has ended.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Why {
    pub reason: String,
    pub message: String,
    pub exit_code: i32,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    pub r#type: String,
    pub reason: String,
    pub message: String,
    pub last_timestamp: Option<String>,
}
