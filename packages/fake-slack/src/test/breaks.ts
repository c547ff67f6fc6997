// Tests that Slack refuses blocks after a change, with one error.
import { expect, it } from "vitest";
import { checkBlocks, type Surface } from "../block-kit/check.js";
import { changed, elements, plain } from "./samples.js";

export const empty = "must be more than 0 characters";
export const noEnum = "must be a valid enum value";
export const noItems = "no less than 1 items allowed";
export const notOffered = "must be one of the provided options";
export const missing = (name: string): string => `missing required field: ${name}`;
export const tooLong = (most: number): string => `must be less than ${most + 1} characters`;
export const tooMany = (most: number): string => `no more than ${most} items allowed`;
export const unknownField = (name: string): string => `invalid additional property: ${name}`;
export const unmodelled = (type: string): string => `unsupported type: ${type}, or fake-slack does not model it here`;

/** A change to a valid block, its one error, and the error's pointer if it differs. */
type Break = [at: string, to: unknown, error: string, errorAt?: string];

/** Tests that a block is accepted, and refused with exactly one error after each of the changes. */
export function testBreaks(name: string, block: object, breaks: readonly Break[], surface: Surface = "message"): void {
  const base = surface === "message" ? "/blocks/0" : "/view/blocks/0";
  it(`refuses every fault in ${name}`, () => {
    expect(checkBlocks([block], surface)).toEqual({ ok: true });
    for (const [at, to, error, errorAt = at] of breaks) {
      expect(checkBlocks([changed(block, at, to)], surface), `${at} ${error}`).toMatchObject({
        errors: [`${error} [json-pointer:${base}${errorAt}]`],
      });
    }
  });
}

/** The same for an element, in an input of a modal. */
export function testInput(name: keyof typeof elements, breaks: readonly Break[]): void {
  const block = { type: "input", label: plain(1), element: elements[name].maximal };
  const within = breaks.map(
    ([at, to, error, errorAt = at]): Break => [`/element${at}`, to, error, `/element${errorAt}`],
  );
  testBreaks(name, block, within, "modal");
}
