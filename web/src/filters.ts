// Filters by axis: one group of toggles per axis with more than one value. They act on tables and charts alike.

import { type CellSummary, type CodecAxes, type CodecSummary, type Summary, codecOf } from "./model";

type AxisName = "payload" | "codec" | "compression" | "mode" | "link" | "loss";

export interface Selection {
  cell(cell: CellSummary): boolean;
  codec(codec: CodecSummary): boolean;
}

interface Axis {
  name: AxisName;
  values: string[];
}

function axesOf(summary: Summary): Axis[] {
  const { payload, codec, compression = [], mode = [], link, loss = [] } = summary.study.axes;
  const axes: Axis[] = [
    { name: "payload", values: payload },
    { name: "codec", values: [...new Set(codec.map(codecOf))] },
    { name: "compression", values: compression },
    { name: "mode", values: mode },
    { name: "link", values: link },
    { name: "loss", values: loss.map(String) },
  ];
  return axes.filter((axis) => axis.values.length > 1);
}

function label(axis: AxisName, value: string): string {
  return axis === "loss" ? `${+(Number(value) * 100).toFixed(4)} %` : value;
}

/** Builds the filters inside `place`; `changed` is called with every new selection. */
export function filters(place: HTMLElement, summary: Summary, changed: (selection: Selection) => void): Selection {
  const hidden = new Map<AxisName, Set<string>>();
  const shows = (axis: AxisName, value: string | number | null | undefined): boolean =>
    value == null || !hidden.get(axis)?.has(String(value));
  const codec = ({ axes }: { axes: CodecAxes }): boolean =>
    shows("payload", axes.payload) && shows("codec", codecOf(axes.codec)) && shows("compression", axes.compression ?? "none");
  const selection: Selection = {
    cell: (cell) => codec(cell) && (["mode", "link", "loss"] as const).every((axis) => shows(axis, cell.axes[axis])),
    codec,
  };
  const axes = axesOf(summary);
  if (axes.length === 0) return selection;

  const details = document.createElement("details");
  const heading = document.createElement("summary");
  const reset = document.createElement("button");
  const describe = (): void => {
    const count = [...hidden.values()].reduce((sum, values) => sum + values.size, 0);
    heading.textContent = count === 0 ? "Filter" : `Filter (${count} hidden)`;
    reset.disabled = count === 0;
  };
  const boxes: HTMLInputElement[] = [];
  const panel = document.createElement("div");
  panel.className = "filter-panel";
  for (const axis of axes) {
    const group = document.createElement("fieldset");
    const legend = document.createElement("legend");
    legend.textContent = axis.name;
    group.append(legend);
    for (const value of axis.values) {
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => {
        const values = hidden.get(axis.name) ?? new Set<string>();
        if (box.checked) values.delete(value);
        else values.add(value);
        hidden.set(axis.name, values);
        describe();
        changed(selection);
      });
      const text = document.createElement("label");
      text.append(box, label(axis.name, value));
      group.append(text);
      boxes.push(box);
    }
    panel.append(group);
  }
  reset.type = "button";
  reset.textContent = "Show all";
  reset.addEventListener("click", () => {
    hidden.clear();
    for (const box of boxes) box.checked = true;
    describe();
    changed(selection);
  });
  panel.append(reset);
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    details.open = false;
    heading.focus();
  });
  describe();
  details.append(heading, panel);
  place.append(details);
  return selection;
}
