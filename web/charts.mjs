// Generates `./charts` from the `charts` exports of src/charts, so that no list has to name them. esbuild takes no globs.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("src/charts", import.meta.url));

/** The files that have charts of the report; others are the server's, or what charts are made with. */
function withCharts() {
  const files = readdirSync(FOLDER).sort();
  return files.filter((file) => /^export const charts\b/m.test(readFileSync(`${FOLDER}/${file}`, "utf8")));
}

export const charts = {
  name: "charts",
  setup(build) {
    build.onResolve({ filter: /^\.\/charts$/ }, () => ({ path: FOLDER, namespace: "charts" }));
    build.onLoad({ filter: /.*/, namespace: "charts" }, () => {
      const files = withCharts();
      const imports = files.map((file, at) => `import { charts as of${at} } from "./${file}";`);
      const all = files.map((_, at) => `...of${at}`);
      return { contents: `${imports.join("\n")}\nexport const CHARTS = { ${all.join(", ")} };\n`, resolveDir: FOLDER };
    });
  },
};
