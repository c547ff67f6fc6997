import type { LiveChannels } from "@media-ops/contract";
import { fieldNamesOf, fieldOf, itemsIn, numberIn, timeIn } from "@media-ops/reports/entries";
import type { RichTextElement } from "@slack/types";
import { type ListingColumn, markdownItems, terminalItems, textCell, timeCell } from "./lists.js";
import * as markdown from "./markdown/markup.js";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import { type AnswerOptions, answerFrame } from "./values/answer.js";
import { counted, formatCount } from "./values/numbers.js";
import { briefChannel, briefId } from "./values/show.js";
import type { Clock } from "./values/words.js";
import { brief, NOTHING, textOf } from "./values/words.js";

/** The options of every printed list of live channels. */
export interface LiveOptions extends AnswerOptions {
  /** The channel that was asked for, by its name or id. @default all */
  channel?: string | undefined;
}

type LiveParts = ReturnType<typeof liveParts>;
type LiveChannelWords = ReturnType<typeof channelWordsOf>;
type LiveClientWords = ReturnType<typeof clientWordsOf>;

/** Live channels in words, and how many are connected in a sentence; never throws, whatever they contain. */
export function liveParts(live: LiveChannels, options: LiveOptions) {
  const listed = itemsIn(live, "channels");
  const channels = listed.map(channelWordsOf);
  const omitted = numberIn(live, "omitted_channels");
  return {
    ...answerFrame(options, "Live now"),
    words: totalWords(live, channels, options.channel),
    channels,
    clients: listed.flatMap((channel) => itemsIn(channel, "clients").map(clientWordsOf)),
    time: timeIn(live, "timestamp"),
    omitted: omitted + listed.reduce<number>((sum, one) => sum + numberIn(one, "omitted_clients"), 0),
  };
}

/** "5 more channels are not shown."; empty if all are shown. */
export function omittedWords({ clients }: LiveParts, omitted: number): string {
  if (omitted === 0) return "";
  return clients.length > 0
    ? `${counted(omitted, "more connection is", "more connections are")} not shown.`
    : `${counted(omitted, "more channel is", "more channels are")} not shown.`;
}

const channelColumns = (clock: Clock): readonly ListingColumn<LiveChannelWords>[] => [
  { title: "Channel", cell: ({ name }) => textCell(name) },
  {
    title: "Connections",
    cell: ({ connections }) => ({ text: formatCount(connections), tone: "plain", number: connections }),
  },
  { title: "Seats", cell: ({ seats }) => textCell(seats) },
  { title: "Roles", cell: ({ roles }) => textCell(roles) },
  { title: "Since", isTime: true, cell: ({ since }) => timeCell(since, clock) },
];

const clientColumns = (clock: Clock): readonly ListingColumn<LiveClientWords>[] => [
  { title: "Client", cell: ({ client }) => textCell(client) },
  { title: "State", cell: ({ isAdmitted }) => textCell(isAdmitted ? "admitted, not connected yet" : "connected") },
  { title: "Since", isTime: true, cell: ({ since }) => timeCell(since, clock) },
  { title: "Role", cell: ({ role }) => textCell(role) },
  { title: "Connection", cell: ({ connection }) => textCell(connection) },
  { title: "Node", cell: ({ node }) => textCell(node) },
];

/** "7 connections in 2 channels, and 1 client was admitted and has not connected yet." */
function totalWords(live: LiveChannels, channels: readonly LiveChannelWords[], channel: string | undefined): string {
  const [connections, omitted] = [numberIn(live, "connections"), numberIn(live, "omitted_channels")];
  const admitted = channels.reduce((sum, one) => sum + one.admitted, 0);
  const have = admitted === 1 ? "has" : "have";
  const waiting =
    admitted === 0 ? "" : `; ${counted(admitted, "client was", "clients were")} admitted and ${have} not connected yet`;
  const place = ` in ${channel === undefined ? counted(channels.length + omitted, "channel", "channels") : briefChannel(channel)}`;
  return connections === 0
    ? `Nobody is connected${channel === undefined ? "" : place}${waiting}.`
    : `${counted(connections, "connection", "connections")}${place}${waiting}.`;
}

function channelWordsOf(channel: unknown) {
  const [connections, admitted] = [numberIn(channel, "connections"), numberIn(channel, "admitted")];
  return {
    name: briefChannel(textOf(fieldOf(channel, "channel_id"))),
    connections,
    seats: seatsOf(connections + admitted, fieldOf(channel, "limits")),
    roles: rolesOf(fieldOf(channel, "roles")),
    admitted,
    since: timeIn(channel, "since"),
  };
}

/** Admitted clients take seats, too; tokens may differ in their limits. */
function seatsOf(taken: number, limits: unknown): string {
  if (typeof limits !== "object" || limits === null) return NOTHING;
  const [min, max] = [numberIn(limits, "min"), numberIn(limits, "max")];
  const range = min === max ? formatCount(max) : `${formatCount(min)}–${formatCount(max)}`;
  return `${formatCount(taken)} of ${range}`;
}

/** How many roles are named; the media server has three. */
const ROLES = 6;

function rolesOf(roles: unknown): string {
  const named = fieldNamesOf(roles).slice(0, ROLES);
  return named.map((role) => `${formatCount(numberIn(roles, role))} ${brief(role, NAME)}`).join(", ") || NOTHING;
}

/** A connection of the channel that was asked for. */
function clientWordsOf(client: unknown) {
  const text = (field: string): string => brief(textOf(fieldOf(client, field)), NAME);
  return {
    client: text("client_id"),
    connection: briefId(textOf(fieldOf(client, "connection_id"))),
    role: text("role"),
    node: text("node_name"),
    since: timeIn(client, "since"),
    isAdmitted: fieldOf(client, "state") === "admitted",
  };
}

const NAME = 40;

/** A message with live channels. */
export interface SlackLiveMessage extends slack.SlackMessage {
  /** The number of channels that it shows or, if one channel was asked for, of its connections. */
  shown: number;
}

/** Who is connected now: a line for each channel or, if one was asked for, for each of its connections. */
export function slackLive(live: LiveChannels, options: LiveOptions): SlackLiveMessage {
  const parts = liveParts(live, options);
  const { clock, channels, clients, time } = parts;
  const [asked] = clients.length > 0 ? channels : [];
  const all = asked ? clients.map((one) => clientLine(one, clock)) : channels.map((one) => channelLine(one, clock));
  const items = slack.fitting(all, slack.lengthOf);
  const blocks = [
    ...(asked ? [slack.richText(...channelLine(asked, clock))] : []),
    ...(items.length === 0 ? [] : [slack.bulletList(items)]),
    ...(slack.isWritable(time) ? [slack.richText(slack.piece("Counted at "), slack.timeElement(time, clock))] : []),
  ];
  const omitted = omittedWords(parts, parts.omitted + all.length - items.length);
  return { ...slack.answerMessage(parts, blocks, omitted), shown: items.length };
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

const FACTS = 400;

function lineOf(name: string, facts: readonly string[], since: number | undefined, clock: Clock): RichTextElement[] {
  const given = facts.filter((fact) => fact !== NOTHING).map((fact) => ` · ${fact}`);
  return [
    slack.bold(name),
    ...(given.length === 0 ? [] : [slack.piece(slack.fit(given.join(""), FACTS))]),
    ...(since === undefined ? [] : [slack.piece(" · since "), slack.timeElement(since, clock)]),
  ];
}

/** Who is connected now: a row for each channel, and for each connection of a channel that was asked for. */
export function terminalLive(live: LiveChannels, options: LiveOptions & terminal.TerminalScreenOptions): string {
  const parts = liveParts(live, options);
  const { clock, channels, clients } = parts;
  const screen = { ...terminal.screenOf(options), clock };
  const tables = [
    ...terminalItems(channelColumns(clock), channels, screen),
    ...terminalItems(clientColumns(clock), clients, screen),
  ];
  return terminal.answerText({ ...parts, notes: [omittedWords(parts, parts.omitted), ...parts.notes] }, tables, screen);
}

/** Who is connected now: a row for each channel, and for each connection of a channel that was asked for. */
export function markdownLive(live: LiveChannels, options: LiveOptions): string {
  const parts = liveParts(live, options);
  const { clock, channels, clients, time } = parts;
  const words = `${parts.words}${time === undefined ? "" : ` Counted at ${clock.zoned(time)}.`}`;
  const tables = [
    ...markdownItems(channelColumns(clock), channels, clock),
    ...markdownItems(clientColumns(clock), clients, clock),
  ];
  return markdown.answerText({ ...parts, words }, tables, omittedWords(parts, parts.omitted));
}
