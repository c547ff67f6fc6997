import type { LiveChannels } from "@media-ops/contract";
import { itemLines } from "../lists/terminal.js";
import { answerText, screenOf, type TerminalScreenOptions } from "../terminal/screen.js";
import { channelColumns, clientColumns, type LiveOptions, liveParts, omittedWords } from "./words.js";

/** Who is connected now: a row for each channel, and for each connection of a channel that was asked for. */
export function formatLive(live: LiveChannels, options: LiveOptions & TerminalScreenOptions): string {
  const parts = liveParts(live, options);
  const { clock, channels, clients } = parts;
  const screen = { ...screenOf(options), clock };
  const tables = [
    ...itemLines(channelColumns(clock), channels, screen),
    ...itemLines(clientColumns(clock), clients, screen),
  ];
  return answerText({ ...parts, notes: [omittedWords(parts, parts.omitted), ...parts.notes] }, tables, screen);
}
