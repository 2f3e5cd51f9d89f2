// The charts by the names that the page calls them by (`data-chart`).

import { along } from "./along";
import { allocations, phases, sizes } from "./codecs";
import type { Chart } from "./drawing";
import { boxes, ecdf, latency } from "./latency";
import { classes, cpu, delivery, memory, overhead, parts, split } from "./messages";
import { rates } from "./rates";
import { scatter } from "./scatter";

export const CHARTS: Record<string, Chart> = {
  latency,
  ecdf,
  box: boxes,
  delivery,
  overhead,
  classes,
  parts,
  split,
  cpu,
  memory,
  sizes,
  phases,
  allocations,
  rates,
  along,
  scatter,
};
