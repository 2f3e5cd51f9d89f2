// Bundles the server's pages into ../dist/server/, which is embedded in crates/programs/server: names with hashes, all but the first page gzipped.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { charts } from "../charts.mjs";

const OUT = "../dist/server";
const FIRST = "src/main.tsx";
// The worker that all tabs share.
const STREAM = "src/stream.ts";
const { outputFiles, metafile } = await build({
  entryPoints: [FIRST, STREAM],
  outdir: `${OUT}/assets`,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  minify: true,
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none",
  format: "esm",
  splitting: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  metafile: true,
  write: false,
  logLevel: "info",
  plugins: [charts],
});

rmSync(OUT, { recursive: true, force: true });
mkdirSync(`${OUT}/assets`, { recursive: true });

function asset(name, content) {
  writeFileSync(`${OUT}/assets/${name}.gz`, gzipSync(content, { level: 9 }));
}

for (const { path, contents } of outputFiles) asset(path.split("/").at(-1), contents);

// DuckDB with its Parquet reader, for the query box: a worker and its WebAssembly are separate files.
const require = createRequire(import.meta.url);
function engine(file) {
  const content = readFileSync(require.resolve(`@duckdb/duckdb-wasm/dist/${file}`));
  const dot = file.lastIndexOf(".");
  const name = `${file.slice(0, dot)}-${createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase()}${file.slice(dot)}`;
  asset(name, content);
  return `/assets/${name}`;
}

// The server puts the path in front below which it is reached.
const below = (path) => path.replace(OUT, "");
const output = (entry) => Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry);
const [script, { cssBundle }] = output(FIRST);
const page = readFileSync("src/index.html", "utf8")
  .replace("{script}", below(script))
  .replace("{style}", below(cssBundle))
  .replace("{module}", engine("duckdb-eh.wasm"))
  .replace("{stream}", below(output(STREAM)[0]))
  .replace("{worker}", engine("duckdb-browser-eh.worker.js"));
writeFileSync(`${OUT}/index.html`, page);
