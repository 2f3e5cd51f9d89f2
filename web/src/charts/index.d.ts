// The charts by the names that the page calls them by (`data-chart`): what the files of this folder export as `charts`, which
// `charts.mjs` puts together for the bundle.

import type { Chart } from "./drawing";

export declare const CHARTS: Record<string, Chart>;
