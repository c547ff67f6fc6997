import type { Channel, Group, Installation, Organization, Team, User } from "./model.js";
import { newSecret, type World } from "./world.js";

/** Adds a workspace, without people or the app. */
export function addTeam(world: World, name: string, organization?: Organization): Team {
  const domain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const team: Team = {
    id: world.newId("T"),
    name,
    domain,
    organization,
    users: new Map(),
    channels: new Map(),
    groups: new Map(),
    installation: undefined,
  };
  world.teams.set(team.id, team);
  return team;
}

/** A new user; flags default to false, and the time zone to UTC. */
export type NewUser = Pick<User, "name"> & Partial<Omit<User, "id" | "teamId" | "isDeleted" | "modals" | "home">>;

export function addUser(world: World, team: Team, { isAdmin = false, isOwner = false, ...options }: NewUser): User {
  const user: User = {
    realName: options.name,
    timeZone: "UTC",
    isBot: false,
    ...options,
    id: world.newId("U"),
    teamId: team.id,
    // Owners are admins.
    isAdmin: isAdmin || isOwner,
    isOwner,
    isDeleted: false,
    modals: [],
    home: undefined,
  };
  team.users.set(user.id, user);
  return user;
}

/** Adds a channel, or a direct conversation. */
export function addChannel(
  world: World,
  team: Team,
  { name, kind, members }: Pick<Channel, "name" | "kind"> & { readonly members: Iterable<string> },
): Channel {
  const id = world.newId(kind === "im" ? "D" : "C");
  const channel: Channel = {
    ...{ id, teamId: team.id, name, kind, isArchived: false },
    ...{ members: new Set(members), messages: [] },
  };
  team.channels.set(id, channel);
  return channel;
}

/** Adds a user group. */
export function addGroup(world: World, team: Team, handle: string, members: Iterable<string>): Group {
  const group: Group = { id: world.newId("S"), handle, members: new Set(members) };
  team.groups.set(group.id, group);
  return group;
}

/** Installs the app, or reinstalls it: the bot user stays the same, and the token is new. */
export function installApp(
  world: World,
  team: Team,
  installedBy: string,
  scopes: readonly string[] = world.app.scopes,
): Installation {
  const known = [...team.users.values()].find(({ isBot }) => isBot);
  const bot = known ?? addUser(world, team, { name: "media", isBot: true });
  bot.isDeleted = false;
  const installation: Installation = {
    botToken: `xoxb-${team.id}-${newSecret()}`,
    botId: `B${bot.id.slice(1)}`,
    botUserId: bot.id,
    scopes,
    installedBy,
  };
  if (team.installation) world.deadTokens.set(team.installation.botToken, "token_revoked");
  team.installation = installation;
  return installation;
}

/** Uninstalls the app, and invalidates its token. Returns the removed installation. */
export function uninstallApp(world: World, team: Team): Installation | undefined {
  const { installation } = team;
  if (!installation) return undefined;
  world.deadTokens.set(installation.botToken, "account_inactive");
  team.installation = undefined;
  const bot = team.users.get(installation.botUserId);
  if (bot) bot.isDeleted = true;
  return installation;
}
