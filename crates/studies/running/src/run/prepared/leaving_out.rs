//! What a run leaves out, with the reason: what this machine lacks, what can not be compiled, what exceeds the time.

use std::collections::BTreeSet;

use wiredyno_build::BuildError;
use wiredyno_contract::{CodecId, PayloadId, Security, Span};
use wiredyno_model::{Cell, CodecCell};
use wiredyno_payloads::Payload;
use wiredyno_planning::left_out::{LeftOut, MAX_TIME, Part, Reason};
use wiredyno_planning::resume::Asked;
use wiredyno_planning::stock::Stock;
use wiredyno_planning::study::Refused;
use wiredyno_seats::serving::{Served, choose, security_of};

use super::super::{PrepareError, PreparedRun};
use super::super::{agents, clients, sizes};
use super::{Lacking, hosts_of, is_direct, is_peer, lacking, take_out_without_records, uses};

impl PreparedRun {
    /// Removes repeats, then cells, until the rest, with the compilation that it needs before, fits into that time, and notes what was
    /// removed. `passed` is the time already spent on compiling.
    ///
    /// # Errors
    /// When not even one trial of one cell fits, or the cache can't be read.
    pub fn keep_within(&mut self, most: Span, passed: Span, stock: &Stock) -> Result<(), PrepareError> {
        let (whole_ns, repeats) = (self.estimate_ns(), self.request.study.trials.repeats);
        let mut before_ns = self.compiling_ns(stock)?.saturating_add(passed.ns);
        if whole_ns.saturating_add(before_ns) <= most.ns {
            return Ok(());
        }
        let compiles = before_ns > passed.ns;
        let mut left = repeats;
        while left > 1 && self.estimate_ns() + before_ns > most.ns {
            let for_trials = most.ns.saturating_sub(before_ns);
            let fitting = u128::from(left) * u128::from(for_trials) / u128::from(self.estimate_ns().max(1));
            left = u32::try_from(fitting).unwrap_or(left).clamp(1, left - 1);
            self.plan.trials.retain(|trial| trial.repeat < left);
            self.plan.codec_trials.retain(|trial| trial.repeat < left);
        }
        self.request.study.trials.repeats = left;
        // There is no time for further rounds.
        self.request.study.trials.until = None;
        let (why, mut out) = (format!("{MAX_TIME} {most}"), 0);
        while self.estimate_ns() + before_ns > most.ns {
            let Some(part) = self.plan.last_of_all() else { break };
            self.plan.leave_out(&part, Reason::NoTime(most));
            out += 1;
            if compiles {
                before_ns = self.compiling_ns(stock)?.saturating_add(passed.ns);
            }
        }
        if self.plan.trials.is_empty() && self.plan.codec_trials.is_empty() {
            let told = Span { ns: whole_ns / u64::from(repeats.max(1)) }.rounded();
            let compiling = match (passed.ns, compiles) {
                (0, false) => String::new(),
                (0, true) => {
                    "; runners have to be compiled first: `wiredyno build STUDY` does that ahead".to_owned()
                }
                _ => format!("; compiling took {}, and is done", passed.rounded()),
            };
            return Err(Refused(format!(
                "{why}: not even one trial fits; one repeat of all cells would take about {told}{compiling}"
            ))
            .into());
        }
        let cells = if out > 0 { format!(", and {out} cells are left out") } else { String::new() };
        self.notes.push(format!(
            "{why}: {left} of {repeats} repeats are run{cells}; it takes about {} instead of {}.",
            Span { ns: self.estimate_ns() }.rounded(),
            Span { ns: whole_ns }.rounded()
        ));
        Ok(())
    }

    /// Leaves out again what did not fit into the time when the run was requested.
    pub fn leave_out_as(&mut self, asked: &Asked) {
        for LeftOut { part, reason } in &asked.left_out {
            if matches!(reason, Reason::NoTime(_)) {
                self.plan.leave_out(part, reason.clone());
            }
        }
    }

    /// Chooses the servers, and leaves out the cells for which this machine lacks something.
    #[expect(
        clippy::too_many_lines,
        reason = "the reasons for leaving out cells, in the order in which they take precedence"
    )]
    pub(super) fn take_out_what_cannot_be_run(&mut self) -> Result<(), PrepareError> {
        let PreparedRun { request, known, payloads, plan, notes, .. } = self;
        if let Err(missing) = &request.sandbox.rights().network_namespaces
            && plan.without(|cell| cell.link.is_emulated(), &Reason::NoLink(missing.to_string()))
        {
            notes.push(format!("No link can be emulated on this machine: {missing}."));
        }
        for Lacking { transport, encrypted, lack } in lacking(known, &plan.cells) {
            let of = |cell: &Cell| !encrypted || !security_of(cell, known).is_none();
            plan.without(
                |cell| uses(known, cell, &transport) && of(cell),
                &Reason::NotCompiled(lack.clone()),
            );
            let what =
                match known.transports.iter().filter(|other| other.id.protocol == transport.protocol).count()
                {
                    1 => transport.protocol.clone(),
                    _ => transport.to_string(),
                };
            let how = if encrypted { " encrypted" } else { "" };
            notes.push(format!("Nothing was sent{how} over {what}: {lack}."));
        }
        let stays_on_one_host = |cell: &Cell| {
            let hosts = hosts_of(known, request.study.hosts, cell);
            let is_straight = is_peer(cell) || is_direct(known, cell);
            is_straight && hosts.publisher == hosts.subscriber && !cell.link.is_loopback()
        };
        plan.without(stays_on_one_host, &Reason::OneHost);
        if let Some(load) = &request.study.load {
            clients::check_descriptors(load, &plan.cells)?;
            let mut out = clients::impossible(&request.study, load, &plan.cells, known);
            out.extend(sizes::too_large(&request.study, load, payloads, &plan.cells, known)?);
            for (cell, reason) in out {
                plan.without(|other| *other == cell, &reason);
            }
        }
        take_out_without_records(plan, known, notes);
        let wanted: BTreeSet<_> = plan.cells.iter().map(Served::from).collect();
        let (servings, unserved) = choose(known, &request.external, request.study.security.login, wanted)?;
        for (of, lack) in unserved {
            plan.without(|cell| Served::from(cell) == of, &Reason::Unserved(lack.clone()));
            let by = of.broker.as_ref().map_or_else(String::new, |broker| format!(" by {broker}"));
            let with = of.security.filter(|security| !security.is_none());
            let with = with.map_or_else(String::new, |security| format!(" with {security}"));
            notes.push(format!("Nothing was sent over {}{by}{with}: {lack}.", of.protocol));
        }
        let encrypted: BTreeSet<&str> = plan
            .cells
            .iter()
            .map(|cell| security_of(cell, known))
            .filter(|security| !security.is_none())
            .map(Security::word)
            .collect();
        if !encrypted.is_empty() {
            let words: Vec<&str> = encrypted.into_iter().collect();
            notes.push(format!(
                "Encrypted packets can't be read: with {}, bytes are not split by purpose, and it is unknown when a message was at \
                 the broker.",
                words.join(", ")
            ));
        }
        if let Some(agents) = &request.agents {
            for (cell, why) in agents::impossible(agents, &request.study, &plan.cells, known) {
                let told = format!("{cell} can't be run on agents: {why}.");
                plan.without(|other| *other == cell, &Reason::Agents(why));
                notes.push(told);
            }
        }
        self.servings = servings;
        Ok(())
    }

    /// Leaves out the cells of codecs that can't be compiled.
    ///
    /// # Errors
    /// When the error is another one, or nothing is left.
    pub(super) fn leave_out_not_compiled(&mut self, error: BuildError) -> Result<(), BuildError> {
        let BuildError::LeftOut(left_out) = error else { return Err(error) };
        for one in &left_out {
            let reason = Reason::NotCarried(one.reason.clone());
            let of_definition = self.payloads.iter().filter(|own| own.definition_digest() == one.definition);
            let payloads: Vec<&PayloadId> = of_definition.map(Payload::id).collect();
            let its: Option<CodecId> = one.codec.parse().ok();
            let is_out = |codec: &CodecId, payload: &PayloadId| {
                Some(codec) == its.as_ref() && payloads.contains(&payload)
            };
            self.plan.without(|cell| is_out(&cell.codec, &cell.payload), &reason);
            let trials = self.plan.codec_trials.iter().map(|trial| &trial.cell);
            let mut cells: Vec<CodecCell> =
                trials.filter(|cell| is_out(&cell.codec, &cell.payload)).cloned().collect();
            cells.dedup();
            for cell in cells {
                if self.plan.codec_trials.iter().any(|trial| trial.cell == cell) {
                    self.plan.leave_out(&Part::Codec(cell), reason.clone());
                }
            }
            self.notes.push(format!("{one}."));
        }
        if self.plan.trials.is_empty() && self.plan.codec_trials.is_empty() {
            return Err(BuildError::LeftOut(left_out));
        }
        Ok(())
    }
}
