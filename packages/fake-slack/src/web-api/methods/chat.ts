import { deleteMessage, findMessage, postMessage, updateMessage } from "../../world/messages.js";
import type { Channel, Message } from "../../world/model.js";
import { neededArg, textArg } from "../arguments.js";
import { messageAsSlack } from "../as-slack.js";
import { addressOf, channelOf, refuseOutsider } from "../lookup.js";
import { messageContent } from "../message-content.js";
import { type BotCall, botMethod } from "../method.js";
import { Refusal } from "../refusal.js";

const WRITE = ["chat:write"];

export const chatPostMessage = botMethod(WRITE, (call) => {
  const { world, team, installation, args } = call;
  const channel = addressOf(call);
  refuseOutsider(call, channel, "chat:write.public");
  const content = messageContent(world, args);
  const threadTs = textArg(args, "thread_ts");
  const message = postMessage(world, channel, { ...content, userId: installation.botUserId, threadTs });
  return { channel: channel.id, ts: message.ts, message: messageAsSlack(world, team, message) };
});

export const chatPostEphemeral = botMethod(WRITE, (call) => {
  const { world, team, installation, args } = call;
  const channel = channelOf(call, textArg(args, "channel"));
  const reader = neededArg(args, "user");
  refuseOutsider(call, channel);
  if (!team.users.has(reader) || !channel.members.has(reader)) throw new Refusal("user_not_in_channel");
  const content = messageContent(world, args);
  const threadTs = textArg(args, "thread_ts");
  const message = postMessage(world, channel, {
    ...content,
    userId: installation.botUserId,
    onlyFor: reader,
    threadTs,
  });
  return { message_ts: message.ts };
});

export const chatUpdate = botMethod(WRITE, (call) => {
  const { world, team, args } = call;
  const { channel, message } = ownMessage(call, "cant_update_message");
  const hasText = textArg(args, "text") !== undefined;
  // Where nothing but the text is new, the blocks go; where there is no new text, they stay.
  const isOnlyText = args.blocks === undefined && hasText;
  const blocks = args.blocks ?? (isOnlyText ? undefined : message.blocks);
  const content = messageContent(world, { text: hasText ? args.text : message.text, blocks });
  updateMessage(world, channel, message, content);
  return {
    channel: channel.id,
    ts: message.ts,
    text: message.text,
    message: messageAsSlack(world, team, message),
  };
});

export const chatDelete = botMethod(WRITE, (call) => {
  const { channel, message } = ownMessage(call, "cant_delete_message");
  deleteMessage(call.world, channel, message);
  return { channel: channel.id, ts: message.ts };
});

export const chatGetPermalink = botMethod([], (call) => {
  const channel = channelOf(call, textArg(call.args, "channel"));
  const message = lastingMessage(channel, neededArg(call.args, "message_ts"));
  const path = `p${message.ts.replace(".", "")}`;
  return { channel: channel.id, permalink: `https://${call.team.domain}.slack.com/archives/${channel.id}/${path}` };
});

/** A message that all see. One for a single person can only be changed by a `response_url`. */
function lastingMessage(channel: Channel, ts: string): Message {
  const message = findMessage(channel, ts);
  if (!message || message.onlyFor !== undefined) throw new Refusal("message_not_found");
  return message;
}

function ownMessage(call: BotCall, error: string): { channel: Channel; message: Message } {
  const channel = channelOf(call, textArg(call.args, "channel"));
  const message = lastingMessage(channel, neededArg(call.args, "ts"));
  if (message.userId !== call.installation.botUserId) throw new Refusal(error);
  if (channel.isArchived) throw new Refusal("is_archived");
  return { channel, message };
}
