import { Refusal } from "../refusal.js";
import { findMessage } from "./messages.js";
import type { Channel, Message } from "./model.js";

/** Where a new message stands: in a thread, in the channel, or in both. */
export type ThreadPosition = Pick<Partial<Message>, "threadTs" | "isBroadcast">;

// Slack accepts fewer digits than its own timestamps have.
const TIMESTAMP = /^\d+\.\d+$/;

/**
 * The position of a message that the app posts with this `thread_ts`.
 *
 * @throws {Refusal} if it is not a timestamp.
 */
export function threadPosition(channel: Channel, threadTs: string | undefined, isBroadcast = false): ThreadPosition {
  if (threadTs === undefined) return {};
  if (!TIMESTAMP.test(threadTs)) {
    const messages = [`[ERROR] ${threadTs} is not a valid thread_ts`];
    throw new Refusal("invalid_thread_ts", { response_metadata: { messages } });
  }
  const target = findMessage(channel, threadTs);
  // If the message was deleted or never existed, Slack posts into the channel, without an error.
  if (!target || target.onlyFor !== undefined) return {};
  // A reply to a reply is shown in the thread and in the channel.
  if (target.threadTs !== undefined) return { threadTs: target.threadTs, isBroadcast: true };
  return { threadTs, isBroadcast };
}

/** The replies to a message that everyone sees, oldest first. */
export function publicReplies({ messages }: Channel, ts: string): Message[] {
  return messages.filter(({ threadTs, onlyFor }) => threadTs === ts && onlyFor === undefined);
}
