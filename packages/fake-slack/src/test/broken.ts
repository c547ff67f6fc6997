import { expect, it } from "vitest";
import { checkBlocks, type Surface } from "../index.js";
import { changed, gone } from "./change.js";

/** What is changed of a right block: where, into what, the one error of it, and where that is if not there. */
export type Break = [at: string, to: unknown, error: string, errorAt?: string];

/** Tests that a block is taken as it is, and refused with exactly one error after each of the changes. */
export function testBreaks(name: string, block: object, breaks: readonly Break[], surface: Surface = "message"): void {
  const base = surface === "message" ? "/blocks/0" : "/view/blocks/0";
  it.each(breaks.map(([at, to, error, errorAt = at]) => ({ at, to, shown: show(to), error, errorAt })))(
    `refuses ${name} with $shown at $at: $error`,
    ({ at, to, error, errorAt }) => {
      expect(checkBlocks([block], surface)).toEqual({ ok: true });
      expect(checkBlocks([changed(block, at, to)], surface)).toMatchObject({
        ok: false,
        errors: [`${error} [json-pointer:${base}${errorAt}]`],
      });
    },
  );
}

function show(value: unknown): string {
  if (value === gone) return "nothing";
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 50)}… (${json.length} characters)` : json;
}
