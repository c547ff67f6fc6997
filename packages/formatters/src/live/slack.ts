import type { LiveChannels } from "@media-ops/contract";
import type { RichTextElement } from "@slack/types";
import {
  answerMessage,
  bold,
  bulletList,
  date,
  dateLength,
  fit,
  formatFor,
  isWritable,
  LINES_CHARACTERS,
  piece,
  richText,
  type SlackMessage,
  titleOf,
} from "../slack/parts.js";
import { formatCount } from "../values/numbers.js";
import { NOTHING } from "../values/text.js";
import type { Clock } from "../values/time.js";
import { type LiveChannelWords, type LiveClientWords, type LiveOptions, liveParts, omittedWords } from "./words.js";

/** A message with live channels. */
export interface SlackLiveMessage extends SlackMessage {
  /** The number of channels that it shows or, if one channel was asked for, of its connections. */
  shown: number;
}

/** Who is connected now: a line for each channel or, if one was asked for, for each of its connections. */
export function formatLive(live: LiveChannels, options: LiveOptions): SlackLiveMessage {
  const parts = liveParts(live, options);
  const { clock, words, channels, time, note } = parts;
  const title = titleOf(parts.title, "Live now");
  const clients = channels.flatMap((channel) => channel.clients);
  const [asked] = clients.length > 0 ? channels : [];
  const all = asked ? clients.map((one) => clientLine(one, clock)) : channels.map((one) => channelLine(one, clock));
  const items = fitting(all);
  const small = [omittedWords(parts, parts.omitted + all.length - items.length), note];
  const blocks = [
    ...(asked ? [richText(...channelLine(asked, clock))] : []),
    ...(items.length === 0 ? [] : [bulletList(items)]),
    ...(isWritable(time) ? [richText(piece("Counted at "), date(time, formatFor([time], clock.now)))] : []),
  ];
  return { ...answerMessage({ title, words }, blocks, small), shown: items.length };
}

const NAME = 400;

/** "lobby · 5 connections · 5 of 5 seats · 3 sendrecv, 2 recvonly · since 14:03:22 · 2 min ago" */
function channelLine(
  { name, connections, admitted, seats, roles, since }: LiveChannelWords,
  clock: Clock,
): RichTextElement[] {
  const facts = [
    `${formatCount(connections)} ${connections === 1 ? "connection" : "connections"}`,
    ...(admitted === 0 ? [] : [`${formatCount(admitted)} admitted`]),
    ...(seats === NOTHING ? [] : [`${seats} seats`]),
    ...(roles === NOTHING ? [] : [roles]),
  ];
  return [bold(name), piece(fit(` · ${facts.join(" · ")}`, NAME)), ...sinceParts(since, clock)];
}

function clientLine(
  { client, connection, role, node, since, isAdmitted }: LiveClientWords,
  clock: Clock,
): RichTextElement[] {
  const facts = [
    ...(client === NOTHING ? [] : [`connection ${connection}`]),
    ...(role === NOTHING ? [] : [role]),
    ...(node === NOTHING ? [] : [`on ${node}`]),
    ...(isAdmitted ? ["admitted, not connected yet"] : []),
  ];
  const name = client === NOTHING ? `connection ${connection}` : client;
  return [
    bold(name),
    ...(facts.length === 0 ? [] : [piece(fit(` · ${facts.join(" · ")}`, NAME))]),
    ...sinceParts(since, clock),
  ];
}

function sinceParts(since: number | undefined, clock: Clock): RichTextElement[] {
  if (since === undefined) return [];
  const time = isWritable(since) ? date(since, formatFor([since], clock.now)) : piece(clock.short(since));
  return [piece(" · since "), time];
}

/** As many lines as fit. */
function fitting(lines: readonly RichTextElement[][]): RichTextElement[][] {
  let room = LINES_CHARACTERS;
  const end = lines.findIndex((line) => {
    room -= line.reduce((sum, element) => sum + lengthOf(element), 0);
    return room < 0;
  });
  return lines.slice(0, end === -1 ? lines.length : end);
}

function lengthOf(element: RichTextElement): number {
  if (element.type === "date") return dateLength(element.timestamp * 1000, element.format);
  return element.type === "text" ? element.text.length : 0;
}
