import type { ParseOptions } from "../language.js";

/** The current time of the tables: Saturday, 21 November 2026, 12:00 UTC. */
export const when: ParseOptions = { now: Date.parse("2026-11-21T12:00:00.000Z") };
