// Bundles the front end into dist/report.js and dist/report.css, which crates/results/report inlines.
import { build } from "esbuild";
import { charts } from "./charts.mjs";

await build({
  entryPoints: { report: "src/main.ts" },
  outdir: "dist",
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none",
  logLevel: "info",
  plugins: [charts],
});
