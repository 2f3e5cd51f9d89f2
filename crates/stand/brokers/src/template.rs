//! Placeholders in arguments, environments and files: `{folder}`, `{address}`, `{port}`, `{port.NAME}`, `{user}`, `{library}`,
//! `{node}`, `{list.NAME}`; `{security.NAME}` and `{access.NAME}`, the texts of its security and access; and, of the run's credentials, the files
//! `{ca}`, `{certificate}`, `{key}`, `{both}` (key and certificate), `{psk_file}` and `{password_file}`, and the words `{login.user}`, `{login.password}`,
//! `{psk.identity}` and `{psk}`. Other text in braces stays as it is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::definition::Broker;
use crate::secured::Manner;

/// What is known of one node before it starts.
pub(crate) struct Node {
    pub folder: PathBuf,
    pub address: String,
    /// In the order of the broker's port names.
    pub ports: Vec<u16>,
    pub number: u32,
    pub library: Option<PathBuf>,
    pub user: String,
    pub manner: Manner,
}

impl Node {
    /// Fills in all placeholders except lists.
    pub(crate) fn fill(&self, broker: &Broker, text: &str) -> String {
        let library = self.library.as_ref().map_or_else(String::new, |path| path.display().to_string());
        let first = self.ports.first().map_or_else(String::new, u16::to_string);
        // These texts may have placeholders themselves, so they come first.
        let text =
            self.manner.values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
        let mut filled = text
            .replace("{folder}", &self.folder.display().to_string())
            .replace("{address}", &self.address)
            .replace("{port}", &first)
            .replace("{user}", &self.user)
            .replace("{library}", &library)
            .replace("{node}", &self.number.to_string());
        for (name, port) in broker.ports.iter().zip(&self.ports) {
            filled = filled.replace(&format!("{{port.{name}}}"), &port.to_string());
        }
        filled
    }
}

/// The lists of a broker, each filled in for every node and joined by commas.
pub(crate) fn lists(broker: &Broker, nodes: &[Node]) -> BTreeMap<String, String> {
    let joined =
        |text: &String| nodes.iter().map(|node| node.fill(broker, text)).collect::<Vec<_>>().join(",");
    broker.lists.iter().map(|(name, text)| (name.clone(), joined(text))).collect()
}

/// Fills in all placeholders, lists included.
pub(crate) fn fill(broker: &Broker, node: &Node, lists: &BTreeMap<String, String>, text: &str) -> String {
    let mut filled = node.fill(broker, text);
    for (name, list) in lists {
        filled = filled.replace(&format!("{{list.{name}}}"), list);
    }
    filled
}
