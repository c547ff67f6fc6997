import type { LogKind } from "@media-ops/contract";
import type { FieldColumn } from "@media-ops/reports/entries";
import {
  factLines,
  noteLines,
  type TerminalOptions,
  type TimedScreen,
  textLines,
  timedScreenOf,
  zoneOf,
} from "../terminal/screen.js";
import { ADDRESS, type Cell, cellOf, type TableColumn, tableLines } from "../terminal/table.js";
import { cutEnd, fit, textWidth, wrap } from "../terminal/width.js";
import { endOfAddress, show, showWhole } from "../values/show.js";
import { NOTHING } from "../values/text.js";
import type { Clock } from "../values/time.js";
import {
  detailColumnsOf,
  isFigure,
  lineColumnsOf,
  listingColumnsOf,
  noneFound,
  type SortedByOptions,
  textInLine,
} from "./columns.js";

export interface TerminalLogsOptions extends TerminalOptions, SortedByOptions {
  /** A table with titles, or one line per entry with names only for numbers. @default "table" */
  style?: "table" | "compact" | undefined;
  /** The title above the entries. */
  title?: string | undefined;
  /** A note below them. */
  note?: string | undefined;
}

/** Log entries, one per line. */
export function formatLogs(kind: LogKind, entries: readonly unknown[], options: TerminalLogsOptions): string {
  const { style = "table", title = "", note = "", sortedBy } = options;
  const screen = timedScreenOf(options);
  const { clock, width, paint } = screen;
  const lines = (): string[] => {
    if (entries.length === 0) return wrap(noneFound(kind), width);
    if (style === "compact") return compactLines(kind, entries, screen, sortedBy);
    const shown = listingColumnsOf(kind, ["table", "wide"], sortedBy);
    return tableLines(
      shown.map(
        (column): TableColumn => ({
          title: column.as === "time" ? column.title + zoneOf(clock) : column.title,
          isRight: isFigure(column.as),
          isOptional: column.in === "wide",
          isAddress: column.as === "address",
          cells: entries.map((entry) => cellOf(show(entry, column, clock))),
        }),
      ),
      width,
      paint,
    );
  };
  return [...textLines(title, "title", screen), ...lines(), ...noteLines([note], screen)].join("\n");
}

/** One line per entry, without titles and missing values. */
function compactLines(
  kind: LogKind,
  entries: readonly unknown[],
  { clock, width, paint }: TimedScreen,
  sortedBy: string | undefined,
): string[] {
  const columns = lineColumnsOf(kind, sortedBy);
  return entries.map((entry) => {
    const parts = columns.map((column) => partOf(entry, column, clock)).filter(({ text }) => text !== NOTHING);
    const line = lineOf(
      parts.map(({ text }) => text),
      width,
      columns.at(-1)?.as === "address",
    );
    const { text = "", style = "plain" } = parts[0] ?? {};
    return line.startsWith(text) ? paint(text, style) + line.slice(text.length) : line;
  });
}

const SEPARATOR = " · ";
/** Shorter text has too little information. */
const LEAST = 8;
/** The status and the time. */
const FIRST = 2;

/** If a line is too long, the last text is shortened, or omitted with the rest. */
function lineOf(given: readonly string[], width: number, endsInAddress: boolean): string {
  const texts = endsInAddress ? withRoomForAddress(given, width) : given;
  const line = texts.join(SEPARATOR) || NOTHING;
  const before = texts
    .slice(0, -1)
    .map((text) => text + SEPARATOR)
    .join("");
  const room = width - textWidth(before);
  if (room < LEAST) return cutEnd(line, width);
  const last = line.slice(before.length);
  return before + fit(last, room, endsInAddress ? endOfAddress(last, room) : undefined);
}

/** Omits texts before a URL, from the right, until the URL is long enough to be identifiable; status and time stay. */
function withRoomForAddress(given: readonly string[], width: number): readonly string[] {
  const [address = ""] = given.slice(-1);
  const needed = Math.min(textWidth(address), ADDRESS);
  for (let kept = given.length - 1; kept >= FIRST; kept -= 1) {
    const texts = [...given.slice(0, kept), address];
    if (textWidth(texts.join(SEPARATOR)) - textWidth(address) + needed <= width) return texts;
  }
  return given;
}

function partOf(entry: unknown, column: FieldColumn, clock: Clock): Cell {
  const shown = show(entry, column, clock);
  return cellOf({ ...shown, text: textInLine(column, shown) });
}

/** All fields of an entry. */
export function formatLogDetail(kind: LogKind, entry: unknown, options: TerminalOptions): string {
  const screen = timedScreenOf(options);
  const facts = detailColumnsOf(kind, entry).map((column) => ({
    title: column.title,
    text: showWhole(entry, column, screen.clock),
    style: show(entry, column, screen.clock).tone,
  }));
  return factLines(facts, screen).join("\n");
}
