import { escapeMarkup } from "../http.js";
import { postMessage } from "../world/messages.js";
import type { Channel } from "../world/model.js";
import type { Seat } from "./seat.js";
import { type MessageReference, type SeenMessage, seenMessage } from "./seen.js";

/** Writes a message into a channel, or into a thread of it. */
export async function say(
  seat: Seat,
  channel: Channel,
  text: string,
  thread: MessageReference | undefined,
): Promise<SeenMessage> {
  const { world, team, user } = seat;
  const threadTs = thread && threadOf(seat, channel, thread);
  const message = postMessage(world, channel, { text: escaped(text), blocks: [], userId: user.id, threadTs });
  return seenMessage(team, message);
}

function threadOf(seat: Seat, channel: Channel, reference: MessageReference): string {
  const { message } = seat.messageTarget(reference);
  if (message.channelId !== channel.id) throw new Error(`The message ${message.ts} is not in ${channel.name}.`);
  if (message.onlyFor !== undefined) throw new Error(`Nobody can reply to a message that only ${seat.user.name} sees.`);
  return message.threadTs ?? message.ts;
}

/** Escapes a typed text, except for references that Slack's own pickers insert. */
export function escaped(text: string): string {
  return text
    .split(/(<(?:#C\w+|@U\w+|!subteam\^\w+|https?:\/\/[^<>|\s]+)(?:\|[^<>]*)?>)/)
    .map((part, index) => (index % 2 === 1 ? part : escapeMarkup(part)))
    .join("");
}
