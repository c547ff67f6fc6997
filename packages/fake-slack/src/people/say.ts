import { postMessage } from "../world/messages.js";
import type { Channel, Json, Message } from "../world/model.js";
import { escaped } from "./references.js";
import type { Seat } from "./seat.js";
import { type MessageReference, type SeenMessage, seenMessage } from "./seen.js";

/**
 * Writes a message into a channel, or into a thread of it. If it mentions the bot there, the app receives
 * `app_mention`.
 */
export async function say(
  seat: Seat,
  channel: Channel,
  text: string,
  thread: MessageReference | undefined,
): Promise<SeenMessage> {
  const { world, team, user } = seat;
  const threadTs = thread && threadOf(seat, channel, thread);
  const message = postMessage(world, channel, { text: escaped(text), blocks: [], userId: user.id, threadTs });
  if (isMention(seat, channel, message)) await seat.send("event", mentionEvent(seat, message));
  return seenMessage(team, message);
}

/** Outside its channels, Slack asks the person to invite the bot; a direct message to it is no mention. */
function isMention({ team: { installation } }: Seat, { kind, members }: Channel, { text }: Message): boolean {
  if (!installation?.scopes.includes("app_mentions:read")) return false;
  const { botUserId } = installation;
  return kind !== "im" && members.has(botUserId) && new RegExp(`<@${botUserId}[|>]`).test(text);
}

function mentionEvent({ team, user }: Seat, { ts, text, channelId, threadTs }: Message): Json {
  const teamId = user.homeTeamId ?? team.id;
  return {
    type: "app_mention",
    user: user.id,
    text,
    ts,
    team: teamId,
    ...(user.homeTeamId !== undefined && { user_team: teamId, source_team: teamId }),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    channel: channelId,
    event_ts: ts,
  };
}

function threadOf(seat: Seat, channel: Channel, reference: MessageReference): string {
  const { message } = seat.messageTarget(reference);
  if (message.channelId !== channel.id) throw new Error(`The message ${message.ts} is not in ${channel.name}.`);
  if (message.onlyFor !== undefined) throw new Error(`Nobody can reply to a message that only ${seat.user.name} sees.`);
  return message.threadTs ?? message.ts;
}
