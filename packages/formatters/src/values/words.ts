import { checkedNow, DAY, HOUR, jsonOf, MINUTE, offsetsIn, SECOND, within } from "@media-ops/reports/entries";

/** The placeholder for a missing value. */
export const NOTHING = "–";

/** Most texts are plain, which avoids a slow check. */
const PLAIN = /^[ -~]*$/;

// Characters that could make untrusted text misleading.
const UNRULY = new RegExp(
  [
    // Characters that move the cursor or end a line; lone surrogates; annotations.
    "[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\ufff9-\\ufffb]",
    // Invisible characters, such as changes of the writing direction, except those that scripts and emoji need.
    "(?![\\u200c\\u200d\\u180b-\\u180d\\u180f\\ufe00-\\ufe0f\\u{e0020}-\\u{e007f}\\u{e0100}-\\u{e01ef}])\\p{Default_Ignorable_Code_Point}",
    // Even these, if they are only hidden: joiners beside plain letters,
    "(?<![^\\0-\\x7f])[\\u200c\\u200d]|[\\u200c\\u200d](?![^\\0-\\x7f])",
    // variants of plain letters that are not keycaps,
    "(?<![^\\0-\\x7f])(?!\\ufe0f\\u20e3)[\\u180b-\\u180d\\u180f\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]",
    // and tags that do not make a flag.
    "(?<!\\u{1f3f4}[\\u{e0020}-\\u{e007f}]{0,6})[\\u{e0020}-\\u{e007f}]",
    // More marks on one letter than any script uses: they would cover the lines around it.
    "\\p{M}(?<=\\p{M}{9})",
  ].join("|"),
  "gu",
);

/** The text on one line, with a visible replacement for every control and hidden character. */
export function oneLine(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNRULY, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}

/** Any value as text on one line; never throws. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null || value === "") return NOTHING;
  return oneLine(typeof value === "string" ? value : (jsonOf(value) ?? typeof value));
}

/**
 * The text on one line, without its middle if it is longer than `longest` characters. Only its two ends are processed,
 * for constant cost.
 */
export function brief(text: string, longest: number, atEnd: number = Math.floor((longest - 1) / 2)): string {
  // More than can be shown, even with surrogate pairs and combined characters.
  const room = 8 * longest;
  const line = oneLine(text.length <= 2 * room ? text : text.slice(0, room) + text.slice(-room));
  if (line.length <= longest) return line;
  const atStart = longest - 1 - atEnd;
  if (PLAIN.test(line)) return `${line.slice(0, atStart)}…${line.slice(line.length - atEnd)}`;
  const characters = Array.from(line);
  if (characters.length <= longest) return line;
  const headEnd = characters.slice(0, atStart).join("").length;
  const tailStart = line.length - characters.slice(characters.length - atEnd).join("").length;
  return aroundMiddle(line, headEnd, tailStart).join("…");
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Some engines take quadratic time, so long texts are segmented in pieces. */
const PIECE = 1000;

/** The graphemes of a text: a letter with its marks is one, and so is a family emoji. */
export function graphemesOf(text: string): string[] {
  const signs: string[] = [];
  for (let at = 0, length = PIECE; at < text.length; ) {
    const end = at + length + (isWithinPair(text, at + length) ? 1 : 0);
    const found = Array.from(segmenter.segment(text.slice(at, end)), ({ segment }) => segment);
    // The last grapheme may continue in the next piece, and certainly does if it fills a whole one.
    if (end < text.length) found.pop();
    length = found.length === 0 ? length * 2 : PIECE;
    for (const sign of found) {
      signs.push(sign);
      at += sign.length;
    }
  }
  return signs;
}

const isWithinPair = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** The text before one index and after another, without partial graphemes. */
export function aroundMiddle(text: string, headEnd: number, tailStart: number): [head: string, tail: string] {
  const segments = segmenter.segment(text);
  const start = (at: number): number => segments.containing(at)?.index ?? text.length;
  const cut = segments.containing(tailStart);
  const next = cut && cut.index < tailStart ? cut.index + cut.segment.length : tailStart;
  return [text.slice(0, start(headEnd)), text.slice(next)];
}

/** "a, b and c" */
export const listWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const AGO: readonly (readonly [below: number, unit: string, length: number])[] = [
  [MINUTE, "s", SECOND],
  [HOUR, "min", MINUTE],
  [DAY, "h", HOUR],
  [Number.POSITIVE_INFINITY, "d", DAY],
];

/** The distance of a time from now: "2 min ago", "in 3 h", "now". */
export function formatAgo(time: number, now: number): string {
  const distance = Math.abs(now - time);
  if (distance < SECOND) return "now";
  // 9 min 59 s reads as 10 min.
  const count = (length: number): number => (time <= now ? Math.floor : Math.round)(distance / length);
  const [, unit, length] = AGO.find(([below, , length]) => count(length) * length < below) ?? [0, "d", DAY];
  return time <= now ? `${count(length)} ${unit} ago` : `in ${count(length)} ${unit}`;
}

/** Writes times in one zone. Create it once for many times: finding a zone's offset is slow. */
export interface Clock {
  now: number;
  timeZone: string;
  /** As short as possible: only the time for today, otherwise with the date, and with the year if it differs. */
  short(time: number): string;
  /** Date and time to the second: "2026-11-21 14:03:22". */
  full(time: number): string;
  /** The same with the zone: "2026-11-21 14:03:22 UTC". */
  zoned(time: number): string;
}

/**
 * The options of every printer, which throws a `RangeError` for an unknown time zone, or if `now` is not finite.
 */
export interface TimeOptions {
  /** The current time in milliseconds since 1970, such as `Date.now()`. */
  now: number;
  /** The zone of the times, by its IANA name. @default "UTC" */
  timeZone?: string | undefined;
}

/** Creates a clock for one zone. */
export function clockFor({ now, timeZone = "UTC" }: TimeOptions): Clock {
  checkedNow(now);
  const offsetAt = offsetsIn(timeZone);
  const local = (time: number): string => isoOf(time + offsetAt(time));
  const today = local(now).slice(0, 10);
  const full = (time: number): string => local(time).slice(0, 19).replace("T", " ");
  return {
    now,
    timeZone,
    short(time) {
      const text = local(time);
      if (text.startsWith(today)) return text.slice(11, 19);
      const isThisYear = text.slice(0, 4) === today.slice(0, 4);
      return isThisYear ? `${monthAndDay(text)} ${text.slice(11, 19)}` : `${text.slice(0, 10)} ${text.slice(11, 19)}`;
    },
    full,
    zoned: (time) => `${full(time)} ${timeZone}`,
  };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "Nov 3" of "2026-11-03T…" */
export function monthAndDay(iso: string): string {
  return `${MONTHS[Number(iso.slice(5, 7)) - 1]} ${Number(iso.slice(8, 10))}`;
}

const isoOf = (time: number): string => new Date(within(time)).toISOString();
