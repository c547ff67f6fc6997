import type { Channel, Group, Message, SharedFile, Team, User, View } from "./model.js";
import type { Counted, OwnedWorld } from "./world.js";

/** What a world was, as plain JSON. Nothing of it is a secret of Slack's. */
export interface SavedSlack {
  /** Changes when this does. */
  readonly version: 1;
  readonly appId: string;
  readonly counted: Counted;
  readonly teams: readonly SavedTeam[];
}

export interface SavedTeam extends Pick<Team, "id" | "name" | "domain"> {
  readonly users: readonly SavedUser[];
  readonly channels: readonly SavedChannel[];
  readonly groups: readonly (Omit<Group, "members"> & { readonly members: readonly string[] })[];
  /** Not there where the app was not installed. */
  readonly installedBy?: string;
}

export interface SavedUser extends Omit<User, "teamId" | "views" | "home"> {
  readonly home?: SavedHome;
}

type SavedHome = Pick<
  View,
  "id" | "rootId" | "hash" | "callbackId" | "privateMetadata" | "externalId" | "title" | "blocks" | "payload"
>;

export interface SavedChannel extends Pick<Channel, "id" | "name" | "kind" | "isArchived"> {
  readonly members: readonly string[];
  readonly messages: readonly SavedMessage[];
}

export interface SavedMessage extends Pick<Message, "ts" | "userId" | "text" | "blocks" | "isEdited"> {
  readonly threadTs?: string;
  readonly files: readonly SavedFile[];
}

interface SavedFile extends Omit<SharedFile, "content"> {
  /** In base64. */
  readonly content: string;
}

/** The world as it is now, without what is one person's alone or ends by itself. */
export function saveWorld(world: OwnedWorld): SavedSlack {
  return {
    version: 1,
    appId: world.app.id,
    counted: world.counted(),
    teams: [...world.teams.values()].map(savedTeam),
  };
}

function savedTeam({ id, name, domain, users, channels, groups, installation }: Team): SavedTeam {
  return {
    id,
    name,
    domain,
    users: [...users.values()].map(savedUser),
    channels: [...channels.values()].map(savedChannel),
    groups: [...groups.values()].map((group) => ({ ...group, members: [...group.members] })),
    ...(installation && { installedBy: installation.installedBy }),
  };
}

function savedUser({ teamId: _, views: __, home, ...user }: User): SavedUser {
  return { ...user, ...(home && { home: savedHome(home) }) };
}

function savedHome(home: View): SavedHome {
  const { id, rootId, hash, callbackId, privateMetadata, externalId, title, blocks, payload } = home;
  return { id, rootId, hash, callbackId, privateMetadata, externalId, title, blocks, payload };
}

function savedChannel({ id, name, kind, isArchived, members, messages }: Channel): SavedChannel {
  const forAll = messages.filter(({ onlyFor }) => onlyFor === undefined);
  return { id, name, kind, isArchived, members: [...members], messages: forAll.map(savedMessage) };
}

function savedMessage({ ts, userId, text, blocks, isEdited, threadTs, files }: Message): SavedMessage {
  return {
    ts,
    userId,
    text,
    blocks,
    isEdited,
    ...(threadTs !== undefined && { threadTs }),
    files: files.map(({ content, ...file }) => ({ ...file, content: content.toString("base64") })),
  };
}
