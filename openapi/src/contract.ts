import { readFileSync } from "node:fs";

/** A node of the contract. A leaf is in fact a string or a number, which its reader must check. */
export interface Node {
  readonly [member: string]: Node;
}

const textOf = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");

/** Reads a document from the build output, where references name their file. */
const read = (name: string): Node => JSON.parse(textOf(`dist/${name}.json`));

/** The text of media.yaml. */
export const contractText: string = textOf("media.yaml");

/** The service's API. */
export const contract: Node = read("media");

/** The text of extensions.yaml. */
export const extensionsText: string = textOf("extensions.yaml");

/** What this service offers beyond the API that every such service has. */
export const extensionsContract: Node = read("extensions");

/** The requests that the media server sends, and the proxy to its API. */
export const intakeContract: Node = read("intake");

const documents: Readonly<Record<string, Node>> = {
  "media.yaml": contract,
  "extensions.yaml": extensionsContract,
  "intake.yaml": intakeContract,
};

/** The documents' components by the file names in references, as a validator expects them. */
export const schemas = Object.entries(documents).map(([$id, { components }]) => ({ $id, components }));

/** An operation of the contract, with its path and method. */
export interface Operation {
  readonly path: string;
  /** In lower case, as in the contract. */
  readonly method: string;
  readonly operation: Node;
}

/** The operations of media.yaml. */
export const operations: readonly Operation[] = operationsOf(contract);
/** The operations of extensions.yaml. */
export const extensionOperations: readonly Operation[] = operationsOf(extensionsContract);
/** The operations of intake.yaml. */
export const intakeOperations: readonly Operation[] = operationsOf(intakeContract);

function operationsOf({ paths = {} }: Node): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "parameters")
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

/** Returns the target of a `$ref`, or undefined if the node is not a reference. */
export function referenceOf(node: Node): string | undefined {
  const reference: unknown = node.$ref;
  return typeof reference === "string" ? reference : undefined;
}

/** Follows `$ref` to the node that it references. */
export function resolve(node: Node): Node {
  const reference = referenceOf(node);
  if (reference === undefined) return node;
  const [file = "", path = ""] = reference.split("#/");
  return resolve(path.split("/").reduce((at, member) => at[member] ?? {}, documents[file] ?? {}));
}
