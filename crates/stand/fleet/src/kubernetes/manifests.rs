//! What is created in the cluster: a kustomize folder, bundled or the user's own, and a layer above it with what differs from one run to the next.

use std::io;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};
use wiredyno_contract::Span;

use super::Kubernetes;

/// The bundled folder: names of files, and what is in them.
pub const BUNDLED: [(&str, &str); 2] = [
    ("kustomization.yaml", include_str!("../../manifests/kustomization.yaml")),
    ("job.yaml", include_str!("../../manifests/job.yaml")),
];

/// The label that everything of one fleet has, with the eight letters that are drawn for it.
pub const LABEL: &str = "wiredyno-fleet";

/// The label by which pods are spread over the nodes, in the bundled folder.
pub(super) const NAME: &str = "app.kubernetes.io/name";

/// The folder of a pod where the invitations are, and the file there.
const MOUNTED: &str = "/run/wiredyno";
const INVITATIONS: &str = "invitations";

/// How long the job may exist if the file doesn't say.
const TIME: Span = Span::from_s(24 * 3600);

/// Writes the bundled folder.
///
/// # Errors
/// When one of its files exists or can't be written; the error names it.
pub fn write(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, text) in BUNDLED {
        let path = folder.join(name);
        let at = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mut file = std::fs::File::create_new(&path).map_err(at)?;
        io::Write::write_all(&mut file, text.as_bytes()).map_err(at)?;
    }
    Ok(())
}

/// Writes the layer for one fleet into an empty folder, of which kubectl is then given the path.
///
/// # Errors
/// When a folder can't be read or written.
pub(super) fn layer(of: &Kubernetes, drawn: &str, patience: Span, folder: &Path) -> io::Result<()> {
    let folder = folder.canonicalize()?;
    let below = match &of.manifests {
        Some(own) => {
            let at = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", own.display()));
            relative(&folder, &own.canonicalize().map_err(at)?)
        }
        None => {
            write(&folder.join("bundled"))?;
            PathBuf::from("bundled")
        }
    };
    let text = serde_json::to_vec_pretty(&kustomization(of, drawn, patience, &below))?;
    // JSON is YAML.
    std::fs::write(folder.join("kustomization.yaml"), text)
}

/// The path of a folder as seen from another; kustomize takes no absolute ones. Both are absolute and have no symbolic links.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let up =
        from.components().filter(|one| matches!(one, Component::Normal(_))).map(|_| Component::ParentDir);
    up.chain(to.components().filter(|one| matches!(one, Component::Normal(_)))).collect()
}

fn kustomization(of: &Kubernetes, drawn: &str, patience: Span, below: &Path) -> Value {
    let mut labels = of.labels.clone();
    labels.insert(LABEL.to_owned(), drawn.to_owned());
    json!({
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [below],
        "nameSuffix": format!("-{drawn}"),
        "labels": [{"pairs": labels, "includeTemplates": true}],
        "patches": [{"target": {"kind": "Job"}, "patch": job(of, drawn, patience).to_string()}],
    })
}

/// What the Job gets, merged into what the folder says.
fn job(of: &Kubernetes, drawn: &str, patience: Span) -> Value {
    let arguments = [
        "agent",
        &format!("{MOUNTED}/{INVITATIONS}"),
        "--indexed",
        "--name",
        "agent",
        "--label",
        "node=$(NODE_NAME)",
        "--patience",
        &patience.to_string(),
    ];
    let mut agent = json!({"name": "agent", "image": of.image, "args": arguments});
    let resources: serde_json::Map<String, Value> = [("requests", &of.requests), ("limits", &of.limits)]
        .into_iter()
        .filter(|(_, of)| !of.is_empty())
        .map(|(name, of)| (name.to_owned(), json!(of)))
        .collect();
    if !resources.is_empty() {
        agent["resources"] = Value::Object(resources);
    }
    let mut pod = json!({
        "containers": [agent],
        "volumes": [{
            "name": "invitations",
            // Octal 440: for the user and the group that the pod runs as.
            "secret": {"secretName": secret_name(drawn), "defaultMode": 0o440},
        }],
    });
    if of.host_network {
        pod["hostNetwork"] = json!(true);
    }
    if !of.node_selector.is_empty() {
        pod["nodeSelector"] = json!(of.node_selector);
    }
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        // Which one is patched is said by the target.
        "metadata": {"name": "any"},
        "spec": {
            "parallelism": of.agents,
            "completions": of.agents,
            "maxFailedIndexes": of.agents,
            "activeDeadlineSeconds": of.time.unwrap_or(TIME).ns.div_ceil(1_000_000_000),
            "template": {"spec": pod},
        },
    })
}

/// The name of the Secret of a fleet.
pub(super) fn secret_name(drawn: &str) -> String {
    format!("wiredyno-agents-{drawn}")
}

/// The Job as an owner: the cluster removes what it owns with it.
fn owner((job, uid): (&str, &str)) -> Value {
    json!({"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": uid})
}

/// Objects that end with their fleet's Job, whose name and uid these are, beside what owns them already.
pub(super) fn owned(mut objects: Vec<Value>, job: (&str, &str)) -> Vec<Value> {
    for object in &mut objects {
        match &mut object["metadata"]["ownerReferences"] {
            Value::Array(owners) => owners.push(owner(job)),
            none => *none = json!([owner(job)]),
        }
    }
    objects
}

/// The Secret with a fleet's invitations. It ends with its Job, whose name and uid these are.
pub(super) fn secret(drawn: &str, (job, uid): (&str, &str), invitations: &[String]) -> Value {
    let lines: String = invitations.iter().map(|line| format!("{line}\n")).collect();
    let owner = owner((job, uid));
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": secret_name(drawn),
            "labels": {LABEL: drawn},
            "ownerReferences": [owner],
        },
        "stringData": {INVITATIONS: lines},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str) -> Kubernetes {
        toml::from_str(&format!("agents = 3\nimage = \"registry/wiredyno:1\"\n{text}")).unwrap()
    }

    #[test]
    fn the_layer_has_what_the_file_says_and_nothing_that_it_does_not() {
        let plain = kustomization(&section(""), "0a1b2c3d", Span::from_s(60), Path::new("bundled"));
        assert_eq!(plain["resources"], json!(["bundled"]));
        assert_eq!(plain["nameSuffix"], "-0a1b2c3d");
        let job: Value = serde_json::from_str(plain["patches"][0]["patch"].as_str().unwrap()).unwrap();
        let spec = &job["spec"];
        assert_eq!(
            [&spec["parallelism"], &spec["completions"], &spec["maxFailedIndexes"]],
            [&json!(3), &json!(3), &json!(3)]
        );
        assert_eq!(spec["activeDeadlineSeconds"], 86_400);
        let pod = &spec["template"]["spec"];
        assert!(pod.get("hostNetwork").is_none() && pod.get("nodeSelector").is_none());
        assert!(pod["containers"][0].get("resources").is_none());
        let full = section(
            "host_network = true\ntime = \"90s\"\nrequests = { cpu = \"2\" }\nlimits = { memory = \"1Gi\" }\n[labels]\nqueue = \"bench\"\n[node_selector]\ndisk = \"ssd\"\n",
        );
        let layer = kustomization(&full, "0a1b2c3d", Span::from_s(60), Path::new("../x"));
        assert_eq!(layer["labels"][0]["pairs"], json!({"queue": "bench", "wiredyno-fleet": "0a1b2c3d"}));
        let job: Value = serde_json::from_str(layer["patches"][0]["patch"].as_str().unwrap()).unwrap();
        assert_eq!(job["spec"]["activeDeadlineSeconds"], 90);
        let pod = &job["spec"]["template"]["spec"];
        assert_eq!((&pod["hostNetwork"], &pod["nodeSelector"]), (&json!(true), &json!({"disk": "ssd"})));
        assert_eq!(
            pod["containers"][0]["resources"],
            json!({"requests": {"cpu": "2"}, "limits": {"memory": "1Gi"}})
        );
    }

    #[test]
    fn a_folder_is_written_once_and_found_from_elsewhere() {
        let desk = tempfile::tempdir().unwrap();
        let own = desk.path().join("own");
        write(&own).unwrap();
        let again = write(&own).unwrap_err().to_string();
        assert!(again.contains("kustomization.yaml"), "{again}");
        let of = Kubernetes { manifests: Some(own.clone()), ..section("") };
        let folder = desk.path().join("layer");
        std::fs::create_dir(&folder).unwrap();
        layer(&of, "0a1b2c3d", Span::from_s(60), &folder).unwrap();
        let text = std::fs::read(folder.join("kustomization.yaml")).unwrap();
        let written: Value = serde_json::from_slice(&text).unwrap();
        let found = folder.canonicalize().unwrap().join(written["resources"][0].as_str().unwrap());
        assert_eq!(found.canonicalize().unwrap(), own.canonicalize().unwrap());
        let none = Kubernetes { manifests: Some(desk.path().join("none")), ..section("") };
        let error = layer(&none, "0a1b2c3d", Span::from_s(60), &folder).unwrap_err().to_string();
        assert!(error.contains("none"), "{error}");
    }

    #[test]
    fn invitations_are_lines_of_a_secret_that_ends_with_its_job() {
        let made = secret("0a1b2c3d", ("wiredyno-agents-0a1b2c3d", "u-1"), &["one".into(), "two".into()]);
        assert_eq!(made["stringData"]["invitations"], "one\ntwo\n");
        assert_eq!(made["metadata"]["ownerReferences"][0]["uid"], "u-1");
    }

    #[test]
    fn what_the_manifests_have_ends_with_the_job_and_keeps_its_other_owners() {
        let plain = json!({"kind": "ConfigMap", "metadata": {"name": "c"}});
        let has_one = json!({"kind": "Role", "metadata": {"name": "r", "ownerReferences": [{"uid": "u-0"}]}});
        let owned = owned(vec![plain, has_one], ("j", "u-1"));
        let job = json!({"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u-1"});
        assert_eq!(owned[0]["metadata"]["ownerReferences"], json!([job]));
        assert_eq!(owned[1]["metadata"]["ownerReferences"], json!([{"uid": "u-0"}, job]));
    }
}
