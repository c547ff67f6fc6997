import { Refusal } from "../../refusal.js";
import { directChannel } from "../../world/messages.js";
import type { Channel, Json, Message } from "../../world/model.js";
import { flagArg, textArg } from "../arguments.js";
import { channelAsSlack, messageAsSlack } from "../as-slack.js";
import { channelOf, personOf, refuseWithoutScope } from "../lookup.js";
import type { BotCall, BotMethods } from "../method.js";

/** Each kind of conversation needs its own scope. Group conversations (`mpim`) are not modelled. */
const SCOPE_PREFIXES: Readonly<Record<Channel["kind"], string>> = { public: "channels", private: "groups", im: "im" };

const scopesFor = (right: string): string[] => ["channels", "groups", "mpim", "im"].map((kind) => `${kind}:${right}`);

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 999;

/** The methods about channels and direct conversations. */
export const conversationMethods: BotMethods = {
  "conversations.history": {
    scopes: scopesFor("history"),
    run: (call) => {
      const { world, team, installation, args } = call;
      const channel = readableChannel(call, "history");
      if (!channel.members.has(installation.botUserId)) throw new Refusal("not_in_channel");
      const { messages, hasMore } = historyOf(channel, args);
      return { messages: messages.map((message) => messageAsSlack(world, team, message)), has_more: hasMore };
    },
  },
  "conversations.info": {
    scopes: scopesFor("read"),
    run: (call) => ({ channel: channelAsSlack(readableChannel(call, "read"), call.installation) }),
  },
  "conversations.open": {
    scopes: ["im:write"],
    run: ({ world, team, installation, args }) => {
      const [first, ...more] = textArg(args, "users")?.split(",") ?? [];
      if (first === undefined) throw new Refusal("users_list_not_supplied");
      if (more.length > 0) throw new Refusal("not_enough_users");
      const user = personOf(team, first);
      if (user.isBot) throw new Refusal("cannot_dm_bot");
      return { channel: { id: directChannel(world, team, user.id, installation.botUserId).id } };
    },
  },
};

function readableChannel(call: BotCall, right: "history" | "read"): Channel {
  const channel = channelOf(call, textArg(call.args, "channel"));
  refuseWithoutScope(call.installation, [`${SCOPE_PREFIXES[channel.kind]}:${right}`]);
  return channel;
}

/** A page of a channel's messages, newest first, without private ones and without replies in threads. */
function historyOf(channel: Channel, args: Json): { messages: Message[]; hasMore: boolean } {
  const oldest = timeArg(args, "oldest");
  const latest = timeArg(args, "latest");
  const limit = Number(textArg(args, "limit") ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) throw new Refusal("invalid_limit");
  const isInclusive = flagArg(args, "inclusive");
  const isWithin = ({ ts }: Message): boolean => {
    const time = Number(ts);
    if (time === oldest || time === latest) return isInclusive;
    return (oldest === undefined || time > oldest) && (latest === undefined || time < latest);
  };
  const isListed = ({ onlyFor, threadTs, isBroadcast }: Message): boolean =>
    onlyFor === undefined && (threadTs === undefined || isBroadcast === true);
  const found = channel.messages.filter((message) => isListed(message) && isWithin(message));
  // With only a start, Slack returns the messages that follow it; otherwise those before the end.
  const isForward = oldest !== undefined && latest === undefined;
  const page = isForward ? found.slice(0, limit) : found.slice(-limit);
  return { messages: page.reverse(), hasMore: found.length > limit };
}

function timeArg(args: Json, name: "oldest" | "latest"): number | undefined {
  const given = textArg(args, name);
  if (given === undefined) return undefined;
  const time = Number(given);
  if (!Number.isFinite(time)) throw new Refusal(`invalid_ts_${name}`);
  return time;
}
