import { directChannel } from "../../world/messages.js";
import type { Channel } from "../../world/model.js";
import { flagArg, listArg, textArg } from "../arguments.js";
import { channelAsSlack, messageAsSlack } from "../as-slack.js";
import { channelOf, HISTORY_SCOPES, needScope, personOf, READ_SCOPES } from "../lookup.js";
import { type BotCall, botMethod } from "../method.js";
import { pageOf } from "../pages.js";
import { Refusal } from "../refusal.js";

export const conversationsOpen = botMethod(["im:write"], (call) => {
  const { world, team, installation, args } = call;
  const given = textArg(args, "channel");
  if (given !== undefined) return { channel: { id: channelOf(call, given).id } };
  const [first, ...more] = listArg(args, "users");
  if (first === undefined) throw new Refusal("users_list_not_supplied");
  if (more.length > 0) throw new Refusal("not_enough_users");
  const user = personOf(team, first);
  if (user.isBot) throw new Refusal("cannot_dm_bot");
  const channel = directChannel(world, team, user.id, installation.botUserId);
  const full = flagArg(args, "return_im");
  return { channel: full ? channelAsSlack(channel, installation.botUserId) : { id: channel.id } };
});

export const conversationsInfo = botMethod(READ_SCOPES, (call) => {
  const channel = readable(call);
  const shape = channelAsSlack(channel, call.installation.botUserId);
  if (flagArg(call.args, "include_num_members")) return { channel: shape };
  const { num_members: _, ...rest } = shape;
  return { channel: rest };
});

export const conversationsList = botMethod(READ_SCOPES, (call) =>
  listed(call, (channel) => channel.kind === "public" || channel.members.has(call.installation.botUserId)),
);

export const usersConversations = botMethod(READ_SCOPES, (call) => {
  const botUserId = call.installation.botUserId;
  const user = personOf(call.team, textArg(call.args, "user") ?? botUserId);
  return listed(call, ({ kind, members }) => members.has(user.id) && (kind === "public" || members.has(botUserId)));
});

export const conversationsMembers = botMethod(READ_SCOPES, (call) => {
  const { items, response_metadata } = pageOf([...readable(call).members], call.args);
  return { members: items, response_metadata };
});

export const conversationsJoin = botMethod(["channels:join"], (call) => {
  const { installation } = call;
  const channel = channelOf(call, textArg(call.args, "channel"));
  if (channel.kind !== "public") throw new Refusal("method_not_supported_for_channel_type");
  if (channel.isArchived) throw new Refusal("is_archived");
  channel.members.add(installation.botUserId);
  return { channel: channelAsSlack(channel, installation.botUserId) };
});

export const conversationsHistory = botMethod(HISTORY_SCOPES, (call) => {
  const { world, team, installation, args } = call;
  const channel = channelOf(call, textArg(args, "channel"));
  needScope(call, channel.kind, "history");
  if (!channel.members.has(installation.botUserId)) throw new Refusal("not_in_channel");
  const isIn = spanOf(call);
  const shown = channel.messages.filter(({ onlyFor, ts }) => onlyFor === undefined && isIn(ts)).reverse();
  const { items, hasMore, response_metadata } = pageOf(shown, args);
  return {
    messages: items.map((message) => messageAsSlack(world, team, message)),
    has_more: hasMore,
    response_metadata,
  };
});

function spanOf({ args }: BotCall): (ts: string) => boolean {
  const oldest = Number(textArg(args, "oldest") ?? 0);
  const latest = Number(textArg(args, "latest") ?? Number.POSITIVE_INFINITY);
  const isInclusive = flagArg(args, "inclusive");
  return (ts) => {
    const time = Number(ts);
    return (time > oldest && time < latest) || (isInclusive && (time === oldest || time === latest));
  };
}

function readable(call: BotCall): Channel {
  const channel = channelOf(call, textArg(call.args, "channel"));
  needScope(call, channel.kind, "read");
  return channel;
}

const KINDS: Readonly<Record<string, Channel["kind"]>> = {
  public_channel: "public",
  private_channel: "private",
  im: "im",
};

function listed(call: BotCall, isKnown: (channel: Channel) => boolean) {
  const { team, installation, args } = call;
  const types = listArg(args, "types");
  const kinds = (types.length > 0 ? types : ["public_channel"]).flatMap((type) => kindOf(type));
  for (const kind of kinds) needScope(call, kind, "read");
  const withArchived = !flagArg(args, "exclude_archived");
  const all = [...team.channels.values()].filter(
    (channel) => kinds.includes(channel.kind) && isKnown(channel) && (withArchived || !channel.isArchived),
  );
  const { items, response_metadata } = pageOf(all, args);
  return { channels: items.map((channel) => channelAsSlack(channel, installation.botUserId)), response_metadata };
}

function kindOf(type: string): Channel["kind"][] {
  const kind = KINDS[type];
  if (kind !== undefined) return [kind];
  // There are none of them here.
  if (type === "mpim") return [];
  throw new Refusal("invalid_types");
}
