//! Whether the parts of a study fit each other.

use wiredyno_contract::nearest;

use super::{Lanes, Study, empty_or_doubled};
use crate::axis::{AxisInfo, ColumnShown, TABLE};
use crate::place::{Place, Refusal};
use crate::selection::{Selection, plain_value};
use crate::threshold::Threshold;

impl Study {
    /// Why a line of `cells` or `decisive` selects nothing.
    pub(super) fn check_cells(&self, written: &str) -> Result<(), String> {
        let selection: Selection = written.parse().map_err(|error| format!("{error}"))?;
        selection.check(&self.axes.names()).map_err(|error| error.to_string())?;
        // What formats and patterns stand for is not known yet.
        let open = |axis: &str| match axis {
            "codec" => !self.axes.format.is_empty() || !self.axes.codec.patterns().is_empty(),
            "payload" => !self.axes.payload.patterns().is_empty(),
            _ => false,
        };
        let known = |axis: &str| {
            let plain = |value: String| plain_value(axis, &value).unwrap_or(value);
            self.axes.values(axis).into_iter().map(plain).collect::<Vec<_>>()
        };
        match selection.unknown(|axis| (!open(axis)).then(|| known(axis))) {
            None => Ok(()),
            Some((axis, value)) => {
                let known = known(axis);
                let hint = nearest(value, known.iter().map(String::as_str)).map_or_else(
                    || format!("write one of {}", known.join(", ")),
                    |near| format!("did you mean `{near}`?"),
                );
                Err(format!("the axis `{axis}` has no value `{value}`; {hint}"))
            }
        }
    }

    /// What serde can't check: axes without values, doubled values, numbers that allow no trial.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        let refuse = |place: Place, problem: &str| Err(Refusal::at(place, problem));
        let axes = &self.axes;
        let is_part_of_path = |c: char| matches!(c, '/' | '\\') || c.is_control();
        if self.name.is_empty() || self.name.starts_with('.') || self.name.contains(is_part_of_path) {
            let problem = format!(
                "the name {:?} can't be part of a folder's name: write a word such as `my-study`, without slashes and without a \
                 leading point",
                self.name
            );
            return refuse(Place::of(["name"]), &problem);
        }
        self.check_axes()?;
        let selected = [("cells", &self.cells), ("decisive", &self.decisive)];
        let lines =
            selected.iter().flat_map(|(key, lines)| lines.iter().enumerate().map(move |line| (*key, line)));
        for (key, (position, written)) in lines {
            let place = Place::of([key]).item(position);
            self.check_cells(written).map_err(|problem| Refusal::at(place, format!("{key}: {problem}")))?;
        }
        self.check_trials()?;
        for (position, threshold) in self.threshold.iter().enumerate() {
            self.check_threshold(threshold).map_err(|Refusal { place, problem }| {
                let table = Place::of(["threshold"]).item(position);
                Refusal::at(table.join(place), format!("threshold on {}: {problem}", threshold.metric))
            })?;
        }
        for AxisInfo { name: axis, .. } in TABLE.iter().filter(|axis| axis.shown == ColumnShown::Named) {
            let given = axes.values(axis);
            if !given.is_empty() {
                empty_or_doubled(&given, axis)?;
            }
        }
        match &self.load {
            None if !axes.mode.is_empty() => refuse(
                Place::of_axis("mode"),
                "the axes name modes, but there is no [load]: say how messages are issued",
            ),
            None => Ok(()),
            Some(load) => load.check(axes),
        }
    }

    /// Values of axes: none where some are needed, or one twice.
    fn check_axes(&self) -> Result<(), Refusal> {
        let axes = &self.axes;
        if axes.payload.patterns().is_empty() || !axes.payload.is_empty() {
            empty_or_doubled(&axes.payload, "payload")?;
        }
        if !axes.format.is_empty() {
            empty_or_doubled(&axes.format, "format")?;
        }
        if !axes.runner.is_empty() {
            empty_or_doubled(&axes.runner, "runner")?;
            if axes.format.is_empty() && axes.codec.patterns().is_empty() {
                let problem = "the axis `runner` selects codecs by formats and patterns, and there are none: name formats, \
                               as in format = [\"json\"], or remove it";
                return Err(Refusal::at(Place::of_axis("runner"), problem));
            }
        }
        let stood_for = !axes.format.is_empty() || !axes.codec.patterns().is_empty();
        if !stood_for || !axes.codec.is_empty() {
            empty_or_doubled(&axes.codec, "codec")?;
        }
        empty_or_doubled(&axes.compression, "compression")?;
        empty_or_doubled(&axes.link, "link")?;
        if !axes.mode.is_empty() {
            empty_or_doubled(&axes.mode, "mode")?;
        }
        Ok(())
    }

    pub(super) fn check_trials(&self) -> Result<(), Refusal> {
        let refuse = |key, problem: &str| Err(Refusal::at(Place::of(["trials", key]), problem));
        if self.trials.repeats == 0 {
            return refuse("repeats", "repeats is 0: a cell needs at least one trial, five for an interval");
        }
        if self.trials.lanes == Lanes::Fixed(0) {
            return refuse("lanes", "lanes is 0: write \"auto\" or a number from 1");
        }
        let until = self.trials.until.as_ref();
        until.map_or(Ok(()), |until| until.check(self.trials.repeats)).map_err(
            |Refusal { place, problem }| Refusal::at(Place::of(["trials", "until"]).join(place), problem),
        )
    }

    /// Checks that a threshold can be read and its cells are on axes of the study; the place is relative to its table.
    pub(super) fn check_threshold(&self, threshold: &Threshold) -> Result<(), Refusal> {
        let (_, cells, _) = threshold.read()?;
        let known = cells.check(&self.axes.names());
        known.map_err(|error| Refusal::at(Place::of(["where"]), error.to_string()))
    }
}
