//! A Job in the cluster: how it is created, watched, and removed.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::states::{ENDED, Found, pods_left};
use super::{Kubernetes, manifests, name_of};
use crate::command::{Input, answer, tail};
use crate::{Engine, FleetError, PATIENCE, Place, Record, State, drawn};

/// How long a creation may take, and any other command of kubectl.
const CREATED: Duration = Duration::from_secs(60);
const LIMIT: Duration = Duration::from_secs(20);
/// How long pods may take to end, in seconds, before the user is told which are left: longer than they have to end by themselves.
const ENDS_S: u32 = 25;

/// A Job that was created.
pub struct Job {
    of: Kubernetes,
    drawn: String,
    /// Its own name; empty as long as it is not known.
    name: String,
    /// The layer from which it was created, and is removed.
    folder: TempDir,
    /// What is known of each agent.
    places: Vec<Place>,
}

/// What another process needs of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Recorded {
    of: Kubernetes,
    drawn: String,
    name: String,
    places: Vec<Place>,
}

impl Recorded {
    /// The Job, with its layer of manifests once more.
    pub(crate) fn again(self) -> Result<Job, FleetError> {
        let Recorded { of, drawn, name, places } = self;
        let folder = of.layer(&drawn)?;
        Ok(Job { of, drawn, name, folder, places })
    }
}

/// What kubectl prints of an object that it has created.
#[derive(Deserialize)]
struct Created {
    kind: String,
    metadata: Named,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    uid: String,
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
        let folder = self.layer(&drawn)?;
        let waits = State::Waits("the job has been created".to_owned());
        let place = |agent| Place { agent, state: waits.clone() };
        let places = self.names().into_iter().map(place).collect();
        let mut job = Job { of: self.clone(), drawn, name: String::new(), folder, places };
        if let Err(error) = job.create(invitations) {
            job.remove();
            return Err(error);
        }
        if interrupted() {
            job.remove();
            return Err(FleetError::Interrupted);
        }
        Ok(job)
    }
}

impl Job {
    /// Creates the Job, and then what its pods wait for. An interruption in the middle of it is only looked for afterwards.
    fn create(&mut self, invitations: &[String]) -> Result<(), FleetError> {
        let folder = self.folder.path().display().to_string();
        let mut command = self.of.kubectl(&["create", "-k", &folder, "-o", "json"]);
        let said = answer("kubectl create -k", &mut command, Input(&[]), CREATED, &|| false)?;
        let wrong = |said: String| FleetError::Answer { what: "kubectl create -k".to_owned(), said };
        let created =
            serde_json::Deserializer::from_str(&said).into_iter::<Created>().collect::<Result<Vec<_>, _>>();
        let created = created.map_err(|error| wrong(format!("{error} in `{}`", tail(said.as_bytes()))))?;
        let mut jobs = created.into_iter().filter(|one| one.kind == "Job").map(|one| one.metadata);
        let (Some(found), None) = (jobs.next(), jobs.next()) else {
            return Err(wrong("expected one Job in the manifests".to_owned()));
        };
        let secret = manifests::secret(&self.drawn, (&found.name, &found.uid), invitations).to_string();
        self.name = found.name;
        // Over standard input: command lines can be seen by others.
        let mut command = self.of.kubectl(&["create", "-f", "-", "-o", "name"]);
        answer("kubectl create secret", &mut command, Input(&[secret.as_bytes()]), CREATED, &|| false)?;
        Ok(())
    }

    /// Asks for the Job, its pods, and why pods are missing.
    fn found(&self) -> Result<Found, FleetError> {
        let label = format!("{}={}", manifests::LABEL, self.drawn);
        let said = self.asked("get", &["jobs,pods", "-l", &label, "-o", "json"])?;
        let found = Found::parse(&said).map_err(|error| FleetError::Answer {
            what: "kubectl get".to_owned(),
            said: error.to_string(),
        })?;
        if found.pods() >= self.places.len() {
            return Ok(found);
        }
        let of = format!("involvedObject.kind=Job,involvedObject.name={}", self.name);
        // Who may not see events is told less.
        let events = self.asked("get", &["events", "--field-selector", &of, "-o", "json"]);
        Ok(found.with_events(&events.unwrap_or_default()))
    }

    fn asked(&self, verb: &str, words: &[&str]) -> Result<String, FleetError> {
        let mut command = self.of.kubectl(&[&[verb], words].concat());
        answer(&format!("kubectl {verb}"), &mut command, Input(&[]), LIMIT, &|| false)
    }

    /// Removes what was created, and waits for the end of the pods. There is nobody to return to what is left, and the user has to know.
    fn remove(&self) {
        let folder = self.folder.path().display().to_string();
        let secret = manifests::secret_name(&self.drawn);
        let label = format!("{}={}", manifests::LABEL, self.drawn);
        let deleted = self.asked("delete", &["secret", &secret, "--ignore-not-found", "--wait=false"]);
        let deleted =
            deleted.and(self.asked("delete", &["-k", &folder, "--ignore-not-found", "--wait=false"]));
        if let Err(error) = deleted {
            if !matches!(error, FleetError::Start { .. }) {
                eprintln!(
                    "something of the fleet may be left in the cluster (kubectl delete jobs,secrets -l {label}): {error}"
                );
            }
            return;
        }
        let wait = format!("--timeout={ENDS_S}s");
        let mut command = self.of.kubectl(&["wait", "pods", "-l", &label, "--for=delete", &wait]);
        let limit = Duration::from_secs(u64::from(ENDS_S)) + LIMIT;
        if answer("kubectl wait", &mut command, Input(&[]), limit, &|| false).is_ok() {
            return;
        }
        match self.asked("get", &["pods", "-l", &label, "-o", "json"]).map(|said| pods_left(&said)) {
            Ok(left) => left.iter().for_each(|pod| eprintln!("{pod}")),
            Err(error) => eprintln!("the job is deleted; whether its pods have ended is unknown: {error}"),
        }
    }
}

impl Engine for Job {
    fn look(&mut self) -> Vec<Place> {
        match self.found() {
            Ok(found) => {
                let all = self.places.iter_mut().enumerate();
                all.for_each(|(index, place)| place.state = found.state(index));
            }
            // As long as the cluster can't be asked, states are assumed unchanged.
            Err(error) => {
                let waits = State::Waits(format!("the job has been created; {error}"));
                let all = self.places.iter_mut().filter(|place| matches!(place.state, State::Waits(_)));
                all.for_each(|place| place.state = waits.clone());
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
        let mut of = self.of.clone();
        // Seen from another folder, a relative path would be another.
        of.manifests = of.manifests.map(|own| own.canonicalize().unwrap_or(own));
        Record::Kubernetes(Recorded {
            of,
            drawn: self.drawn.clone(),
            name: self.name.clone(),
            places: self.places.clone(),
        })
    }

    fn end(&mut self) {
        let before = self.places.clone();
        for (before, now) in before.iter().zip(self.look()) {
            match &now.state {
                State::Gone(why) if now.state != before.state && why != ENDED => {
                    eprintln!("{}: {why}", now.agent)
                }
                _ => {}
            }
        }
        self.remove();
    }
}
