//! Where commands about a fleet go: all of them to the same place, whatever becomes of the user's configuration and working folder.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Kubernetes;
use crate::command::{Input, answer, typed};
use crate::{FleetError, differs};

/// How long a command of kubectl may take that creates nothing.
const LIMIT: Duration = Duration::from_secs(20);

/// The environment variable with the paths of configurations.
const KUBECONFIG: &str = "KUBECONFIG";

/// The options of kubectl whose value is a path.
const PATHS: [&str; 5] =
    ["--kubeconfig", "--certificate-authority", "--client-certificate", "--client-key", "--cache-dir"];

/// A namespace of a cluster, as kubectl is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    /// None where there is no configuration, as in a pod.
    context: Option<String>,
    /// None as long as neither the file nor a configuration says it.
    pub namespace: Option<String>,
    pub options: Vec<String>,
    /// Absolute paths, separated by colons.
    kubeconfig: Option<String>,
}

impl Cluster {
    /// What the section of a file says, with the context and the namespace that the configuration has now.
    ///
    /// # Errors
    /// When kubectl can't be started, or the context does not exist.
    pub fn of(section: &Kubernetes) -> Result<Self, FleetError> {
        let mut cluster = Self::said(section)?;
        match cluster.asked("config", &["view", "--minify", "-o", "json"]) {
            Ok(said) => {
                let (context, namespace) = current(&said)?;
                cluster.context = cluster.context.or(context);
                cluster.namespace = cluster.namespace.or(namespace);
            }
            // There is none, as in a pod.
            Err(FleetError::Failed { said, .. })
                if section.context.is_none() && said.contains("current-context") => {}
            Err(error) => return Err(error),
        }
        Ok(cluster)
    }

    /// What the section of a file and the environment say, without a configuration.
    fn said(section: &Kubernetes) -> Result<Self, FleetError> {
        let here = std::env::current_dir()
            .map_err(|source| FleetError::Start { what: "this folder".to_owned(), source })?;
        let kubeconfig = std::env::var(KUBECONFIG).ok();
        Ok(Cluster {
            context: section.context.clone(),
            namespace: section.namespace.clone(),
            options: absolute(&here, &section.options),
            kubeconfig: kubeconfig.map(|paths| all_absolute(&here, &paths)),
        })
    }

    /// In what it differs from a section and the environment. Where the section leaves context or namespace to the configuration, this has what that said then.
    pub fn differs(&self, section: &Kubernetes) -> Result<Option<String>, FleetError> {
        Ok(self.differs_from(&Self::said(section)?))
    }

    fn differs_from(&self, said: &Self) -> Option<String> {
        let of = |key: &str, says: &Option<String>, left: &Option<String>| {
            says.as_ref().and_then(|says| differs(key, (&Some(says), left)))
        };
        of("context", &said.context, &self.context)
            .or_else(|| of("namespace", &said.namespace, &self.namespace))
            .or_else(|| differs("options", (&said.options, &self.options)))
            .or_else(|| differs(KUBECONFIG, (&said.kubeconfig, &self.kubeconfig)))
    }

    /// The same cluster with another namespace.
    pub fn in_namespace(&self, namespace: Option<String>) -> Self {
        Cluster { namespace, ..self.clone() }
    }

    /// The options in front of all words.
    fn words(&self, words: &[&str]) -> Vec<String> {
        let named = [("context", &self.context), ("namespace", &self.namespace)];
        let named =
            named.iter().filter_map(|(option, value)| Some(format!("--{option}={}", value.as_ref()?)));
        named.chain(self.options.iter().cloned()).chain(words.iter().map(|word| (*word).to_owned())).collect()
    }

    /// A command of kubectl.
    pub fn kubectl(&self, words: &[&str]) -> Command {
        let mut command = Command::new("kubectl");
        command.args(self.words(words));
        match &self.kubeconfig {
            Some(paths) => command.env(KUBECONFIG, paths),
            None => command.env_remove(KUBECONFIG),
        };
        command
    }

    /// The same as a line that the user can type.
    pub fn line(&self, words: &[&str]) -> String {
        let paths = self.kubeconfig.iter().map(|paths| format!("{KUBECONFIG}={paths}"));
        let words: Vec<String> =
            paths.chain(std::iter::once("kubectl".to_owned())).chain(self.words(words)).collect();
        typed(&words)
    }

    /// What kubectl answers.
    pub fn asked(&self, verb: &str, words: &[&str]) -> Result<String, FleetError> {
        let mut command = self.kubectl(&[&[verb], words].concat());
        answer(&format!("kubectl {verb}"), &mut command, Input(&[]), LIMIT, &|| false)
    }
}

/// The current context and its namespace, as `kubectl config view --minify` says them.
fn current(said: &str) -> Result<(Option<String>, Option<String>), FleetError> {
    let view: Value = serde_json::from_str(said).map_err(|error| FleetError::Answer {
        what: "kubectl config view".to_owned(),
        said: error.to_string(),
    })?;
    let text = |of: &Value| of.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    Ok((text(&view["current-context"]), text(&view["contexts"][0]["context"]["namespace"])))
}

/// Whether an option says what `context` and `namespace` of the section do.
pub fn is_place(word: &str) -> bool {
    matches!(word.split('=').next(), Some("--context" | "--namespace"))
        || word.starts_with("-n") && !word.starts_with("--")
}

/// Whether an option has a secret as its value, which others on this machine could read in the command line.
pub fn is_secret(word: &str) -> bool {
    matches!(word.split('=').next(), Some("--token" | "--password"))
}

/// The options with absolute paths.
fn absolute(here: &Path, options: &[String]) -> Vec<String> {
    let mut is_path = false;
    let one = |word: &String| {
        let (option, value) = word.split_once('=').map_or((word.as_str(), None), |(a, b)| (a, Some(b)));
        let was_path = std::mem::replace(&mut is_path, value.is_none() && PATHS.contains(&option));
        match value {
            _ if was_path => here.join(word).display().to_string(),
            Some(value) if PATHS.contains(&option) => format!("{option}={}", here.join(value).display()),
            _ => word.clone(),
        }
    };
    options.iter().map(one).collect()
}

/// Paths that are separated by colons, as absolute ones. One that is empty says nothing.
fn all_absolute(here: &Path, paths: &str) -> String {
    let all = paths.split(':').filter(|path| !path.is_empty());
    all.map(|path| here.join(path).display().to_string()).collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_goes_to_the_same_place_from_anywhere() {
        let options =
            ["--kubeconfig", "cluster.conf", "--client-key=k.pem", "--as", "me", "--cache-dir", "/c"];
        let options = absolute(Path::new("/work"), &options.map(String::from));
        assert_eq!(
            options.join(" "),
            "--kubeconfig /work/cluster.conf --client-key=/work/k.pem --as me --cache-dir /c"
        );
        assert_eq!(all_absolute(Path::new("/work"), "a:/b::../c"), "/work/a:/b:/work/../c");
        let cluster = Cluster {
            context: Some("my cluster".into()),
            namespace: Some("bench".into()),
            options: vec!["--as=me".into()],
            kubeconfig: Some("/work/a".into()),
        };
        assert_eq!(
            cluster.line(&["get", "jobs"]),
            "KUBECONFIG=/work/a kubectl '--context=my cluster' --namespace=bench --as=me get jobs"
        );
        assert!(["--context=x", "--namespace", "-n", "-nx"].into_iter().all(is_place));
        assert!(!["--kubeconfig", "--as=-n", "x"].into_iter().any(is_place));
    }

    #[test]
    fn a_cluster_that_a_file_does_not_name_is_another_one() {
        let of = |context: Option<&str>, options: &[&str], kubeconfig: Option<&str>| Cluster {
            context: context.map(str::to_owned),
            namespace: Some("bench".into()),
            options: options.iter().map(|word| (*word).to_owned()).collect(),
            kubeconfig: kubeconfig.map(str::to_owned),
        };
        let left = of(Some("east"), &["--as=me"], Some("/c"));
        assert_eq!(left.differs_from(&left), None);
        assert_eq!(left.differs_from(&of(None, &["--as=me"], Some("/c"))), None, "it was the current one");
        let differs = |said: &Cluster| left.differs_from(said).unwrap();
        assert!(differs(&of(Some("west"), &["--as=me"], Some("/c"))).starts_with("`context` is now"));
        assert!(differs(&of(None, &[], Some("/c"))).starts_with("`options` is now [], and was"));
        assert!(differs(&of(None, &["--as=me"], None)).starts_with("`KUBECONFIG` is now None, and was"));
        assert!(is_secret("--token=x") && is_secret("--password") && !is_secret("--token-file"));
    }

    #[test]
    fn the_configuration_says_where_a_fleet_is() {
        let said = "{\"contexts\": [{\"name\": \"east\", \"context\": {\"cluster\": \"c\", \"namespace\": \"bench\"}}], \"current-context\": \"east\"}";
        assert_eq!(current(said).unwrap(), (Some("east".into()), Some("bench".into())));
        assert_eq!(current("{\"contexts\": null, \"current-context\": \"\"}").unwrap(), (None, None));
        assert!(current("no").is_err());
    }
}
