import type { Channel, Group, Message, SharedFile, Team, User } from "./model.js";
import { type Counters, installApp, type World } from "./world.js";

/** A world as plain JSON, without any of Slack's secrets. */
export interface SavedSlack {
  /** Changes when this interface does. */
  readonly version: 1;
  readonly appId: string;
  readonly counted: Counters;
  readonly teams: readonly SavedTeam[];
}

interface SavedChannel extends Omit<Channel, "members" | "messages"> {
  readonly members: readonly string[];
  readonly messages: readonly SavedMessage[];
}

interface SavedTeam extends Pick<Team, "id" | "name" | "domain"> {
  readonly users: readonly Omit<User, "modal">[];
  readonly channels: readonly SavedChannel[];
  readonly groups: readonly Group[];
  /** Missing if the app was not installed. */
  readonly installedBy: string | undefined;
}

/** The content of its files is in base64. */
type SavedMessage = Omit<Message, "files" | "onlyFor"> & {
  readonly files: readonly (Omit<SharedFile, "content"> & { readonly content: string })[];
};

/** The current state of the world, without modals and private messages. */
export function saveWorld({ app, counted, teams }: World): SavedSlack {
  return { version: 1, appId: app.id, counted, teams: [...teams.values()].map(savedTeam) };
}

function savedTeam({ id, name, domain, users, channels, groups, installation }: Team): SavedTeam {
  return {
    ...{ id, name, domain },
    users: [...users.values()].map(({ modal: _, ...user }) => user),
    channels: [...channels.values()].map((channel) => ({
      ...channel,
      members: [...channel.members],
      messages: channel.messages.filter(({ onlyFor }) => onlyFor === undefined).map(savedMessage),
    })),
    groups: [...groups.values()],
    installedBy: installation?.installedBy,
  };
}

function savedMessage({ onlyFor: _, files, ...message }: Message): SavedMessage {
  return { ...message, files: files.map((file) => ({ ...file, content: file.content.toString("base64") })) };
}

// An earlier process may have continued after the save, and apps may remember its ids.
const UNSAVED_IDS = 1_000_000;

/** The counters to continue with, so that no id is assigned twice. */
export function countersOf({ version, counted }: SavedSlack): Counters {
  if (version !== 1) throw new Error(`Can't restore a world of version ${String(version)}; expected version 1.`);
  return { ids: counted.ids + UNSAVED_IDS, lastTs: counted.lastTs };
}

/**
 * Fills an empty world with a saved one. The app is reinstalled in its workspaces, with a new token and the scopes that
 * it requests now.
 */
export function restoreWorld(world: World, saved: SavedSlack): void {
  for (const savedTeam of saved.teams) {
    const team = restoredTeam(savedTeam);
    world.teams.set(team.id, team);
    if (savedTeam.installedBy !== undefined) installApp(world, team, savedTeam.installedBy);
  }
}

// Earlier versions omitted the ids that follow from an object's position, and had no archived channels.
function restoredTeam({ id: teamId, name, domain, users, channels, groups }: SavedTeam): Team {
  const restoredUser = (user: Omit<User, "modal">): User => {
    const home: User["home"] = user.home && { ...user.home, teamId, userId: user.id, type: "home" };
    return { ...user, teamId, home, modal: undefined };
  };
  const restoredMessage = ({ files, ...message }: SavedMessage, channelId: string): Message => ({
    ...message,
    channelId,
    onlyFor: undefined,
    files: files.map((file) => ({ ...file, content: Buffer.from(file.content, "base64") })),
  });
  const restoredChannel = (channel: SavedTeam["channels"][number]): Channel => ({
    ...channel,
    teamId,
    isArchived: channel.isArchived === true,
    members: new Set(channel.members),
    messages: channel.messages.map((message) => restoredMessage(message, channel.id)),
  });
  return {
    ...{ id: teamId, name, domain },
    users: new Map(users.map((user) => [user.id, restoredUser(user)])),
    channels: new Map(channels.map((channel) => [channel.id, restoredChannel(channel)])),
    groups: new Map(groups.map((group) => [group.id, group])),
    installation: undefined,
  };
}
