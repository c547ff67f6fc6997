import type { LogLine } from "../../../src/window/protocol.js";

export interface LogFilter {
  readonly from: "all" | LogLine["from"];
  readonly text: string;
}

/** The lines that are asked for, the newest first. */
export function filterLog(lines: readonly LogLine[], { from, text }: LogFilter): LogLine[] {
  const wanted = text.trim().toLowerCase();
  const isWanted = (line: LogLine): boolean =>
    (from === "all" || line.from === from) &&
    (wanted === "" || `${line.level} ${line.text} ${JSON.stringify(line.fields)}`.toLowerCase().includes(wanted));
  return lines.filter(isWanted).toReversed();
}
