import type { LogKind } from "@media-ops/sdk";
import { detailColumnsOf } from "../details.js";
import { show, showWhole } from "../values/show.js";
import { factLines } from "./facts.js";
import { type TerminalOptions, timedScreenOf } from "./screen.js";

/**
 * Everything that an entry holds, with nothing left out.
 *
 * @throws {RangeError} where there is no such time zone, or `now` is no time.
 */
export function formatLogDetail(kind: LogKind, entry: unknown, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  const facts = detailColumnsOf(kind, entry).map((column) => ({
    title: column.title,
    text: showWhole(entry, column, screen.clock),
    style: show(entry, column, screen.clock).tone,
  }));
  return factLines(facts, screen).join("\n");
}
