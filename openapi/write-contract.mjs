// Generates packages/contract: the documents are merged into one, so that every type stands in it once.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import { parse } from "yaml";

const into = new URL("../packages/contract/src/generated/", import.meta.url);
const write = (name, text) =>
  writeFileSync(new URL(name, into), `// Generated from openapi/ by pnpm generate. Never edit it.\n\n${text}`);

// A component that two documents describe is media.yaml's: the others only differ in their texts.
const whole = { openapi: "3.1.0", info: { title: "Media Ops", version: "1" }, paths: {}, components: {} };
for (const name of ["intake", "extensions", "media"]) {
  const text = readFileSync(new URL(`${name}.yaml`, import.meta.url), "utf8");
  const { paths, components } = parse(text.replaceAll(/"(\.\/\w+\.yaml)#\//g, '"#/'));
  whole.paths = { ...paths, ...whole.paths };
  for (const [kind, named] of Object.entries(components)) {
    const own = Object.entries(named).filter(([, { $ref }]) => $ref !== `#/components/${kind}/${name}`);
    whole.components[kind] = { ...whole.components[kind], ...Object.fromEntries(own) };
  }
}

const ast = await openapiTS(JSON.stringify(whole), {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  rootTypesKeepCasing: true,
});
write("api.ts", astToString(ast));

// The requests as JSON schemas: without texts, and only what they use.
const texts = new Set(["description", "example", "examples", "default"]);
const used = new Map();

/** Returns a schema without its texts, and notes the schemas that it refers to. */
function strip(node) {
  if (Array.isArray(node)) return node.map(strip);
  if (typeof node !== "object" || node === null) return node;
  const { $ref } = node;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1);
    if (!used.has(name)) {
      used.set(name, {});
      used.set(name, strip(whole.components.schemas[name]));
    }
    return { $ref: name };
  }
  const members = Object.entries(node).filter(([name, value]) => !(texts.has(name) && !isSchema(value)));
  return Object.fromEntries(members.map(([name, value]) => [name, strip(value)]));
}

// A property may have the name of a text.
const isSchema = (value) => typeof value === "object" && !Array.isArray(value) && ("type" in value || "$ref" in value);

function schemaOf({ requestBody }) {
  const named = requestBody.$ref && whole.components.requestBodies[requestBody.$ref.split("/").at(-1)];
  return (named ?? requestBody).content["application/json"].schema;
}

const requests = Object.entries(whole.paths)
  .filter(([path]) => /^\/(orgs|projects)\//.test(path))
  .map(([path, { post }]) => [path, strip(schemaOf(post))]);
const asTable = (entries) =>
  `{\n${entries.map(([name, schema]) => `  ${JSON.stringify(name)}: ${JSON.stringify(schema)},`).join("\n")}\n}`;
write(
  "requests.ts",
  `import type { Schema } from ${JSON.stringify("../schema.js")};

/** The JSON schema of each request, by the path of its operation. */
export const requests: Readonly<Record<string, Schema>> = ${asTable(requests)};

/** The schemas that these refer to. */
export const schemas: Readonly<Record<string, Schema>> = ${asTable([...used])};
`,
);
