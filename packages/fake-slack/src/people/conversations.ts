import { fieldOf, itemsOf } from "../json.js";
import type { Channel, Json, Team, User } from "../world/model.js";

/** A person who looks at a menu. */
export interface Viewer {
  readonly team: Team;
  readonly user: User;
}

/** The conversations that a `conversations_select` offers to a person. */
export function offeredConversations({ team, user }: Viewer, { filter }: Json): Channel[] {
  const kinds = fieldOf(filter, "include");
  const usersOf = ({ members }: Channel): User[] => [...members].flatMap((id) => team.users.get(id) ?? []);
  const isShared = (channel: Channel): boolean => usersOf(channel).some(({ homeTeamId }) => homeTeamId !== undefined);
  return [...team.channels.values()].filter((channel) => {
    if (channel.isArchived || (channel.kind !== "public" && !channel.members.has(user.id))) return false;
    if (kinds !== undefined && !itemsOf(kinds).includes(channel.kind)) return false;
    if (channel.kind !== "im")
      return fieldOf(filter, "exclude_external_shared_channels") !== true || !isShared(channel);
    return fieldOf(filter, "exclude_bot_users") !== true || !usersOf(channel).some(({ isBot }) => isBot);
  });
}

/**
 * An offered conversation, by its id or its name, with or without `#`.
 *
 * @throws {Error} if it is not offered.
 */
export function conversationNamed(viewer: Viewer, element: Json, given: string): Channel {
  const offered = offeredConversations(viewer, element);
  const name = given.replace(/^#/, "");
  const found = offered.find(({ id }) => id === given) ?? offered.find((one) => one.kind !== "im" && one.name === name);
  if (found) return found;
  const names = offered.map((one) => `"${one.name}"`).join(", ");
  throw new Error(`There is no conversation "${given}"; offered: ${names || "none"}.`);
}
