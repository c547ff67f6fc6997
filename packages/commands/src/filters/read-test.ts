import type { Comparison } from "../operators.js";
import type { Marked } from "../words.js";
import type { Test } from "./filter.js";

/** What follows a field's name. */
export interface TypedTest {
  /** As it was typed. */
  readonly operator: string;
  readonly compares: Comparison;
  readonly value: Marked;
}

/** The test that was asked for, or why there is none. */
export type ReadTest =
  | { readonly ok: true; readonly test: Test }
  | {
      readonly ok: false;
      readonly reason: string;
      /** What the operator and the value should be, as they would be typed; without it the filter is better left out. */
      readonly nearest?: string | undefined;
    };

export function testIs(test: Test): ReadTest {
  return { ok: true, test };
}

export function noTest(reason: string, nearest?: string): ReadTest {
  return { ok: false, reason, nearest };
}
