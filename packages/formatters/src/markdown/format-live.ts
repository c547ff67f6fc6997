import type { LiveChannels } from "@media-ops/sdk";
import { type LiveOptions, liveParts, omittedWords } from "../live-words.js";
import { formatCount } from "../values/numbers.js";
import { NOTHING } from "../values/text.js";
import { noteLines, openingLines, tableBelow } from "./markup.js";

export interface MarkdownLiveOptions extends LiveOptions {}

/**
 * Who is connected now: a row for each channel, and for each connection of a channel that was asked for.
 *
 * @throws {RangeError} for an unknown time zone, or if `now` is not finite.
 */
export function formatLive(live: LiveChannels, options: MarkdownLiveOptions): string {
  const parts = liveParts(live, options);
  const { clock, title, channels, time, note } = parts;
  const clients = channels.flatMap((channel) => channel.clients);
  const timeText = (value: number | undefined): string => (value === undefined ? NOTHING : clock.full(value));
  const since = `Since (${clock.timeZone})`;
  const words = `${parts.words}${time === undefined ? "" : ` Counted at ${clock.zoned(time)}.`}`;
  const titled = (...titles: string[]) => titles.map((name) => ({ title: name, isRight: name === "Connections" }));
  return [
    ...openingLines({ title, words }),
    ...tableBelow(
      titled("Channel", "Connections", "Seats", "Roles", since),
      channels.map(({ name, connections, seats, roles, since }) => {
        return [name, formatCount(connections), seats, roles, timeText(since)];
      }),
    ),
    ...tableBelow(
      titled("Client", "State", since, "Role", "Connection", "Node"),
      clients.map(({ client, isAdmitted, since, role, connection, node }) => {
        return [
          client,
          isAdmitted ? "admitted, not connected yet" : "connected",
          timeText(since),
          role,
          connection,
          node,
        ];
      }),
    ),
    ...noteLines(omittedWords(parts, parts.omitted), note),
  ].join("\n");
}
