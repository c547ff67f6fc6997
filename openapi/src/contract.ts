import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** A piece of the contract. A leaf is a string or a number in truth: whoever reads one checks it. */
export interface Node {
  readonly [member: string]: Node;
}

/** The contract as it stands in media.yaml. */
export const contractText: string = readFileSync(new URL("../media.yaml", import.meta.url), "utf8");

export const contract: Node = parse(contractText);

/** An operation of the contract, and where it is. */
export interface Operation {
  readonly path: string;
  /** In lower case, as in the contract. */
  readonly method: string;
  readonly operation: Node;
}

export const operations: readonly Operation[] = Object.entries(contract.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

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
