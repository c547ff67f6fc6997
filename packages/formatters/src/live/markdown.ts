import type { LiveChannels } from "@media-ops/contract";
import { itemLines } from "../lists/markdown.js";
import { answerText } from "../markdown/markup.js";
import { channelColumns, clientColumns, type LiveOptions, liveParts, omittedWords } from "./words.js";

/** Who is connected now: a row for each channel, and for each connection of a channel that was asked for. */
export function formatLive(live: LiveChannels, options: LiveOptions): string {
  const parts = liveParts(live, options);
  const { clock, channels, clients, time } = parts;
  const words = `${parts.words}${time === undefined ? "" : ` Counted at ${clock.zoned(time)}.`}`;
  const tables = [
    ...itemLines(channelColumns(clock), channels, clock),
    ...itemLines(clientColumns(clock), clients, clock),
  ];
  return answerText({ ...parts, words }, tables, omittedWords(parts, parts.omitted));
}
