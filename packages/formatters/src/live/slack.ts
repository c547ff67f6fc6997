import type { LiveChannels } from "@media-ops/contract";
import type { RichTextElement } from "@slack/types";
import {
  answerMessage,
  bold,
  bulletList,
  fit,
  fitting,
  isWritable,
  piece,
  richText,
  type SlackMessage,
  timeElement,
} from "../slack/parts.js";
import { counted, formatCount } from "../values/numbers.js";
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
  const { clock, channels, clients, time } = parts;
  const [asked] = clients.length > 0 ? channels : [];
  const all = asked ? clients.map((one) => clientLine(one, clock)) : channels.map((one) => channelLine(one, clock));
  const items = fitting(all);
  const blocks = [
    ...(asked ? [richText(...channelLine(asked, clock))] : []),
    ...(items.length === 0 ? [] : [bulletList(items)]),
    ...(isWritable(time) ? [richText(piece("Counted at "), timeElement(time, clock))] : []),
  ];
  const omitted = omittedWords(parts, parts.omitted + all.length - items.length);
  return { ...answerMessage(parts, blocks, omitted), shown: items.length };
}

/** "lobby · 5 connections · 5 of 5 seats · 3 sendrecv, 2 recvonly · since 14:03:22 · 2 min ago" */
function channelLine(channel: LiveChannelWords, clock: Clock): RichTextElement[] {
  const { name, connections, admitted, seats, roles, since } = channel;
  const facts = [
    counted(connections, "connection", "connections"),
    admitted === 0 ? NOTHING : `${formatCount(admitted)} admitted`,
    seats === NOTHING ? NOTHING : `${seats} seats`,
    roles,
  ];
  return lineOf(name, facts, since, clock);
}

function clientLine(client: LiveClientWords, clock: Clock): RichTextElement[] {
  const { connection, role, node, since, isAdmitted } = client;
  const isNamed = client.client !== NOTHING;
  const facts = [
    isNamed ? `connection ${connection}` : NOTHING,
    role,
    node === NOTHING ? NOTHING : `on ${node}`,
    isAdmitted ? "admitted, not connected yet" : NOTHING,
  ];
  return lineOf(isNamed ? client.client : `connection ${connection}`, facts, since, clock);
}

/** The longest facts of a line. */
const FACTS = 400;

function lineOf(name: string, facts: readonly string[], since: number | undefined, clock: Clock): RichTextElement[] {
  const given = facts.filter((fact) => fact !== NOTHING).map((fact) => ` · ${fact}`);
  return [
    bold(name),
    ...(given.length === 0 ? [] : [piece(fit(given.join(""), FACTS))]),
    ...(since === undefined ? [] : [piece(" · since "), timeElement(since, clock)]),
  ];
}
