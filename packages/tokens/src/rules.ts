import type { TokenRequestFault } from "./errors.js";

/** Says what is wrong with a value; nothing where it is right. */
export type Rule = (value: unknown) => string | undefined;

/** A rule for each member of an object. */
export type Rules<T> = { readonly [Member in keyof Required<T>]: Rule };

/** Holds each member against its rule. A member that is `undefined` counts as absent, unless no rule knows it. */
export function findFaults(
  members: object,
  rules: Readonly<Record<string, Rule>>,
  unknownMember: Rule,
): TokenRequestFault[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const isKnown = Object.hasOwn(rules, name);
    if (isKnown && value === undefined) return [];
    const detail = (isKnown ? rules[name] : unknownMember)?.(value);
    return detail === undefined ? [] : [{ pointer: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, detail }];
  });
}

/** Says what a value must be and is not. Never repeats it: it may be a secret in the wrong place. */
export function mustBe(wanted: string, value: unknown): string {
  const given = value === null ? "null" : Array.isArray(value) ? "an array" : `this ${typeof value}`;
  return `Must be ${wanted}; ${given} is not one.`;
}

/** An object as JSON has it: no array, and no instance of a class, whose members might hide from sight. */
export function isJsonObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of another realm's Object is another one, but is as rootless.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
