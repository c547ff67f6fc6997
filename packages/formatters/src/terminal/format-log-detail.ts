import type { LogKind } from "@media-ops/sdk";
import { detailsOf } from "../details.js";
import { factLines } from "./facts.js";
import { screenOf, type TerminalOptions } from "./screen.js";

/**
 * Everything that an entry holds, with nothing left out.
 *
 * @throws {RangeError} where there is no such time zone.
 */
export function formatLogDetail(kind: LogKind, entry: unknown, options: TerminalOptions): string {
  const screen = screenOf(options);
  const facts = detailsOf(kind, entry, screen.clock).map(({ title, shown: { whole, tone } }) => {
    return { title, text: whole, style: tone };
  });
  return factLines(facts, screen).join("\n");
}
