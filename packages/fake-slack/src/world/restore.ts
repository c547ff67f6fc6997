import { installApp } from "./install.js";
import type { Channel, Message, Team, User, World } from "./model.js";
import type { SavedChannel, SavedMessage, SavedSlack, SavedTeam, SavedUser } from "./save.js";
import type { Counted } from "./world.js";

// An earlier process may have gone on after it has saved, and apps may remember what they saw of it.
const UNSAVED_IDS = 1_000_000;

/**
 * Where counting goes on, so that nothing is named a second time.
 *
 * @throws {Error} where it was saved by another version of this.
 */
export function countedBefore({ version, counted }: SavedSlack): Counted {
  if (version !== 1) throw new Error(`A world of version ${String(version)} can't be restored; one of version 1 can.`);
  return { ids: counted.ids + UNSAVED_IDS, lastTs: counted.lastTs };
}

/**
 * Fills an empty world with a saved one. The app is installed anew where it was installed: with a new token, and with
 * the scopes that it asks for now.
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
    id,
    name,
    domain,
    users: new Map(users.map((user) => [user.id, restoredUser(user, id)])),
    channels: new Map(channels.map((channel) => [channel.id, restoredChannel(channel, id)])),
    groups: new Map(groups.map((group) => [group.id, { ...group, members: new Set(group.members) }])),
    installation: undefined,
  };
}

function restoredUser({ home, ...user }: SavedUser, teamId: string): User {
  return {
    ...user,
    teamId,
    views: [],
    home: home && {
      ...home,
      teamId,
      userId: user.id,
      type: "home",
      previousId: undefined,
      submit: undefined,
      close: undefined,
      notifyOnClose: false,
      clearOnClose: false,
    },
  };
}

function restoredChannel({ messages, members, ...channel }: SavedChannel, teamId: string): Channel {
  return {
    ...channel,
    teamId,
    members: new Set(members),
    messages: messages.map((message) => restoredMessage(message, channel.id)),
  };
}

function restoredMessage({ files, threadTs, ...message }: SavedMessage, channelId: string): Message {
  return {
    ...message,
    channelId,
    onlyFor: undefined,
    threadTs,
    files: files.map(({ content, ...file }) => ({ ...file, content: Buffer.from(content, "base64") })),
  };
}
