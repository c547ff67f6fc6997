import type { SeenMessage } from "@media-ops/fake-slack";

/** The replies to a message, as its channel shows them. */
interface Replies {
  /** Without those that only one person sees. */
  readonly count: number;
  /** The timestamp of the last one. */
  readonly last: string;
}

/** Splits the messages of a channel: those that it shows, and the replies to each by its timestamp. */
export function threadsOf(messages: readonly SeenMessage[]) {
  const replies = new Map<string, Replies>();
  for (const { threadTs, ts, isOnlyVisibleToYou } of messages) {
    if (threadTs === undefined || isOnlyVisibleToYou) continue;
    replies.set(threadTs, { count: (replies.get(threadTs)?.count ?? 0) + 1, last: ts });
  }
  const shown = messages.filter(({ threadTs }) => threadTs === undefined);
  return { shown, replies };
}

/** Returns the message that begins a thread, and its replies. Undefined if the message is gone. */
export function threadAt(messages: readonly SeenMessage[], ts: string | undefined) {
  const root = messages.find((message) => message.ts === ts && message.threadTs === undefined);
  return root && { root, replies: messages.filter(({ threadTs }) => threadTs === ts) };
}
