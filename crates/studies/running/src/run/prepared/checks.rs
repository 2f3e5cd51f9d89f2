//! What a run is refused for: a folder that can't be made, links and hosts that don't fit together, modes that no transport has.

use std::path::Path;

use wiredyno_contract::LinkId;
use wiredyno_model::{Cell, Known, Place, Refusal};
use wiredyno_planning::study::Refused;
use wiredyno_seats::serving::transport_for;

use crate::run::{PrepareError, RunRequest};

/// Checks that a folder can be created there.
pub(super) fn check_place(folder: &Path) -> Result<(), PrepareError> {
    let refused = |why: String| Err(Refused(format!("{}: {why}", folder.display())).into());
    let whole = std::path::absolute(folder)
        .map_err(|source| PrepareError::Place { folder: folder.to_owned(), source })?;
    let Some(stands) = whole.ancestors().find(|path| path.exists()) else { return Ok(()) };
    if !stands.is_dir() {
        return refused(format!("{} is not a folder: name another one with --out", stands.display()));
    }
    match nix::unistd::access(stands, nix::unistd::AccessFlags::W_OK) {
        Ok(()) => Ok(()),
        Err(error) => refused(format!(
            "no folder can be made in {} ({}): name another one with --out",
            stands.display(),
            error.desc()
        )),
    }
}

/// Refuses a run whose links and hosts don't fit together: agents talk over the existing network.
pub(super) fn check_agents(request: &RunRequest, cells: &[Cell]) -> Result<(), String> {
    let real = LinkId::REAL;
    let Some(agents) = &request.agents else {
        if cells.iter().any(|cell| cell.link.is_real()) {
            return Err(format!(
                "the link `{real}` is the network between agents: name them with --agents FILE (docs/AGENTS.md), or choose another link with --set \
                 link=..."
            ));
        }
        return Ok(());
    };
    if let Some(cell) = cells.iter().find(|cell| !cell.link.is_real()) {
        return Err(format!(
            "with --agents, hosts are machines, which talk over the network between them, not over the link `{}`: write link = [\"{real}\"] in the \
             study's [axes], or add --set link={real}",
            cell.link
        ));
    }
    if request.written.capture {
        let none = "--capture keeps the packets of an emulated link, and with --agents there is none: capture on the machines themselves";
        return Err(none.to_owned());
    }
    if agents.hosts.is_empty() {
        return Err("the file of --agents has no agent for any host: write one in [hosts]".to_owned());
    }
    let runners = request.study.load.as_ref().map_or(1, |load| load.publisher_runners);
    let publishing = agents.hosts.get(&request.study.hosts.publisher).copied();
    if let Some(several) =
        publishing.filter(|agents| *agents > 1 && !(runners as usize).is_multiple_of(*agents))
    {
        return Err(format!(
            "publishers run on {several} agents, each with equally many runners: write publisher_runners = {several} in [load], or a multiple of it, instead of {runners}"
        ));
    }
    Ok(())
}

/// Refuses modes that no transport has.
pub(super) fn check_modes(known: &Known, cells: &[Cell]) -> Result<(), Refusal> {
    for cell in cells {
        let mode = &cell.mode;
        let refuse =
            |problem: String| Err(Refusal::at(Place::of_axis("mode").word(&mode.to_string()), problem));
        let Some(transport) = transport_for(known, mode) else {
            let of_protocol =
                known.transports.iter().filter(|transport| transport.id.protocol == mode.protocol);
            let clients: Vec<String> = of_protocol.map(|transport| format!("`{}`", transport.id)).collect();
            if let (Some(named), false) = (&mode.implementation, clients.is_empty()) {
                let known = clients.join(", ");
                return refuse(format!("`{mode}`: {} has no client `{named}`, only {known}", mode.protocol));
            }
            let known = known.transports.iter().map(|transport| transport.id.protocol.as_str());
            let hint = match wiredyno_contract::nearest(&mode.protocol, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`wiredyno list protocols` shows what there is".to_owned(),
            };
            return refuse(format!("there is no protocol `{}`; {hint}", mode.protocol));
        };
        let settings: Vec<&str> = transport.settings.iter().map(|setting| setting.name.as_str()).collect();
        match mode.setting.as_deref() {
            None if settings.is_empty() => {}
            Some(setting) if settings.contains(&setting) => {}
            _ if settings.is_empty() => {
                return refuse(format!("`{mode}`: {} has only one mode, write `{0}`", mode.protocol));
            }
            _ => {
                return refuse(format!(
                    "`{mode}` is not a mode of {}: write one of {}",
                    mode.protocol,
                    modes(&mode.protocol, &settings)
                ));
            }
        }
    }
    Ok(())
}

fn modes(protocol: &str, settings: &[&str]) -> String {
    settings.iter().map(|setting| format!("`{protocol}:{setting}`")).collect::<Vec<_>>().join(", ")
}
