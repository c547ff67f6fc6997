import type { Channel, Group, Message, SharedFile, Team, User, View } from "./model.js";
import { installApp } from "./teams.js";
import type { Counters, World } from "./world.js";

/** A world as plain JSON, without any of Slack's secrets. */
export interface SavedSlack {
  /** Changes when this interface does. */
  readonly version: 1;
  readonly appId: string;
  readonly counted: Counters;
  readonly teams: readonly SavedTeam[];
}

interface SavedTeam extends Pick<Team, "id" | "name" | "domain"> {
  readonly users: readonly SavedUser[];
  readonly channels: readonly SavedChannel[];
  readonly groups: readonly (Omit<Group, "members"> & { readonly members: readonly string[] })[];
  /** Missing if the app was not installed. */
  readonly installedBy?: string;
}

interface SavedUser extends Omit<User, "teamId" | "modal" | "home"> {
  readonly home?: View;
}

interface SavedChannel extends Pick<Channel, "id" | "name" | "kind"> {
  readonly members: readonly string[];
  readonly messages: readonly SavedMessage[];
}

interface SavedMessage extends Pick<Message, "ts" | "userId" | "text" | "blocks" | "isEdited"> {
  readonly threadTs?: string;
  readonly files: readonly SavedFile[];
}

interface SavedFile extends Omit<SharedFile, "content"> {
  /** In base64. */
  readonly content: string;
}

/** The world as it is now, without modals and messages for one person. */
export function saveWorld(world: World): SavedSlack {
  const teams = [...world.teams.values()].map(savedTeam);
  return { version: 1, appId: world.app.id, counted: world.counted, teams };
}

function savedTeam({ id, name, domain, users, channels, groups, installation }: Team): SavedTeam {
  return {
    ...{ id, name, domain },
    users: [...users.values()].map(({ teamId: _, modal: __, home, ...user }) => ({ ...user, ...(home && { home }) })),
    channels: [...channels.values()].map(savedChannel),
    groups: [...groups.values()].map((group) => ({ ...group, members: [...group.members] })),
    ...(installation && { installedBy: installation.installedBy }),
  };
}

function savedChannel({ id, name, kind, members, messages }: Channel): SavedChannel {
  const forAll = messages.filter(({ onlyFor }) => onlyFor === undefined);
  return { id, name, kind, members: [...members], messages: forAll.map(savedMessage) };
}

function savedMessage({ ts, userId, text, blocks, isEdited, threadTs, files }: Message): SavedMessage {
  return {
    ...{ ts, userId, text, blocks, isEdited },
    ...(threadTs !== undefined && { threadTs }),
    files: files.map(({ content, ...file }) => ({ ...file, content: content.toString("base64") })),
  };
}

// An earlier process may have continued after it saved, and apps may remember ids from then.
const UNSAVED_IDS = 1_000_000;

/**
 * The counters to continue with, so that no id is given twice.
 *
 * @throws {Error} if it was saved by another version.
 */
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

function restoredTeam({ id, name, domain, users, channels, groups }: SavedTeam): Team {
  return {
    ...{ id, name, domain },
    users: new Map(
      users.map(({ home, ...user }) => [
        user.id,
        { ...user, teamId: id, modal: undefined, home: home && restoredHome(home, id, user.id) },
      ]),
    ),
    channels: new Map(channels.map((channel) => [channel.id, restoredChannel(channel, id)])),
    groups: new Map(groups.map((group) => [group.id, { ...group, members: new Set(group.members) }])),
    installation: undefined,
  };
}

/** Earlier versions saved fewer members of a home. */
function restoredHome(home: View, teamId: string, userId: string): View {
  const { notifyOnClose = false, clearOnClose = false } = home;
  return { ...home, teamId, userId, type: "home", submit: undefined, close: undefined, notifyOnClose, clearOnClose };
}

function restoredChannel({ messages, members, ...channel }: SavedChannel, teamId: string): Channel {
  const restored = ({ files, threadTs, ...message }: SavedMessage): Message => ({
    ...message,
    channelId: channel.id,
    onlyFor: undefined,
    threadTs,
    files: files.map(({ content, ...file }) => ({ ...file, content: Buffer.from(content, "base64") })),
  });
  return { ...channel, teamId, members: new Set(members), messages: messages.map(restored) };
}
