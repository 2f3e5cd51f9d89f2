// Writes src/api.d.ts, the types of the server's answers, from its OpenAPI document.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const document = JSON.parse(readFileSync("../../docs/openapi.json", "utf8"));
const types = astToString(await openapiTS(document, { defaultNonNullable: false }));
writeFileSync("src/api.d.ts", `// Made by types.mjs from docs/openapi.json.\n${types}`);
