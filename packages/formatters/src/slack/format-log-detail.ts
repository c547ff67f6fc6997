import type { LogKind } from "@media-ops/sdk";
import type { RichTextElement } from "@slack/types";
import { columns } from "../columns.js";
import { type Detail, detailsOf } from "../details.js";
import { fieldOf } from "../values/field.js";
import { formatCount } from "../values/numbers.js";
import { NOTHING, textOf } from "../values/text.js";
import { type Clock, clockFor, type TimeOptions } from "../values/time.js";
import type { SlackBlock, SlackMessage } from "./message.js";
import { bold, context, date, exact, fit, isWritable, notification, piece, richText, universal } from "./parts.js";

/** Leaves room for the note, and for what the caller adds. */
const FIELDS = 90;
/** Slack refuses a view of more than 250 kB; a sign has up to three bytes, and stands there up to twice. */
const CHARACTERS = 36_000;
const NAME = 150;
const VALUE = 3000;

/** Everything that an entry holds, as the blocks of a modal. What is too long or too much is cut, and said to be. */
export function formatLogDetail(kind: LogKind, entry: unknown, options: TimeOptions): SlackMessage {
  const clock = clockFor(options);
  const details = detailsOf(kind, entry, clock);
  const blocks: SlackBlock[] = [];
  let room = CHARACTERS;
  for (const detail of details.slice(0, FIELDS)) {
    const elements = [bold(fit(detail.title, NAME)), piece("\n"), ...elementsOf(detail, entry, clock)];
    room -= elements.reduce((sum, element) => sum + lengthOf(element), 0);
    if (room < 0) break;
    blocks.push(richText(...elements));
  }
  const left = details.length - blocks.length;
  if (left > 0) blocks.push(context(`${formatCount(left)} more ${left === 1 ? "field is" : "fields are"} not shown.`));
  const time = details.find(({ as }) => as === "time")?.shown.time;
  return { blocks, text: notification(columns[kind].title, isWritable(time) ? universal(time) : "one entry") };
}

function elementsOf({ field, as, shown }: Detail, entry: unknown, clock: Clock): RichTextElement[] {
  const { whole, time, number } = shown;
  const raw = fieldOf(entry, field);
  if (isWritable(time)) {
    const fallback = `${clock.full(time)} ${clock.timeZone}`;
    return [date(time, "{date_short_pretty} {time_secs} · {ago}", fallback), piece(" · "), ...copyable(textOf(raw))];
  }
  if (number !== undefined || whole === NOTHING) return [piece(whole)];
  if (as === "channel" && whole !== raw) return [piece(`${fit(whole, VALUE)} · `), ...copyable(textOf(raw))];
  return copyable(whole);
}

function copyable(text: string): RichTextElement[] {
  if (text.length <= VALUE) return [exact(text)];
  return [exact(fit(text, VALUE)), piece(` (cut; ${formatCount(text.length)} characters in all)`)];
}

const lengthOf = (element: RichTextElement): number => ("text" in element ? (element.text?.length ?? 0) : 0);
