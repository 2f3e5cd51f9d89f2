//! The results of a run: its summary, from its trials.

use std::collections::BTreeMap;

use wiredyno_conducting::observe::{EXACT_MESSAGES, Observed, codec_value};
use wiredyno_contract::{LinkId, TransportDescription};
use wiredyno_model::CodecCell;
use wiredyno_model::metric::Scope;
use wiredyno_model::summary::{Environment, RunInfo, SUMMARY_SCHEMA, Summary};
use wiredyno_model::trial::CodecTrialRecord;
use wiredyno_planning::left_out::LeftOut;
use wiredyno_seats::noise;
use wiredyno_seats::serving::transport_for;
use wiredyno_store::{RunFolder, RunRecords};

use super::{PreparedRun, RunError};
use crate::summarise;

impl PreparedRun {
    /// Works cell by cell, so that the values of single messages and batches are in memory for one cell at a time.
    #[expect(
        clippy::too_many_lines,
        reason = "the fields of a summary in order, from one pass over the trials"
    )]
    pub(super) fn summary(
        &self,
        run: RunInfo,
        environment: Environment,
        folder: &RunFolder,
        trials: &RunRecords,
    ) -> Result<Summary, RunError> {
        let study = &self.request.study;
        let seed = study.trials.seed;
        let (message_rule, codec_rule) = (self.rule(Scope::Message), self.rule(Scope::Codec));
        let cells = self.plan.cells.iter().map(|cell| {
            let hosts = self.hosts_of(cell);
            let of_cell = || trials.messages.iter().filter(|record| record.cell == *cell);
            let exact = of_cell().map(|record| record.delivery.sent).sum::<u64>() <= EXACT_MESSAGES;
            let of_cell: Vec<Observed<'_>> =
                of_cell().map(|record| Observed::of(folder, record, exact)).collect::<Result<_, _>>()?;
            let stopped = message_rule.as_ref().and_then(|rule| {
                let valid: Vec<&Observed<'_>> =
                    of_cell.iter().filter(|trial| trial.record.is_complete()).collect();
                rule.outcome(&summarise::stop_values(&valid, &rule.metric, &hosts), run.complete)
            });
            Ok::<_, RunError>(summarise::message_cell(cell, &of_cell, &hosts, seed, stopped))
        });
        let mut codec_cells: Vec<_> =
            self.plan.codec_trials.iter().map(|planned| planned.cell.clone()).collect();
        // Compressions in the study's order, so that `none` keeps its place.
        let place = |cell: &CodecCell| study.axes.compression.iter().position(|id| *id == cell.compression);
        codec_cells.sort_by(|a, b| (&a.payload, &a.codec, place(a)).cmp(&(&b.payload, &b.codec, place(b))));
        codec_cells.dedup();
        let codecs = codec_cells.iter().map(|cell| {
            let of_cell = trials.codecs.iter().filter(|record| record.cell == *cell);
            let of_cell: Vec<CodecTrialRecord> =
                of_cell.map(|record| folder.codec_trial(record.trial)).collect::<Result<_, _>>()?;
            let stopped = codec_rule.as_ref().and_then(|rule| {
                let valid = of_cell.iter().filter(|trial| trial.is_complete());
                let values: Vec<f64> = valid.filter_map(|trial| codec_value(&rule.metric, trial)).collect();
                rule.outcome(&values, run.complete)
            });
            Ok::<_, RunError>(summarise::codec_cell(cell, &of_cell.iter().collect::<Vec<_>>(), seed, stopped))
        });
        let (cells, codecs) = (cells.collect::<Result<_, _>>()?, codecs.collect::<Result<_, _>>()?);
        let used_codec = |id| study.axes.codec.contains(id);
        let used_method = |method: &str| {
            study.axes.compresses() && study.axes.compression.iter().any(|id| id.method == method)
        };
        let by_mode: Vec<_> =
            study.axes.mode.iter().filter_map(|mode| transport_for(&self.known, mode)).collect();
        Ok(Summary {
            schema: SUMMARY_SCHEMA,
            codecs_described: self.known.codecs.iter().filter(|c| used_codec(&c.id)).cloned().collect(),
            compressions_described: self
                .known
                .compressions
                .iter()
                .filter(|c| used_method(&c.method))
                .cloned()
                .collect(),
            transports_described: self
                .known
                .transports
                .iter()
                .filter(|t| by_mode.iter().any(|used| used.id == t.id))
                .chain(self.folder_clients())
                .map(|t| match study.transport.get(&t.id.protocol) {
                    Some(options) => t.clone().under(options),
                    None => t.clone(),
                })
                .collect(),
            cells,
            codecs,
            not_run: self.plan.left_out.iter().map(LeftOut::told).collect(),
            notes: self.notes(&run, &environment),
            effects: Vec::new(),
            knees: Vec::new(),
            inputs: self.inputs(),
            one_way_loss: self.one_way_loss(),
            thresholds: Vec::new(),
            environment,
            study: study.clone(),
            run,
        })
    }

    /// The clients of folder runners that carry messages, each once.
    fn folder_clients(&self) -> Vec<&TransportDescription> {
        let mut clients: Vec<&TransportDescription> = Vec::new();
        for client in self.plan.cells.iter().filter_map(|cell| self.known.client(cell)) {
            if !self.known.transports.contains(client) && !clients.contains(&client) {
                clients.push(client);
            }
        }
        clients
    }

    /// Links on which the axis `loss` applies to one direction only.
    fn one_way_loss(&self) -> Vec<LinkId> {
        let links = self.request.study.axes.link.iter();
        let one_way =
            |id: &&LinkId| self.links.get(*id).is_some_and(|link| link.up.own_loss != link.down.own_loss);
        links.filter(one_way).cloned().collect()
    }

    /// Digests of what the figures depend on and the study only refers to.
    pub(super) fn inputs(&self) -> BTreeMap<String, String> {
        let files = self.payloads.iter().flat_map(|payload| {
            let name = |file: String| format!("payload {} {file}", payload.id());
            payload.folder().digests().into_iter().map(move |(file, digest)| (name(file), digest))
        });
        let links = self.links.iter().filter_map(|(id, link)| {
            let text = serde_json::to_string(link).ok()?;
            Some((format!("link {id}"), wiredyno_payloads::digest(text.as_bytes())))
        });
        files.chain(links).collect()
    }

    fn notes(&self, run: &RunInfo, environment: &Environment) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(environment.builds.iter().filter_map(|build| {
            let (payload, folder, key) = (&build.payload, build.folder.as_ref()?, &build.build);
            Some(format!("`{payload}` is your own payload, {folder}, measured by the runner {key}."))
        }));
        let governor = noise::governor();
        if !self.is_past && governor != environment.governor {
            notes.push(format!(
                "The frequency governor changed during the run, from {} to {governor}.",
                environment.governor
            ));
        }
        notes.extend(
            self.request
                .agents
                .iter()
                .filter_map(|agents| agents.away.as_ref())
                .flat_map(|away| away.notes()),
        );
        if !run.complete {
            notes
                .push("The run was interrupted: cells have fewer trials than the study requests.".to_owned());
        }
        notes
    }
}
