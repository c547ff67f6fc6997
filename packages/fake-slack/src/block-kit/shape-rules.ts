// Rules about several fields of one object.
import { fieldOf, itemsOf } from "./json.js";
import type { Place } from "./place.js";
import type { ShapeRule } from "./rules.js";

/** At least one of the fields must be there. */
export function anyOf(...names: string[]): ShapeRule {
  return (object, place) => {
    if (names.every((name) => object[name] === undefined)) place.fault(`must define either ${enumerate(names, "or")}`);
  };
}

/** At most one of the fields may be there. */
export function notBoth(...names: string[]): ShapeRule {
  return (object, place) => {
    const given = names.filter((name) => object[name] !== undefined);
    if (given.length > 1) place.fault(`must define only one of ${enumerate(names, "and")}`);
  };
}

export function exactlyOneOf(...names: string[]): ShapeRule {
  const rules = [anyOf(...names), notBoth(...names)];
  return (object, place) => {
    for (const rule of rules) rule(object, place);
  };
}

/** One number may not be greater than another one, be they given as numbers or as texts. */
export function inOrder(low: string, high: string): ShapeRule {
  return (object, place) => {
    if (object[low] === undefined || object[high] === undefined) return;
    if (Number(object[low]) > Number(object[high])) place.fault(`\`${low}\` cannot be greater than \`${high}\``);
  };
}

/** No two items of a list may have the same in a field; items without it are not compared. */
export function uniqueIn(listName: string, name: string): ShapeRule {
  return (object, place) => {
    checkUnique(
      itemsOf(object[listName]).map((item, index) => ({
        value: fieldOf(item, name),
        place: place.at(listName, index, name),
      })),
      name,
    );
  };
}

/** Takes down each text that an earlier one equals. */
export function checkUnique(values: Iterable<{ value: unknown; place: Place }>, name: string): void {
  const seen = new Set<unknown>();
  for (const { value, place } of values) {
    if (typeof value !== "string") continue;
    if (seen.has(value)) place.fault(`\`${name}\` "${value}" already exists`);
    seen.add(value);
  }
}

function enumerate(names: readonly string[], word: string): string {
  const quoted = names.map((name) => `\`${name}\``);
  return `${quoted.slice(0, -1).join(", ")} ${word} ${quoted.at(-1)}`;
}
