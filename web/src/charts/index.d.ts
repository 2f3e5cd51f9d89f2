// The charts by the names that the page uses (`data-chart`): the `charts` exports of this folder's files, which
// `charts.mjs` combines for the bundle.

import type { Chart } from "./drawing";

export declare const CHARTS: Record<string, Chart>;
