import type { FieldColumn, ValueKind } from "../columns.js";
import { splitChannel } from "./channel.js";
import { fieldOf } from "./field.js";
import { formatBytes, formatCount, formatDuration } from "./numbers.js";
import { formatStatus, type Tone } from "./status.js";
import { NOTHING, oneLine, shortened, textOf } from "./text.js";
import { type Clock, formatAgo, millisecondsOf } from "./time.js";

/** A value as it is shown, before a printer has escaped and aligned it. Every text is on one line and never empty. */
export interface Shown {
  /** Short, as it stands in a table. */
  text: string;
  /** With nothing left out, as it stands where one entry is shown. */
  whole: string;
  tone: Tone;
  /** What a time is in milliseconds since 1970; only for times. */
  time?: number;
  /** What tables sort by, and what is aligned to the right; only for numbers. */
  number?: number;
}

/** Longest texts within a table. */
const ADDRESS = 48;
const TEXT = 40;
/** Many ids begin with when they were made: their first eight characters tell that, their last four which they are. */
const ID = { longest: 13, atEnd: 4 };

/** A field of an entry as people read it. What is missing gives a dash, what is of another type its text. */
export function show(entry: unknown, { field, as }: Pick<FieldColumn, "field" | "as">, clock: Clock): Shown {
  const value = fieldOf(entry, field);
  if (value === undefined || value === null || value === "") return { text: NOTHING, whole: NOTHING, tone: "plain" };
  return showAs[as](value, clock) ?? anything(value);
}

type Show = (value: unknown, clock: Clock) => Shown | undefined;

const number = (write: (value: number) => Omit<Shown, "number">): Show => {
  return (value) =>
    typeof value === "number" && Number.isFinite(value) ? { ...write(value), number: value } : undefined;
};

const string = (write: (value: string) => Pick<Shown, "text" | "whole">): Show => {
  return (value) => (typeof value === "string" ? { ...write(value), tone: "plain" } : undefined);
};

const showAs: { readonly [Kind in ValueKind]: Show } = {
  time(value, clock) {
    const time = millisecondsOf(value);
    if (time === undefined) return undefined;
    const ago = formatAgo(time, clock.now);
    return {
      text: `${clock.short(time)} · ${ago}`,
      whole: `${clock.full(time)} ${clock.timeZone} · ${ago} · ${textOf(value)}`,
      tone: "plain",
      time,
    };
  },
  status: number((status) => {
    const { text, tone } = formatStatus(status);
    return { text, whole: text, tone };
  }),
  milliseconds: number((elapsed) => ({
    text: formatDuration(elapsed),
    whole: withExact(formatDuration(elapsed), `${formatCount(elapsed)} ms`),
    tone: "plain",
  })),
  minutes: number((minutes) => {
    const text = minutes === 0 ? "0 min" : formatDuration(minutes * 60_000);
    return { text, whole: withExact(text, `${formatCount(minutes)} min`), tone: "plain" };
  }),
  bytes: number((bytes) => {
    const text = formatBytes(bytes);
    return { text, whole: withExact(text, `${formatCount(bytes)} B`, `${formatCount(bytes)} bytes`), tone: "plain" };
  }),
  count: number((count) => ({ text: formatCount(count), whole: formatCount(count), tone: "plain" })),
  channel: string((id) => {
    const { name, project } = splitChannel(id);
    const whole = oneLine(name) || NOTHING;
    return { text: shortened(whole, TEXT), whole: project ? `${whole} (project ${oneLine(project)})` : whole };
  }),
  id: string((id) => {
    const whole = oneLine(id);
    return { text: shortened(whole, ID.longest, ID.atEnd), whole };
  }),
  address: string((address) => {
    const whole = oneLine(address);
    return { text: shortened(whole.replace(/^https:\/\//, ""), ADDRESS) || NOTHING, whole };
  }),
  text: string((text) => {
    const whole = oneLine(text);
    return { text: shortened(whole, TEXT), whole };
  }),
};

/** The exact value beside the one that is easy to read, where the two differ. */
function withExact(text: string, same: string, exact: string = same): string {
  return text === same ? text : `${text} (${exact})`;
}

function anything(value: unknown): Shown {
  const whole = textOf(value);
  return { text: shortened(whole, TEXT), whole, tone: "plain" };
}
