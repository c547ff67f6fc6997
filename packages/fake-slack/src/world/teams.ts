import type { Channel, Group, Organization, Team, User, World } from "./model.js";

export function addTeam(world: World, name: string, organization?: Organization): Team {
  const team: Team = {
    id: world.newId("T"),
    name,
    domain: name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, ""),
    organization,
    users: new Map(),
    channels: new Map(),
    groups: new Map(),
    installation: undefined,
  };
  world.teams.set(team.id, team);
  return team;
}

export interface NewUser {
  name: string;
  realName?: string | undefined;
  isAdmin?: boolean | undefined;
  isOwner?: boolean | undefined;
  timeZone?: string | undefined;
  isBot?: boolean | undefined;
  guest?: User["guest"];
  homeTeamId?: string | undefined;
  workspaces?: readonly string[] | undefined;
}

export function addUser(world: World, team: Team, options: NewUser): User {
  const { name, realName = name, isAdmin = false, isOwner = false, timeZone = "UTC", isBot = false } = options;
  const { guest, homeTeamId, workspaces } = options;
  const user: User = {
    id: world.newId("U"),
    teamId: team.id,
    name,
    realName,
    timeZone,
    // Who owns a workspace administers it, too.
    isAdmin: isAdmin || isOwner,
    isOwner,
    isBot,
    isDeleted: false,
    guest,
    homeTeamId,
    workspaces,
    views: [],
    home: undefined,
  };
  team.users.set(user.id, user);
  return user;
}

export interface NewChannel {
  name: string;
  kind: "public" | "private";
  members: Iterable<string>;
}

export function addChannel(world: World, team: Team, { name, kind, members }: NewChannel): Channel {
  const channel: Channel = {
    id: world.newId("C"),
    teamId: team.id,
    name,
    kind,
    members: new Set(members),
    messages: [],
    isArchived: false,
  };
  team.channels.set(channel.id, channel);
  return channel;
}

export function addGroup(world: World, team: Team, handle: string, members: Iterable<string>): Group {
  const group: Group = { id: world.newId("S"), handle, members: new Set(members) };
  team.groups.set(group.id, group);
  return group;
}
