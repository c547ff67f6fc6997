import { readFileSync } from "node:fs";

/** A piece of the contract. A leaf is a string or a number in truth: whoever reads one checks it. */
export interface Node {
  readonly [member: string]: Node;
}

const textOf = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");

/** Reads a document as the build leaves it. Its references say in which file they are. */
const read = (name: string): Node => JSON.parse(textOf(`dist/${name}.json`));

/** The contract as it stands in media.yaml. */
export const contractText: string = textOf("media.yaml");

/** What the service offers. */
export const contract: Node = read("media");

/** What the media server sends, and the way back to its API. */
export const intakeContract: Node = read("intake");

const documents: Readonly<Record<string, Node>> = { "media.yaml": contract, "intake.yaml": intakeContract };

/** The documents' components, by the names with which references begin: as a validator wants them. */
export const schemas = Object.entries(documents).map(([$id, { components }]) => ({ $id, components }));

/** An operation of the contract, and where it is. */
export interface Operation {
  readonly path: string;
  /** In lower case, as in the contract. */
  readonly method: string;
  readonly operation: Node;
}

export const operations: readonly Operation[] = operationsOf(contract);

export const intakeOperations: readonly Operation[] = operationsOf(intakeContract);

function operationsOf({ paths = {} }: Node): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

/** Where a node's `$ref` leads to, if it is one. */
export function referenceOf(node: Node): string | undefined {
  const reference: unknown = node.$ref;
  return typeof reference === "string" ? reference : undefined;
}

/** Follows `$ref` to what it means. */
export function resolve(node: Node): Node {
  const reference = referenceOf(node);
  if (reference === undefined) return node;
  const [file = "", path = ""] = reference.split("#/");
  return resolve(path.split("/").reduce((at, member) => at[member] ?? {}, documents[file] ?? {}));
}
