// Bundles the front end twice: dist/report.js and dist/report.css, which crates/report inlines into every report, and
// dist/server/, the server's pages, which crates/server carries: names with hashes, all but the first page gzipped.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const common = { bundle: true, minify: true, target: ["es2022"], charset: "utf8", legalComments: "none" };

await build({ ...common, entryPoints: { report: "src/main.ts" }, outdir: "dist", format: "iife", logLevel: "info" });

const OUT = "dist/server";
const FIRST = "src/server/main.tsx";
const { outputFiles, metafile } = await build({
  ...common,
  entryPoints: [FIRST],
  outdir: `${OUT}/assets`,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  publicPath: "/assets",
  format: "esm",
  splitting: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  metafile: true,
  write: false,
  define: { "process.env.NODE_ENV": '"production"' },
});

rmSync(OUT, { recursive: true, force: true });
mkdirSync(`${OUT}/assets`, { recursive: true });

function asset(name, content) {
  writeFileSync(`${OUT}/assets/${name}.gz`, gzipSync(content, { level: 9 }));
}

for (const { path, contents } of outputFiles) asset(path.split("/").at(-1), contents);

// DuckDB with its reader of Parquet, for the query box: in files of their own, because a worker and WebAssembly are.
const duck = createRequire(import.meta.url).resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm").replace(/[^/]+$/, "");
const hashed = (file) => {
  const content = readFileSync(duck + file);
  const [stem, ending] = [file.slice(0, file.lastIndexOf(".")), file.slice(file.lastIndexOf(".") + 1)];
  const name = `${stem}-${createHash("sha256").update(content).digest("hex").slice(0, 8).toUpperCase()}.${ending}`;
  asset(name, content);
  return `/assets/${name}`;
};
const engine = { module: hashed("duckdb-eh.wasm"), worker: hashed("duckdb-browser-eh.worker.js") };

const [script, { cssBundle }] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === FIRST);
const page = readFileSync("src/server/index.html", "utf8")
  .replace("{script}", script.replace(`${OUT}/`, "/"))
  .replace("{style}", cssBundle.replace(`${OUT}/`, "/"))
  .replace("{engine}", JSON.stringify(engine).replaceAll('"', "&quot;"));
writeFileSync(`${OUT}/index.html`, page);
