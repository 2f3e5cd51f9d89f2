//! What has become of agents, from what `kubectl get -o json` says of their Job and its pods.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::objects::{Condition, Container, Event, JobStatus, List, Object, Pod, PodStatus, Why};
use crate::State;
use crate::command::tail;

/// Why an agent is gone that has done what it was there for.
pub const ENDED: &str = "it has ended";

/// The annotation of a pod that has its index.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// What there is of a fleet.
#[derive(Default)]
pub struct Found {
    job: Option<JobStatus>,
    /// The latest pod of each index.
    pods: BTreeMap<usize, Pod>,
    /// Why pods could not be created.
    refused: Option<String>,
}

impl Found {
    /// Reads a list with the Job of this uid and its pods. Others that have its label are none of it.
    ///
    /// # Errors
    /// When it is not one.
    pub fn parse(said: &str, uid: &str) -> serde_json::Result<Found> {
        let mut found = Found::default();
        for item in serde_json::from_str::<List>(said)?.items {
            if item["kind"] == "Job" {
                let job: Object<JobStatus> = serde_json::from_value(item)?;
                if job.metadata.uid == uid {
                    found.job = Some(job.status);
                }
                continue;
            }
            let pod: Pod = serde_json::from_value(item)?;
            if !pod.metadata.owner_references.iter().any(|owner| owner.controller && owner.uid == uid) {
                continue;
            }
            let Some(index) = pod.metadata.annotations.get(INDEX).and_then(|text| text.parse().ok()) else {
                continue;
            };
            let is_later = |known: &Pod| known.metadata.creation_timestamp < pod.metadata.creation_timestamp;
            if found.pods.get(&index).is_none_or(is_later) {
                found.pods.insert(index, pod);
            }
        }
        Ok(found)
    }

    /// Adds why pods could not be created, from a list of the Job's events. What is not one says nothing.
    pub fn with_events(mut self, said: &str) -> Found {
        let items = serde_json::from_str::<List>(said).map(|list| list.items).unwrap_or_default();
        let events = items.into_iter().filter_map(|item| serde_json::from_value::<Event>(item).ok());
        let refused = events.filter(|event| event.r#type == "Warning" && event.reason == "FailedCreate");
        self.refused = refused.max_by_key(|event| event.last_timestamp.clone()).map(|event| {
            // In front of it is the name of a pod, another one for each attempt.
            let why =
                event.message.split_once("is forbidden: ").map_or(event.message.as_str(), |(_, why)| why);
            format!("the cluster refuses its pod: {}", clean(why))
        });
        self
    }

    /// How many agents have a pod.
    pub fn pods(&self) -> usize {
        self.pods.len()
    }

    /// The address of an agent's pod, if it has one by now.
    pub fn address(&self, index: usize) -> Option<IpAddr> {
        self.pods.get(&index)?.status.pod_ip.parse().ok()
    }

    /// What has become of an agent.
    pub fn state(&self, index: usize) -> State {
        let Some(job) = &self.job else {
            return State::Gone("its job is gone from the cluster".to_owned());
        };
        if let Some(pod) = self.pods.get(&index) {
            return pod.state();
        }
        if let Some(over) = job.over() {
            return State::Gone(over);
        }
        if is_among(index, &job.failed_indexes) {
            return State::Gone("its pod was removed: evicted, preempted, or deleted by somebody".to_owned());
        }
        match &self.refused {
            Some(why) if why.contains("violates PodSecurity") => State::Gone(why.clone()),
            Some(why) => State::Waits(why.clone()),
            None => State::Waits("the job has been created".to_owned()),
        }
    }
}

impl JobStatus {
    /// Why the Job as a whole was ended.
    fn over(&self) -> Option<String> {
        let failed = self.conditions.iter().find(|one| one.r#type == "Failed" && one.status == "True")?;
        Some(match failed.reason.as_str() {
            "DeadlineExceeded" => {
                "the job was ended because its time was over (`time` in [fleet.kubernetes])".to_owned()
            }
            reason => format!("the job has failed: {reason}: {}", clean(&failed.message)),
        })
    }
}

impl Pod {
    fn state(&self) -> State {
        let status = &self.status;
        match status.phase.as_str() {
            "Succeeded" => State::Gone(ENDED.to_owned()),
            "Failed" => State::Gone(self.failure()),
            _ if self.metadata.deletion_timestamp.is_some() => {
                let why = status
                    .condition("DisruptionTarget", "True")
                    .map(|why| format!(": {}", clean(&why.message)));
                State::Gone(format!("its pod is being removed{}{}", self.at(), why.unwrap_or_default()))
            }
            "Running" => match status.terminated() {
                Some((_, why)) => State::Gone(ended(why, &self.at())),
                None if status.is_out_of_sight() => {
                    State::Waits(format!("its node does not answer: its pod is{}", self.at()))
                }
                None => State::Runs,
            },
            _ => self.pending(),
        }
    }

    /// On which node it is, with a separator in front; nothing if it has none.
    fn at(&self) -> String {
        self.spec.node_name.as_ref().map(|node| format!(" on {node}")).unwrap_or_default()
    }

    /// Why a pod does not run yet, or never will.
    fn pending(&self) -> State {
        let status = &self.status;
        if let Some(why) = status.condition("PodScheduled", "False") {
            // What follows is about the means that the scheduler has looked at.
            let said = why.message.split(". ").next().unwrap_or_default();
            return State::Waits(format!("no node takes its pod: {}", clean(said)));
        }
        let waiting = status.containers().find_map(|one| Some((one, one.state.waiting.as_ref()?)));
        let Some((container, why)) = waiting else {
            return State::Waits(format!("its pod is pending{}", self.at()));
        };
        let said = if why.message.is_empty() { String::new() } else { format!(": {}", clean(&why.message)) };
        let image = &container.image;
        match why.reason.as_str() {
            "ContainerCreating" | "PodInitializing" => {
                State::Waits(format!("its pod is starting{}", self.at()))
            }
            "ErrImagePull" => State::Waits(format!("the image {image} can't be pulled{said}")),
            // A first attempt has failed, for a reason that the message has.
            "ImagePullBackOff" | "InvalidImageName" | "ErrImageNeverPull" => {
                State::Gone(format!("the image {image} can't be pulled{said}"))
            }
            "CreateContainerError" | "CreateContainerConfigError" | "RunContainerError" => {
                State::Gone(format!("the container `{}` can't be started{}{said}", container.name, self.at()))
            }
            reason => State::Waits(format!("its pod is pending{}: {reason}{said}", self.at())),
        }
    }

    /// Why a pod has failed.
    fn failure(&self) -> String {
        let (status, at) = (&self.status, self.at());
        let said =
            |message: &str| if message.is_empty() { String::new() } else { format!(": {}", clean(message)) };
        if status.reason == "Evicted" {
            return format!("its pod was evicted{at}{}", said(&status.message));
        }
        if let Some(why) = status.condition("DisruptionTarget", "True") {
            return format!("its pod was removed{at}{}", said(&why.message));
        }
        match status.terminated() {
            Some((_, why)) => ended(why, &at),
            None => format!("its pod has failed{at}: {}{}", status.reason, said(&status.message)),
        }
    }
}

/// How a container ended, on this node.
fn ended(why: &Why, at: &str) -> String {
    let said = if why.message.is_empty() { String::new() } else { format!(": {}", clean(&why.message)) };
    match (why.reason.as_str(), why.exit_code) {
        ("OOMKilled", _) => format!(
            "it was killed{at} because it needed more memory than its pod may have (`limits` in [fleet.kubernetes])"
        ),
        (_, 137) => format!("it was killed{at}{said}"),
        ("StartError" | "ContainerCannotRun", _) => format!("it could not be started{at}{said}"),
        (_, code) => format!("it ended with {code}{at}{said}"),
    }
}

impl PodStatus {
    fn condition(&self, of: &str, status: &str) -> Option<&Condition> {
        self.conditions.iter().find(|one| one.r#type == of && one.status == status)
    }

    /// Whether its containers were ready when their node was last heard of, and the cluster has since counted them out.
    fn is_out_of_sight(&self) -> bool {
        self.condition("Ready", "False").is_some() && self.condition("ContainersReady", "True").is_some()
    }

    fn containers(&self) -> impl Iterator<Item = &Container> {
        self.init_container_statuses.iter().chain(&self.container_statuses)
    }

    /// The first container that has ended with a failure, and how.
    fn terminated(&self) -> Option<(&Container, &Why)> {
        let failed = |one: &&Why| one.exit_code != 0;
        self.containers().find_map(|one| Some((one, one.state.terminated.as_ref().filter(failed)?)))
    }
}

/// Whether a number is in a list like `0,2-4`.
fn is_among(index: usize, listed: &str) -> bool {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    listed.split(',').any(|part| match part.split_once('-') {
        Some((from, to)) => {
            number(from).zip(number(to)).is_some_and(|(from, to)| (from..=to).contains(&index))
        }
        None => number(part) == Some(index),
    })
}

/// A message of the cluster on one line.
fn clean(message: &str) -> String {
    tail(message.as_bytes()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line for each pod of a list that is still there.
pub fn pods_left(said: &str) -> Vec<String> {
    let items = serde_json::from_str::<List>(said).map(|list| list.items).unwrap_or_default();
    let pods = items.into_iter().filter_map(|item| serde_json::from_value::<Pod>(item).ok());
    let line = |pod: Pod| {
        format!(
            "pod {}{} is deleted, and has not ended yet: if its node does not answer, Kubernetes removes it when the node is back, and its agent ends by itself",
            pod.metadata.name,
            pod.at()
        )
    };
    pods.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What there is of the Job of a uid, of a list whose Job has the uid `u-1`.
    fn parse(said: &str, uid: &str) -> Found {
        let mut list: serde_json::Value = serde_json::from_str(said).unwrap();
        for item in list["items"].as_array_mut().unwrap() {
            item["metadata"]["uid"] = "u-1".into();
            item["metadata"]["ownerReferences"] = serde_json::json!([{"uid": "u-1", "controller": true}]);
        }
        Found::parse(&list.to_string(), uid).unwrap()
    }

    /// The states of two agents, as kubectl 1.34 told of their Job and its pods.
    fn states(said: &str, events: &str) -> [String; 2] {
        let found = parse(said, "u-1").with_events(events);
        [0, 1].map(|index| match found.state(index) {
            State::Waits(why) => format!("waits: {why}"),
            State::Runs => "runs".to_owned(),
            State::Gone(why) => format!("gone: {why}"),
        })
    }

    #[test]
    fn agents_run_where_their_pods_do_and_have_their_addresses() {
        let said = include_str!("recorded/running.json");
        assert_eq!(states(said, ""), ["runs", "runs"]);
        let found = parse(said, "u-1");
        let addresses = [0, 1].map(|index| found.address(index).unwrap().to_string());
        assert_eq!((found.pods(), addresses), (2, ["10.100.1.6".into(), "10.100.2.6".into()]));
        assert!(found.address(2).is_none());
    }

    #[test]
    fn what_has_the_label_and_is_of_another_job_counts_for_nothing() {
        let found = parse(include_str!("recorded/running.json"), "u-2");
        assert_eq!(
            (found.pods(), found.state(0)),
            (0, State::Gone("its job is gone from the cluster".into()))
        );
    }

    #[test]
    fn a_pod_that_does_not_start_says_why() {
        let [image, _] = states(include_str!("recorded/image.json"), "");
        assert!(
            image.starts_with("waits: the image nowhere.invalid/agent:1 can't be pulled: failed to pull"),
            "{image}"
        );
        let again = include_str!("recorded/image.json").replace("ErrImagePull", "ImagePullBackOff");
        assert!(states(&again, "")[0].starts_with("gone: the image"));
        let scheduled = "waits: no node takes its pod: 0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector";
        assert_eq!(states(include_str!("recorded/unschedulable.json"), "")[0], scheduled);
        let [started, _] = states(include_str!("recorded/not-started.json"), "");
        assert!(
            started.starts_with("gone: it could not be started on n2: ") && started.contains("/nothing"),
            "{started}"
        );
    }

    #[test]
    fn a_pod_that_is_refused_is_told_in_the_words_of_the_cluster() {
        let quota = states(include_str!("recorded/quota.json"), include_str!("recorded/quota-events.json"));
        assert_eq!(
            quota,
            [
                "runs",
                "waits: the cluster refuses its pod: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"
            ]
        );
        let rule =
            states(include_str!("recorded/refused.json"), include_str!("recorded/refused-events.json"));
        assert!(rule[0].starts_with("gone: the cluster refuses its pod: violates PodSecurity"), "{rule:?}");
        assert_eq!(states(include_str!("recorded/quota.json"), "")[1], "waits: the job has been created");
    }

    #[test]
    fn a_pod_that_is_lost_says_how() {
        let evicting = states(include_str!("recorded/evicting.json"), "");
        assert_eq!(evicting, ["gone: its pod is being removed on n1: Eviction API: evicting", "runs"]);
        let evicted = states(include_str!("recorded/evicted.json"), "");
        assert_eq!(
            evicted,
            ["gone: its pod was removed: evicted, preempted, or deleted by somebody", "runs"]
        );
        let [memory, _] = states(include_str!("recorded/memory.json"), "");
        assert!(memory.starts_with("gone: it was killed on n1 because it needed more memory"), "{memory}");
        let lost = states(include_str!("recorded/node-lost.json"), "");
        assert_eq!(lost, ["runs", "waits: its node does not answer: its pod is on n2"]);
        let over = states(include_str!("recorded/deadline.json"), "");
        assert!(over[0].contains("its time was over"), "{over:?}");
        let none = states("{\"items\": []}", "");
        assert_eq!(none[0], "gone: its job is gone from the cluster");
        assert!(Found::parse("no", "u-1").is_err());
    }

    #[test]
    fn indexes_are_listed_as_numbers_and_ranges() {
        assert!(is_among(3, "0,2-4") && is_among(0, "0,2-4") && !is_among(1, "0,2-4") && !is_among(0, ""));
    }

    #[test]
    fn a_pod_that_is_left_is_told_with_its_node() {
        let left = pods_left(include_str!("recorded/node-lost.json"));
        assert!(
            left.iter().any(|line| line.starts_with("pod wiredyno-agents-node-1-9dwtw on n2 is deleted")),
            "{left:?}"
        );
    }
}
