import { withIds } from "./block-ids.js";
import type { Channel, Json, Message, SharedFile, Team, World } from "./model.js";

/** What a message says. */
export interface MessageContent {
  readonly text: string;
  readonly blocks: readonly Json[];
}

export interface NewMessage extends MessageContent {
  readonly userId: string;
  /** The only one who is to see it. */
  readonly onlyFor?: string | undefined;
  readonly threadTs?: string | undefined;
  readonly files?: readonly SharedFile[] | undefined;
}

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
    isEdited: false,
  };
  channel.messages.push(message);
  tellOf(world, channel, message, "shown");
  forgetOld(world, channel, message);
  return message;
}

/** What is for one person alone takes no room from what is for all. */
function forgetOld(world: World, channel: Channel, { onlyFor }: Message): void {
  const alike = channel.messages.filter((message) => message.onlyFor === onlyFor);
  for (const old of alike.slice(0, -world.keepsMessages)) deleteMessage(world, channel, old);
}

export function updateMessage(world: World, channel: Channel, message: Message, content: MessageContent): void {
  message.text = content.text;
  message.blocks = withIds(world, content.blocks);
  // Slack does not say "(edited)" where there are blocks.
  message.isEdited = content.blocks.length === 0;
  tellOf(world, channel, message, "shown");
}

export function deleteMessage(world: World, channel: Channel, message: Message): void {
  const index = channel.messages.indexOf(message);
  if (index === -1) return;
  channel.messages.splice(index, 1);
  tellOf(world, channel, message, "hidden");
}

export function findMessage(channel: Channel, ts: string): Message | undefined {
  return channel.messages.find((message) => message.ts === ts);
}

/** The direct conversation of a person with another one or with the bot; there is one from the first word on. */
export function directChannel(world: World, team: Team, one: string, other: string): Channel {
  for (const channel of team.channels.values()) {
    if (channel.kind === "im" && channel.members.has(one) && channel.members.has(other)) return channel;
  }
  const channel: Channel = {
    id: world.newId("D"),
    teamId: team.id,
    name: "directmessage",
    kind: "im",
    members: new Set([one, other]),
    messages: [],
    isArchived: false,
  };
  team.channels.set(channel.id, channel);
  return channel;
}

function tellOf(world: World, channel: Channel, message: Message, what: "shown" | "hidden"): void {
  const { ts, text, blocks, onlyFor } = message;
  world.tell({
    teamId: channel.teamId,
    what,
    name: "message",
    users: onlyFor === undefined ? [...channel.members] : [onlyFor],
    detail: {
      channel: channel.id,
      ts,
      user: message.userId,
      text,
      blocks,
      isOnlyVisibleToYou: onlyFor !== undefined,
      files: message.files.map(({ name, title }) => ({ name, title })),
    },
  });
}
