import { directChannel } from "../world/messages.js";
import type { Channel, Team, User } from "../world/model.js";
import { textArg } from "./arguments.js";
import type { BotCall } from "./method.js";
import { Refusal } from "./refusal.js";

/**
 * A conversation that the bot knows of: public ones, private ones that it is in, and its own direct ones.
 *
 * @throws {Refusal} `channel_not_found`
 */
export function channelOf({ team, installation }: Pick<BotCall, "team" | "installation">, id: unknown): Channel {
  const channel = typeof id === "string" ? team.channels.get(id) : undefined;
  if (!channel) throw new Refusal("channel_not_found");
  if (channel.kind !== "public" && !channel.members.has(installation.botUserId)) {
    throw new Refusal("channel_not_found");
  }
  return channel;
}

/** Where `chat.postMessage` leads: a conversation, the direct one with a person, or a channel by its name. */
export function addressOf(call: BotCall): Channel {
  const { world, team, installation, args } = call;
  const address = textArg(args, "channel");
  if (address === undefined) throw new Refusal("channel_not_found");
  const user = team.users.get(address);
  if (user && !user.isBot) return directChannel(world, team, user.id, installation.botUserId);
  const name = address.replace(/^#/, "");
  const named = [...team.channels.values()].find((channel) => channel.kind !== "im" && channel.name === name);
  return channelOf(call, named?.id ?? address);
}

/** Refuses what can't be done in a channel that is closed, or of which the bot is no member. */
export function refuseOutsider({ installation }: BotCall, channel: Channel, besides?: string): void {
  if (channel.isArchived) throw new Refusal("is_archived");
  const isInside = channel.members.has(installation.botUserId);
  // Of those that it is not in, the bot knows only public ones.
  const mayFromOutside = besides !== undefined && installation.scopes.includes(besides);
  if (!isInside && !mayFromOutside) throw new Refusal("not_in_channel");
}

export function personOf(team: Team, id: unknown): User {
  const user = typeof id === "string" ? team.users.get(id) : undefined;
  if (!user) throw new Refusal("user_not_found");
  return user;
}

/** Which scope shows conversations of a kind, and which their messages. */
const SCOPES = {
  public: { read: "channels:read", history: "channels:history" },
  private: { read: "groups:read", history: "groups:history" },
  im: { read: "im:read", history: "im:history" },
} as const;

export const READ_SCOPES = Object.values(SCOPES).map(({ read }) => read);
export const HISTORY_SCOPES = Object.values(SCOPES).map(({ history }) => history);

/** Some methods take any of several scopes; which one is needed hangs on the kind of the conversation. */
export function needScope({ installation }: BotCall, kind: Channel["kind"], what: "read" | "history"): void {
  const needed = SCOPES[kind][what];
  if (installation.scopes.includes(needed)) return;
  throw new Refusal("missing_scope", { needed, provided: installation.scopes.join(",") });
}
