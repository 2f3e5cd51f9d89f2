//! A Job in the cluster: how it is created, watched, and removed.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::cluster::{Cluster, is_place};
use super::made::{JOB, Made, SECRET, identify, plan};
use super::states::{ENDED, Found, pods_left};
use super::{Kubernetes, manifests, name_of};
use crate::command::{Input, answer, spoken};
use crate::{Engine, FleetError, PATIENCE, Place, Record, State, differs, drawn, warn};

/// How long a creation may take.
const CREATED: Duration = Duration::from_secs(60);
/// How long pods may take to end, in seconds, before the user is told which are left: longer than they have to end by themselves.
const ENDS_S: u32 = 25;
/// How long kubectl may take beyond that.
const LATER: Duration = Duration::from_secs(20);

/// A Job that was created, and what belongs to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    cluster: Cluster,
    drawn: String,
    /// The Job is the first.
    made: Vec<Made>,
    /// What is known of each agent.
    places: Vec<Place>,
}

impl Kubernetes {
    /// A folder with the layer of manifests for one fleet.
    fn layer(&self, drawn: &str) -> Result<TempDir, FleetError> {
        let start = |source| FleetError::Start { what: "the manifests".to_owned(), source };
        let folder = tempfile::tempdir().map_err(start)?;
        manifests::layer(self, drawn, self.patience.unwrap_or(PATIENCE), folder.path()).map_err(start)?;
        Ok(folder)
    }

    pub(crate) fn up(
        &self,
        invitations: &[String],
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Job, FleetError> {
        let drawn = drawn()?;
        let mut cluster = Cluster::of(self)?;
        // The manifests may have a namespace of their own.
        let rendering = cluster.in_namespace(self.namespace.clone());
        let objects = rendered(&rendering, &self.layer(&drawn)?)?;
        let plan =
            plan(&objects, &drawn).map_err(|why| FleetError::Asked(format!("[fleet.kubernetes]: {why}")))?;
        let namespace = plan.namespace.or(cluster.namespace.take());
        let cluster = cluster.in_namespace(namespace);
        let mut made = plan.made;
        made.push(Made { resource: SECRET.to_owned(), name: manifests::secret_name(&drawn), uid: None });
        let waits = State::Waits("the job has been created".to_owned());
        let places = self.names().into_iter().map(|agent| Place::new(agent, waits.clone())).collect();
        let mut job = Job { cluster, drawn, made, places };
        let created = if interrupted() {
            return Err(FleetError::Interrupted);
        } else {
            job.create(objects, invitations)
        };
        let created =
            created.and_then(|()| if interrupted() { Err(FleetError::Interrupted) } else { Ok(()) });
        created.map(|()| job.clone()).inspect_err(|_| job.remove().iter().for_each(|left| warn(left)))
    }
}

/// What a folder of manifests amounts to. Nothing is created.
fn rendered(cluster: &Cluster, folder: &TempDir) -> Result<Vec<Value>, FleetError> {
    let what = "kubectl create -k --dry-run";
    let folder = folder.path().display().to_string();
    let mut command = cluster.kubectl(&["create", "-k", &folder, "--dry-run=client", "-o", "json"]);
    let said = answer(what, &mut command, Input(&[]), CREATED, &|| false)?;
    let objects: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(&said).into_iter().collect();
    // What it said may have the secrets of the user's manifests.
    objects.map_err(|error| FleetError::Answer { what: what.to_owned(), said: error.to_string() })
}

impl Job {
    /// The Job itself.
    fn job(&self) -> &Made {
        &self.made[0]
    }

    /// Says what is wrong with what was kept of it.
    pub(crate) fn check(&self) -> Result<(), FleetError> {
        let is_drawn = self.drawn.len() == 8 && self.drawn.chars().all(|one| one.is_ascii_hexdigit());
        let is_own = self.made.first().is_some_and(|job| job.resource == JOB && job.uid.is_some())
            && self.made.iter().all(|one| one.is_of(&self.drawn));
        match is_drawn && is_own && !self.cluster.options.iter().any(|word| is_place(word)) {
            true => Ok(()),
            false => Err(FleetError::Asked("this is not what a fleet in Kubernetes has left".to_owned())),
        }
    }

    /// In what it differs from a section.
    pub(crate) fn differs(&self, section: &Kubernetes) -> Result<Option<String>, FleetError> {
        let agents: Vec<String> = self.places.iter().map(|place| place.agent.clone()).collect();
        let differs = differs("agents", (&section.names(), &agents));
        Ok(differs.or(self.cluster.differs(section)?))
    }

    /// Creates the Job, then what else the manifests have, owned by it, and then the Secret that its pods wait for. An interruption in the middle of it is only looked for afterwards.
    fn create(&mut self, objects: Vec<Value>, invitations: &[String]) -> Result<(), FleetError> {
        let (job, others): (Vec<Value>, Vec<Value>) =
            objects.into_iter().partition(|object| object["kind"] == "Job");
        self.created(job)?;
        let Made { name, uid: Some(uid), .. } = self.job() else {
            let said = "it does not say which Job was created".to_owned();
            return Err(FleetError::Answer { what: "kubectl create".to_owned(), said });
        };
        let (name, uid) = (name.clone(), uid.clone());
        if !others.is_empty() {
            self.created(manifests::owned(others, (&name, &uid)))?;
        }
        let secret = manifests::secret(&self.drawn, (&name, &uid), invitations).to_string();
        let mut command = self.cluster.kubectl(&["create", "-f", "-", "-o", "name"]);
        answer("kubectl create secret", &mut command, Input(&[secret.as_bytes()]), CREATED, &|| false)?;
        Ok(())
    }

    /// Creates objects, and puts down what the cluster calls them, also of a creation that fails in the middle.
    fn created(&mut self, objects: Vec<Value>) -> Result<(), FleetError> {
        // What was looked through, whatever the folder has by now. Over standard input: command lines can be seen by others.
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
        let mut command = self.cluster.kubectl(&["create", "-f", "-", "-o", "json"]);
        let (said, ended) =
            spoken("kubectl create", &mut command, Input(&[list.as_bytes()]), CREATED, &|| false)?;
        let created: Vec<Value> =
            serde_json::Deserializer::from_str(&said).into_iter().map_while(Result::ok).collect();
        identify(&mut self.made, &created);
        ended
    }

    /// Asks for the Job, its pods, and why pods are missing.
    fn found(&self) -> Result<Found, FleetError> {
        let job = self.job();
        let label = format!("{}={}", manifests::LABEL, self.drawn);
        let said = self.cluster.asked("get", &["jobs.batch,pods", "-l", &label, "-o", "json"])?;
        let uid = job.uid.as_deref().unwrap_or_default();
        let found = Found::parse(&said, uid).map_err(|error| FleetError::Answer {
            what: "kubectl get".to_owned(),
            said: error.to_string(),
        })?;
        if found.pods() >= self.places.len() {
            return Ok(found);
        }
        let of = format!("involvedObject.kind=Job,involvedObject.name={}", job.name);
        // Who may not see events is told less.
        let events = self.cluster.asked("get", &["events", "--field-selector", &of, "-o", "json"]);
        Ok(found.with_events(&events.unwrap_or_default()))
    }

    /// Removes what was created, by the names of this fleet alone, and waits for the end of the pods. Returns what may be left.
    fn remove(&self) -> Vec<String> {
        // The Secret goes first.
        let all: Vec<String> = self.made.iter().rev().map(Made::word).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let words = [&all[..], &["--ignore-not-found", "--wait=false"]].concat();
        if let Err(error) = self.cluster.asked("delete", &words) {
            let line = self.cluster.line(&[&["delete"], &all[..], &["--ignore-not-found"]].concat());
            return vec![format!(
                "something of the fleet may be left in the cluster: {error}; remove it: {line}"
            )];
        }
        let label = format!("{}={}", manifests::LABEL, self.drawn);
        let wait = format!("--timeout={ENDS_S}s");
        let mut command = self.cluster.kubectl(&["wait", "pods", "-l", &label, "--for=delete", &wait]);
        let limit = Duration::from_secs(u64::from(ENDS_S)) + LATER;
        if answer("kubectl wait", &mut command, Input(&[]), limit, &|| false).is_ok() {
            return Vec::new();
        }
        match self.cluster.asked("get", &["pods", "-l", &label, "-o", "json"]).map(|said| pods_left(&said)) {
            Ok(left) => left,
            Err(error) => {
                vec![format!("the job is deleted; whether its pods have ended is unknown: {error}")]
            }
        }
    }
}

impl Engine for Job {
    fn look(&mut self) -> Vec<Place> {
        match self.found() {
            Ok(found) => {
                for (index, place) in self.places.iter_mut().enumerate() {
                    (place.state, place.unsure) = (found.state(index), None);
                }
            }
            // As long as the cluster can't be asked, states are assumed unchanged.
            Err(error) => {
                let waits = State::Waits(format!("the job has been created; {error}"));
                for place in &mut self.places {
                    place.unsure = Some(error.to_string());
                    if matches!(place.state, State::Waits(_)) {
                        place.state = waits.clone();
                    }
                }
            }
        }
        self.places.clone()
    }

    /// The address of each pod: behind the network of a cluster an agent dials from another.
    fn addresses(&mut self) -> BTreeMap<String, IpAddr> {
        let found = self.found().ok();
        let address = |index| Some((name_of(index), found.as_ref()?.address(index)?));
        (0..self.places.len()).filter_map(address).collect()
    }

    fn record(&self) -> Record {
        Record::Kubernetes(self.clone())
    }

    fn end(&mut self) -> Vec<String> {
        let before = self.places.clone();
        let now = self.look();
        // First of all: whoever waits for what is told keeps nothing in the cluster.
        let left = self.remove();
        for (before, now) in before.iter().zip(now) {
            match &now.state {
                State::Gone(why) if now.state != before.state && why != ENDED => {
                    warn(&format!("{}: {why}", now.agent));
                }
                _ => {}
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_fleet_has_created_is_believed_of_a_record() {
        let made = |resource: &str, name: &str, uid: Option<&str>| Made {
            resource: resource.into(),
            name: name.into(),
            uid: uid.map(str::to_owned),
        };
        let cluster = serde_json::from_value(json!({"namespace": "bench", "options": []})).unwrap();
        let job = Job {
            cluster,
            drawn: "0a1b2c3d".into(),
            made: vec![made(JOB, "a-0a1b2c3d", Some("u-1")), made(SECRET, "s-0a1b2c3d", None)],
            places: Vec::new(),
        };
        job.check().unwrap();
        let wrong = |change: &dyn Fn(&mut Job)| {
            let mut job = job.clone();
            change(&mut job);
            job.check().unwrap_err();
        };
        wrong(&|job| job.made.clear());
        wrong(&|job| job.made[0].uid = None);
        wrong(&|job| job.made.push(made(SECRET, "production", None)));
        wrong(&|job| job.made.push(made("namespaces", "x-0a1b2c3d", None)));
        wrong(&|job| job.drawn = String::new());
        wrong(&|job| job.cluster.options.push("--namespace=kube-system".into()));
    }
}
