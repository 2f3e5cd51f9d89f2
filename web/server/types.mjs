// Writes src/openapi.d.ts, the types of the server's answers, from its OpenAPI document.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

// Definitions inside a schema are among the document's schemas here.
const document = JSON.parse(readFileSync("../../docs/openapi.json", "utf8").replaceAll("#/$defs/", "#/components/schemas/"));
const types = astToString(await openapiTS(document, { defaultNonNullable: false }));
writeFileSync("src/openapi.d.ts", `// Made by types.mjs from docs/openapi.json.\n${types}`);
