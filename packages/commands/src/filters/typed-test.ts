import type { Comparison } from "../operators.js";
import type { Marked } from "../words.js";

/** What follows a field's name, and what it asks. */
export interface TypedTest {
  /** As it was typed. */
  readonly operator: string;
  readonly compares: Comparison;
  readonly value: Marked;
  /** The field's name, for what is told of it. */
  readonly subject: string;
}
