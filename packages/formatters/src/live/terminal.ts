import type { LiveChannels } from "@media-ops/contract";
import { itemLines } from "../lists/terminal.js";
import { noteLines, openingLines, screenOf, type TerminalScreenOptions } from "../terminal/screen.js";
import { channelColumns, clientColumns, type LiveOptions, liveParts, omittedWords } from "./words.js";

export interface TerminalLiveOptions extends LiveOptions, TerminalScreenOptions {}

/** Who is connected now: a row for each channel, and for each connection of a channel that was asked for. */
export function formatLive(live: LiveChannels, options: TerminalLiveOptions): string {
  const parts = liveParts(live, options);
  const { clock, channels, note } = parts;
  const screen = { ...screenOf(options), clock };
  const clients = channels.flatMap((channel) => channel.clients);
  return [
    ...openingLines(parts, screen),
    ...itemLines(channelColumns(clock), channels, screen),
    ...itemLines(clientColumns(clock), clients, screen),
    ...noteLines([omittedWords(parts, parts.omitted), note], screen),
  ].join("\n");
}
