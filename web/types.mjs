// Writes src/schema.d.ts, the types of summary.json, from its published schema.
import { readFileSync, writeFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";

// A reference with a description beside it would become a separate type.
const bare = (_, value) => (value?.$ref ? { $ref: value.$ref } : value);

const schema = JSON.parse(readFileSync("../docs/summary.schema.json", "utf8"), bare);
// The title names the layout for readers; the type keeps its name in crates/base/model.
schema.title = "Summary";
const types = await compile(schema, "Summary", {
  additionalProperties: false,
  bannerComment: "// Made by types.mjs from docs/summary.schema.json.",
  format: false,
});
writeFileSync("src/schema.d.ts", types);
