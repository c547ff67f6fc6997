import type { LiveChannels } from "@media-ops/contract";
import { itemLines } from "../lists/markdown.js";
import { noteLines, openingLines } from "../markdown/markup.js";
import { channelColumns, clientColumns, type LiveOptions, liveParts, omittedWords } from "./words.js";

/** Who is connected now: a row for each channel, and for each connection of a channel that was asked for. */
export function formatLive(live: LiveChannels, options: LiveOptions): string {
  const parts = liveParts(live, options);
  const { clock, title, channels, time, note } = parts;
  const words = `${parts.words}${time === undefined ? "" : ` Counted at ${clock.zoned(time)}.`}`;
  const clients = channels.flatMap((channel) => channel.clients);
  return [
    ...openingLines({ title, words }),
    ...itemLines(channelColumns(clock), channels, clock),
    ...itemLines(clientColumns(clock), clients, clock),
    ...noteLines(omittedWords(parts, parts.omitted), note),
  ].join("\n");
}
