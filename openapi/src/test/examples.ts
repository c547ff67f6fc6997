import { expect, it } from "vitest";
import { type Node, referenceOf, resolve } from "../contract.js";
import { validator } from "../judge.js";

interface Example {
  readonly name: string;
  readonly schema: Node;
  readonly value: Node;
}

/** Returns the examples of a document's operations and responses. */
export const examplesOf = ({ paths, components }: Node): Example[] => [
  ...examplesUnder(paths ?? {}),
  ...examplesUnder(components?.responses ?? {}),
];

/** Returns every example next to a schema. */
function examplesUnder(node: Node): Example[] {
  if (typeof node !== "object" || node === null) return [];
  const reference = referenceOf(node);
  if (reference) return reference.includes("/requestBodies/") ? examplesUnder(resolve(node)) : [];
  const { schema, examples } = node;
  if (schema && examples) {
    return Object.values(examples).map((example) => ({
      name: referenceOf(example)?.split("/").at(-1) ?? "",
      schema,
      value: resolve(example).value ?? {},
    }));
  }
  return Object.values(node).flatMap(examplesUnder);
}

/** Tests that a document's examples match their schemas. */
export function testExamples(document: Node): void {
  const shown = examplesOf(document);
  const { examples = {}, schemas = {} } = document.components ?? {};

  it.each(shown)("$name matches its schema", ({ schema, value }) => {
    const isValid = validator(schema);
    isValid(value);
    expect(isValid.errors ?? []).toEqual([]);
  });

  it("are all used", () => {
    const used = new Set(shown.map(({ name }) => name));
    expect([...used].sort()).toEqual(Object.keys(examples).sort());
  });

  it("of the schemas' fields are valid", () => {
    for (const schema of Object.values(schemas)) {
      for (const property of [schema, ...Object.values(schema.properties ?? {})]) {
        for (const value of Object.values(property.examples ?? {})) {
          expect(validator(property)(value), `${JSON.stringify(value)} of ${JSON.stringify(property)}`).toBe(true);
        }
      }
    }
  });
}
