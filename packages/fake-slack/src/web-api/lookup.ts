import { Refusal } from "../refusal.js";
import { directChannel } from "../world/messages.js";
import type { Channel, Installation, Team, User } from "../world/model.js";
import { textArg } from "./arguments.js";
import type { BotCall } from "./method.js";

/**
 * A conversation that the bot can see: a public channel, or any that it is in.
 *
 * @throws {Refusal} `channel_not_found`
 */
export function channelOf({ team, installation }: Pick<BotCall, "team" | "installation">, id: unknown): Channel {
  const channel = typeof id === "string" ? team.channels.get(id) : undefined;
  if (!channel || (channel.kind !== "public" && !channel.members.has(installation.botUserId))) {
    throw new Refusal("channel_not_found");
  }
  return channel;
}

/** The target of `chat.postMessage`: a conversation, a person's direct conversation, or a channel by its name. */
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

/**
 * Refuses writing in an archived channel, and in one that the bot is not in.
 *
 * @param publicScope The scope that allows writing in public channels without being a member.
 */
export function refuseOutsider({ installation }: BotCall, channel: Channel, publicScope?: string): void {
  if (channel.isArchived) throw new Refusal("is_archived");
  const isMember = channel.members.has(installation.botUserId);
  const mayFromOutside = publicScope !== undefined && installation.scopes.includes(publicScope);
  if (!isMember && !mayFromOutside) throw new Refusal("not_in_channel");
}

/** Refuses a call if the app has none of these scopes; an empty list needs none. */
export function refuseWithoutScope({ scopes: provided }: Installation, scopes: readonly string[]): void {
  if (scopes.length === 0 || scopes.some((scope) => provided.includes(scope))) return;
  throw new Refusal("missing_scope", { needed: scopes.join(","), provided: provided.join(",") });
}

/** @throws {Refusal} `user_not_found` */
export function personOf(team: Team, id: unknown): User {
  const user = typeof id === "string" ? team.users.get(id) : undefined;
  if (!user) throw new Refusal("user_not_found");
  return user;
}
