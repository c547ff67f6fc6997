import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";

/** A piece of the contract. A leaf is a string or a number in truth: whoever reads one checks it. */
export interface Node {
  readonly [member: string]: Node;
}

/** The contract as it stands in media.yaml. */
export const contract: Node = parse(readFileSync(new URL("media.yaml", import.meta.url), "utf8"));

const ajv = new Ajv2020({ strict: true, allErrors: true, keywords: ["components"] });
addFormats.default(ajv);
ajv.addSchema({ $id: "contract", components: contract.components });

/** Where a node's `$ref` leads to, if it is one. */
export function referenceOf(node: Node): string | undefined {
  const reference: unknown = node.$ref;
  return typeof reference === "string" ? reference : undefined;
}

/** Follows `$ref` to what it means. */
export function resolve(node: Node): Node {
  const reference = referenceOf(node);
  if (reference === undefined) return node;
  return resolve(
    reference
      .replace("#/", "")
      .split("/")
      .reduce((at, member) => at[member] ?? {}, contract),
  );
}

/** Judges values by a schema of the contract: one named under components, or one that stands in the document. */
export function validator(schema: string | Node): ValidateFunction {
  const text = JSON.stringify(typeof schema === "string" ? { $ref: `#/components/schemas/${schema}` } : schema);
  return ajv.compile(JSON.parse(text.replaceAll('"#/', '"contract#/')));
}
