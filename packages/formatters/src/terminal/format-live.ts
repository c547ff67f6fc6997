import type { LiveChannels } from "@media-ops/sdk";
import {
  type LiveChannelWords,
  type LiveClientWords,
  type LiveOptions,
  liveParts,
  omittedWords,
} from "../live-words.js";
import { formatCount } from "../values/numbers.js";
import { NOTHING } from "../values/text.js";
import { type Clock, formatAgo } from "../values/time.js";
import { noteLines, openingLines, screenOf, type TerminalScreenOptions, zoneOf } from "./screen.js";
import { type Cell, type TableColumn, tableLines } from "./table.js";
import { clean } from "./width.js";

export interface TerminalLiveOptions extends LiveOptions, TerminalScreenOptions {}

/**
 * Who is connected now: a row for each channel, and for each connection of a channel that was asked for.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatLive(live: LiveChannels, options: TerminalLiveOptions): string {
  const screen = screenOf(options);
  const { width, paint } = screen;
  const parts = liveParts(live, options);
  const { clock, channels, note } = parts;
  const clients = channels.flatMap((channel) => channel.clients);
  return [
    ...openingLines(parts, screen),
    ...(channels.length > 0 ? ["", ...tableLines(channelColumns(channels, clock), width, paint)] : []),
    ...(clients.length > 0 ? ["", ...tableLines(clientColumns(clients, clock), width, paint)] : []),
    ...noteLines([omittedWords(parts, parts.omitted), note], screen),
  ].join("\n");
}

function channelColumns(channels: readonly LiveChannelWords[], clock: Clock): TableColumn[] {
  return [
    column("Channel", channels, ({ name }) => cell(name)),
    column("Connections", channels, ({ connections }) => number(connections), { isRight: true }),
    column("Seats", channels, ({ seats }) => cell(seats)),
    column("Roles", channels, ({ roles }) => cell(roles)),
    column(`Since${zoneOf(clock)}`, channels, ({ since }) => time(since, clock)),
  ];
}

function clientColumns(clients: readonly LiveClientWords[], clock: Clock): TableColumn[] {
  return [
    column("Client", clients, ({ client }) => cell(client)),
    column("State", clients, ({ isAdmitted }) => cell(isAdmitted ? "admitted, not connected yet" : "connected")),
    column(`Since${zoneOf(clock)}`, clients, ({ since }) => time(since, clock)),
    column("Role", clients, ({ role }) => cell(role)),
    column("Connection", clients, ({ connection }) => cell(connection)),
    column("Node", clients, ({ node }) => cell(node)),
  ];
}

function column<Row>(
  title: string,
  rows: readonly Row[],
  write: (row: Row) => Cell,
  { isRight = false } = {},
): TableColumn {
  return { title, isRight, isOptional: false, isAddress: false, cells: rows.map(write) };
}

const cell = (text: string): Cell => ({ text: clean(text), style: "plain", isFixed: false });

const number = (value: number): Cell => ({ text: formatCount(value), style: "plain", isFixed: true });

function time(value: number | undefined, clock: Clock): Cell {
  if (value === undefined) return cell(NOTHING);
  return { text: clock.short(value), rest: ` · ${formatAgo(value, clock.now)}`, style: "plain", isFixed: true };
}
