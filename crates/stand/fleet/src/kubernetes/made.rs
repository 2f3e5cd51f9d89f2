//! What a fleet creates in the cluster, and may remove again: nothing whose name is not its own.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::manifests::secret_name;

/// The kinds that may be created, each with its group and the resource by which it is deleted. All of them are of a namespace.
const KINDS: [(&str, &str, &str); 10] = [
    ("batch", "Job", "jobs.batch"),
    ("", "Secret", "secrets"),
    ("", "ConfigMap", "configmaps"),
    ("", "ServiceAccount", "serviceaccounts"),
    ("", "Service", "services"),
    ("", "PersistentVolumeClaim", "persistentvolumeclaims"),
    ("rbac.authorization.k8s.io", "Role", "roles.rbac.authorization.k8s.io"),
    ("rbac.authorization.k8s.io", "RoleBinding", "rolebindings.rbac.authorization.k8s.io"),
    ("networking.k8s.io", "NetworkPolicy", "networkpolicies.networking.k8s.io"),
    ("policy", "PodDisruptionBudget", "poddisruptionbudgets.policy"),
];

/// The resource of Jobs, and of Secrets.
pub const JOB: &str = KINDS[0].2;
pub const SECRET: &str = KINDS[1].2;

/// Something that is created in the namespace of a fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    pub resource: String,
    pub name: String,
    /// None as long as its creation has not been answered.
    pub uid: Option<String>,
}

impl Made {
    /// As kubectl is told of it.
    pub fn word(&self) -> String {
        format!("{}/{}", self.resource, self.name)
    }

    /// Whether it is of one fleet, and of no other.
    pub fn is_of(&self, drawn: &str) -> bool {
        KINDS.iter().any(|(_, _, resource)| *resource == self.resource) && is_own(&self.name, drawn)
    }
}

/// Whether a name ends with what was drawn for a fleet. Kustomize puts a hash behind the names of what it generates.
fn is_own(name: &str, drawn: &str) -> bool {
    let is_word = |text: &str| text.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit());
    match name.rsplit_once(&format!("-{drawn}")) {
        Some((own, "")) => !own.is_empty(),
        Some((own, hash)) => {
            !own.is_empty() && hash.strip_prefix('-').is_some_and(|hash| !hash.is_empty() && is_word(hash))
        }
        None => false,
    }
}

/// What is to be created: one Job, and what else the manifests have.
#[derive(Debug)]
pub struct Plan {
    /// Where, if the manifests say it.
    pub namespace: Option<String>,
    /// The Job first.
    pub made: Vec<Made>,
}

/// What manifests amount to, from objects with all layers applied.
///
/// # Errors
/// What it is that a fleet does not create.
pub fn plan(objects: &[Value], drawn: &str) -> Result<Plan, String> {
    let mut made = Vec::new();
    let mut namespaces = Vec::new();
    for object in objects {
        let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
        let (kind, name) = (text(&object["kind"]), text(&object["metadata"]["name"]));
        let group = text(&object["apiVersion"]).split_once('/').map(|(group, _)| group.to_owned());
        let group = group.unwrap_or_default();
        let Some((_, _, resource)) = KINDS.iter().find(|known| known.0 == group && known.1 == kind) else {
            let known: Vec<&str> = KINDS.iter().map(|(_, kind, _)| *kind).collect();
            return Err(format!(
                "`{kind}/{name}` is in the manifests: a fleet creates, and removes, only {}; create it yourself and leave it out of the folder",
                known.join(", ")
            ));
        };
        if !is_own(&name, drawn) {
            return Err(format!(
                "`{kind}/{name}` is in the manifests, and its name does not end with `-{drawn}`, which is drawn for this fleet: a fleet creates, and removes, only what is its own; leave it out of the folder"
            ));
        }
        if *resource == SECRET && name == secret_name(drawn) {
            return Err(format!(
                "`{kind}/{name}` is in the manifests, and the Secret of this name has the fleet's invitations: choose another name in the folder"
            ));
        }
        namespaces.push(text(&object["metadata"]["namespace"]));
        made.push(Made { resource: (*resource).to_owned(), name, uid: None });
    }
    if made.iter().filter(|one| one.resource == JOB).count() != 1 {
        return Err("expected one Job in the manifests".to_owned());
    }
    if namespaces.windows(2).any(|two| two[0] != two[1]) {
        return Err(format!(
            "the manifests are of several namespaces: {}; a fleet is in one",
            namespaces.join(", ")
        ));
    }
    made.sort_by_key(|one| one.resource != JOB);
    Ok(Plan { namespace: namespaces.pop().filter(|one| !one.is_empty()), made })
}

/// Puts down the uids of those that are among what was created.
pub fn identify(made: &mut [Made], created: &[Value]) {
    for object in created {
        let of = &object["metadata"];
        let group =
            object["apiVersion"].as_str().unwrap_or_default().split_once('/').map_or("", |(group, _)| group);
        let known = KINDS.iter().find(|known| known.0 == group && object["kind"] == known.1);
        let Some((_, _, resource)) = known else { continue };
        if let Some(one) = made.iter_mut().find(|one| one.resource == *resource && of["name"] == one.name) {
            one.uid = of["uid"].as_str().map(str::to_owned);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(version: &str, kind: &str, name: &str) -> Value {
        json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "bench"}})
    }

    #[test]
    fn a_fleet_creates_nothing_that_is_not_its_own() {
        let job = || object("batch/v1", "Job", "agents-0a1b2c3d");
        let refused = |other: Value| plan(&[job(), other], "0a1b2c3d").unwrap_err();
        // Kustomize gives suffixes to neither of these.
        for kind in ["Namespace", "Node", "PersistentVolume", "Pod"] {
            let told = refused(object("v1", kind, "production"));
            assert!(told.starts_with(&format!("`{kind}/production` is in the manifests: ")), "{told}");
        }
        refused(object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "jobs.example-0a1b2c3d"));
        refused(object("serving.knative.dev/v1", "Service", "x-0a1b2c3d"));
        for name in
            ["mine", "mine-0a1b2c3", "-0a1b2c3d", "mine-0a1b2c3d-", "mine-0a1b2c3d-x-y", "mine-0a1b2c3dx"]
        {
            let told = refused(object("v1", "ConfigMap", name));
            assert!(told.contains("does not end with `-0a1b2c3d`"), "{told}");
        }
        assert!(refused(job()).contains("one Job"));
        let told = refused(object("v1", "Secret", "wiredyno-agents-0a1b2c3d"));
        assert!(told.contains("has the fleet's invitations"), "{told}");
        plan(&[job(), object("v1", "ConfigMap", "wiredyno-agents-0a1b2c3d")], "0a1b2c3d").unwrap();
        let mut elsewhere = object("v1", "Secret", "s-0a1b2c3d");
        elsewhere["metadata"]["namespace"] = json!("other");
        assert!(refused(elsewhere).contains("several namespaces: bench, other"));
        assert!(plan(&[], "0a1b2c3d").unwrap_err().contains("one Job"));
    }

    #[test]
    fn what_is_created_is_known_by_its_uid() {
        let generated = object("v1", "ConfigMap", "c-0a1b2c3d-9f5bk2t4mh");
        let mut job = object("batch/v1", "Job", "agents-0a1b2c3d");
        let Plan { namespace, mut made } = plan(&[generated, job.clone()], "0a1b2c3d").unwrap();
        assert_eq!(namespace.as_deref(), Some("bench"));
        let words: Vec<String> = made.iter().map(Made::word).collect();
        assert_eq!(words, ["jobs.batch/agents-0a1b2c3d", "configmaps/c-0a1b2c3d-9f5bk2t4mh"]);
        assert!(made.iter().all(|one| one.is_of("0a1b2c3d")) && !made[0].is_of("0a1b2c3e"));
        job["metadata"]["uid"] = json!("u-1");
        identify(&mut made, &[job]);
        assert_eq!((made[0].uid.as_deref(), &made[1].uid), (Some("u-1"), &None));
        let other = Made { resource: "namespaces".into(), name: "x-0a1b2c3d".into(), uid: None };
        assert!(!other.is_of("0a1b2c3d"));
    }
}
