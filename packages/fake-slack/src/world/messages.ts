import { isObject, itemsOf } from "../json.js";
import type { Channel, Json, Message, MessageContent, SharedFile, Team } from "./model.js";
import { Refusal } from "./refusal.js";
import { addChannel, type World } from "./world.js";

/** A message to post. */
export interface NewMessage extends MessageContent {
  readonly userId: string;
  /** The only person who sees the message. */
  readonly onlyFor?: string | undefined;
  readonly threadTs?: string | undefined;
  readonly isBroadcast?: boolean | undefined;
  readonly files?: readonly SharedFile[] | undefined;
}

/** Posts a message, and deletes the oldest if there are too many. */
export function postMessage(world: World, channel: Channel, content: NewMessage): Message {
  const message: Message = {
    ts: world.newTs(),
    channelId: channel.id,
    userId: content.userId,
    text: content.text,
    blocks: withIds(world, content.blocks),
    files: content.files ?? [],
    onlyFor: content.onlyFor,
    threadTs: content.threadTs,
    isBroadcast: content.isBroadcast,
    isEdited: false,
  };
  channel.messages.push(message);
  record(world, channel, message, "shown");
  deleteOldest(world, channel, message);
  return message;
}

/** Private messages are counted separately from public ones. */
function deleteOldest(world: World, channel: Channel, { onlyFor }: Message): void {
  const alike = channel.messages.filter((message) => message.onlyFor === onlyFor);
  for (const old of alike.slice(0, -world.keepsMessages)) deleteMessage(world, channel, old);
}

/** Replaces the content of a message. */
export function updateMessage(world: World, channel: Channel, message: Message, content: MessageContent): void {
  message.text = content.text;
  message.blocks = withIds(world, content.blocks);
  // Slack doesn't mark a message with blocks as edited.
  message.isEdited = content.blocks.length === 0;
  record(world, channel, message, "shown");
}

/** Deletes a message, if it still exists. */
export function deleteMessage(world: World, channel: Channel, message: Message): void {
  const index = channel.messages.indexOf(message);
  if (index === -1) return;
  channel.messages.splice(index, 1);
  record(world, channel, message, "hidden");
}

/** The message of a channel with this timestamp. */
export function findMessage(channel: Channel, ts: string): Message | undefined {
  return channel.messages.find((message) => message.ts === ts);
}

/** The direct conversation of two people, or of one with the bot; opened if there is none. */
export function directChannel(world: World, team: Team, one: string, other: string): Channel {
  for (const channel of team.channels.values()) {
    if (channel.kind === "im" && channel.members.has(one) && channel.members.has(other)) return channel;
  }
  return addChannel(world, team, { name: "directmessage", kind: "im", members: [one, other] });
}

function record(world: World, channel: Channel, message: Message, what: "shown" | "hidden"): void {
  const { ts, text, blocks, onlyFor, userId, files } = message;
  world.record({
    teamId: channel.teamId,
    what,
    name: "message",
    users: onlyFor === undefined ? [...channel.members] : [onlyFor],
    detail: {
      channel: channel.id,
      ts,
      user: userId,
      text,
      blocks,
      isOnlyVisibleToYou: onlyFor !== undefined,
      files: files.map(({ name, title }) => ({ name, title })),
    },
  });
}

/** The path that receives announced files. */
export const UPLOAD_PATH = "/upload/v1/";

/** Completes an upload. */
export function takeUpload(world: World, team: Team, id: string, title: string | undefined): SharedFile {
  const upload = world.uploads.get(id);
  if (upload?.teamId !== team.id || upload.content === undefined) throw new Refusal("file_not_found");
  world.uploads.delete(id);
  return { id, name: upload.name, title: title ?? upload.name, content: upload.content };
}

/** Blocks as Slack stores them: blocks and elements without an id get one. */
export function withIds(world: World, blocks: readonly Json[]): readonly Json[] {
  const idOf = (given: unknown, prefix: string): string => (typeof given === "string" ? given : world.newId(prefix));
  const withActionId = (element: unknown): unknown =>
    isObject(element) ? { ...element, action_id: idOf(element.action_id, "A") } : element;
  return blocks.map((block) => ({
    ...block,
    ...(block.type === "input" && { element: withActionId(block.element) }),
    ...(block.type === "actions" && { elements: itemsOf(block.elements).map(withActionId) }),
    block_id: idOf(block.block_id, "B"),
  }));
}

/** Where a new message stands: in a thread, in the channel, or in both. */
export type ThreadPosition = Pick<Partial<Message>, "threadTs" | "isBroadcast">;

// Slack accepts fewer digits than its own timestamps have.
const TIMESTAMP = /^\d+\.\d+$/;

/** The position of a message that the app posts with this `thread_ts`. */
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
