import { intakeContract, type Node, resolve } from "@media-ops/openapi/contract";
import { expect, it } from "vitest";
import { kinds } from "./kinds.js";

const schemas = Object.values(intakeContract.components?.schemas ?? {});

/** Every type that a schema names by `const`. */
function constsIn(schema: Node): string[] {
  const own: unknown = schema.properties?.type?.const;
  const parts = Object.values(schema.allOf ?? {}).flatMap(constsIn);
  return typeof own === "string" ? [own, ...parts] : parts;
}

it("the kinds that mean something are those that the contract names", () => {
  const named = schemas.flatMap(constsIn);
  expect(named.length).toBeGreaterThan(0);
  expect(Object.keys(kinds).sort()).toEqual(named.sort());
});

it("an event of another kind is one that the contract does not name", () => {
  const other = Object.values(resolve(intakeContract.components?.schemas?.OtherEvent ?? {}).allOf ?? {});
  const excluded = other.flatMap(({ properties }) => Object.values(properties?.type?.not?.enum ?? {}).map(String));
  expect(excluded.sort()).toEqual(Object.keys(kinds).sort());
});
