import { type Node, referenceOf, resolve } from "../contract.js";

/** Returns every example next to a schema, anywhere in the document. */
export function examplesUnder(node: Node): { name: string; schema: Node; value: Node }[] {
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
