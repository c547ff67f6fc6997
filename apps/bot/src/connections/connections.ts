import { slips } from "@media-ops/commands";
import type { Config } from "../config.js";
import type { Storage } from "../storage/open-storage.js";

/** A project whose logs and tokens a workspace can ask for. */
export interface Connection {
  readonly teamId: string;
  readonly projectId: string;
  readonly baseUrl: string;
  /** Who connected it; undefined where it comes from the environment. */
  readonly connectedBy: string | undefined;
  /** In ms since 1970. */
  readonly connectedAt: number | undefined;
}

/** Which project is meant where nobody names one. */
export interface Defaults {
  readonly workspace: string | undefined;
  /** By the id of a channel. */
  readonly channels: ReadonlyMap<string, string>;
}

/** What is to be connected, and who does it. */
interface NewConnection {
  readonly teamId: string;
  readonly projectId: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly userId: string;
}

/** A project that is to be meant from now on. */
interface NewDefault {
  readonly teamId: string;
  /** Undefined for the whole workspace. */
  readonly channelId: string | undefined;
  readonly projectId: string;
  readonly userId: string;
}

/** The projects of every workspace. */
export interface Connections {
  /** By project; the environment's among them, unless the workspace has one of the same project. */
  all(teamId: string): Promise<Connection[]>;
  /** @throws {NotConnectedError} where it has been removed or replaced meanwhile. */
  apiKeyOf(connection: Connection): Promise<string>;
  /** Replaces the workspace's connection to the same project. */
  add(connection: NewConnection): Promise<void>;
  /** With the defaults that name it; false where the workspace has none of its own to this project. */
  remove(teamId: string, projectId: string): Promise<boolean>;
  defaults(teamId: string): Promise<Defaults>;
  setDefault(choice: NewDefault): Promise<void>;
  /** All of a workspace: for when the app is removed from it. */
  forget(teamId: string): Promise<void>;
}

/** The connection was there, and is not any more. */
export class NotConnectedError extends Error {
  override readonly name = "NotConnectedError";

  constructor(projectId: string) {
    super(`The workspace is not connected to ${projectId} any more.`);
  }
}

// How a default of the whole workspace is kept among those of channels.
const WHOLE_WORKSPACE = "";

/** The address is part of it, so that whoever can write to the database cannot have the key sent elsewhere. */
export const connectionPurpose = (teamId: string, projectId: string, baseUrl: string): string =>
  `connection ${JSON.stringify([teamId, projectId, baseUrl])}`;

/** @param media The environment's connection, which every workspace has. */
export function createConnections({ query, vault }: Storage, media: Config["media"], now: () => number): Connections {
  return {
    async all(teamId) {
      const rows = await query
        .selectFrom("connection")
        .select(["project_id", "base_url", "connected_by", "connected_at"])
        .where("team_id", "=", teamId)
        .execute();
      const own = rows.map((row) => ({
        teamId,
        projectId: row.project_id,
        baseUrl: row.base_url,
        connectedBy: row.connected_by,
        connectedAt: row.connected_at,
      }));
      const fromOutside =
        media && !own.some(({ projectId }) => projectId === media.projectId)
          ? [
              {
                teamId,
                projectId: media.projectId,
                baseUrl: media.baseUrl,
                connectedBy: undefined,
                connectedAt: undefined,
              },
            ]
          : [];
      return [...own, ...fromOutside].sort((a, b) => (a.projectId < b.projectId ? -1 : 1));
    },

    async apiKeyOf({ teamId, projectId, baseUrl, connectedBy }) {
      if (connectedBy === undefined) {
        if (media?.projectId !== projectId) throw new NotConnectedError(projectId);
        return media.apiKey;
      }
      const row = await query
        .selectFrom("connection")
        .select("sealed")
        .where("team_id", "=", teamId)
        .where("project_id", "=", projectId)
        // The key of another address must not go to this one.
        .where("base_url", "=", baseUrl)
        .executeTakeFirst();
      if (!row) throw new NotConnectedError(projectId);
      return vault.open(row.sealed, connectionPurpose(teamId, projectId, baseUrl));
    },

    async add({ teamId, projectId, baseUrl, apiKey, userId }) {
      const row = {
        base_url: baseUrl,
        sealed: await vault.seal(apiKey, connectionPurpose(teamId, projectId, baseUrl)),
        connected_by: userId,
        connected_at: now(),
      };
      await query
        .insertInto("connection")
        .values({ team_id: teamId, project_id: projectId, ...row })
        .onConflict((conflict) => conflict.columns(["team_id", "project_id"]).doUpdateSet(row))
        .execute();
    },

    remove: (teamId, projectId) =>
      query.transaction().execute(async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom("connection")
          .where("team_id", "=", teamId)
          .where("project_id", "=", projectId)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return false;
        await transaction
          .deleteFrom("connection_default")
          .where("team_id", "=", teamId)
          .where("project_id", "=", projectId)
          .execute();
        return true;
      }),

    async defaults(teamId) {
      const rows = await query
        .selectFrom("connection_default")
        .select(["channel_id", "project_id"])
        .where("team_id", "=", teamId)
        .execute();
      const channels = new Map(rows.map((row) => [row.channel_id, row.project_id]));
      const workspace = channels.get(WHOLE_WORKSPACE);
      channels.delete(WHOLE_WORKSPACE);
      return { workspace, channels };
    },

    async setDefault({ teamId, channelId = WHOLE_WORKSPACE, projectId, userId }) {
      const row = { project_id: projectId, set_by: userId, set_at: now() };
      await query
        .insertInto("connection_default")
        .values({ team_id: teamId, channel_id: channelId, ...row })
        .onConflict((conflict) => conflict.columns(["team_id", "channel_id"]).doUpdateSet(row))
        .execute();
    },

    forget: (teamId) =>
      query.transaction().execute(async (transaction) => {
        await transaction.deleteFrom("connection").where("team_id", "=", teamId).execute();
        await transaction.deleteFrom("connection_default").where("team_id", "=", teamId).execute();
      }),
  };
}

/** What a choice rests on. */
export interface Choice {
  /** The workspace's, by project. */
  readonly connections: readonly Connection[];
  readonly defaults: Defaults;
  /** Where in Slack it is asked. */
  readonly channelId: string | undefined;
  /** The project that was named; undefined where none was. */
  readonly asked: string | undefined;
}

/** Why no connection was chosen. */
export interface NotChosen {
  readonly ok: false;
  /** none: the workspace has none. unknown: none to what was asked. several: nothing says which one is meant. */
  readonly why: "none" | "unknown" | "several";
  /** Those that there are. */
  readonly connections: readonly Connection[];
  readonly asked?: string | undefined;
  /** The project that was probably meant. */
  readonly nearest?: string | undefined;
}

export type Chosen = { readonly ok: true; readonly connection: Connection } | NotChosen;

/** Which project is meant: the one that was named, the channel's, the workspace's, or the only one. */
export function chooseConnection({ connections, defaults, channelId, asked }: Choice): Chosen {
  const [only] = connections;
  if (!only) return { ok: false, why: "none", connections, asked };
  const to = (projectId: string | undefined): Connection | undefined =>
    connections.find((connection) => connection.projectId === projectId);

  if (asked !== undefined) {
    const connection = to(asked);
    if (connection) return { ok: true, connection };
    const nearest = nearestProject(
      asked,
      connections.map(({ projectId }) => projectId),
    );
    return { ok: false, why: "unknown", connections, asked, nearest };
  }
  // A default may name a project that is not connected any more.
  const connection =
    to(channelId === undefined ? undefined : defaults.channels.get(channelId)) ??
    to(defaults.workspace) ??
    (connections.length === 1 ? only : undefined);
  return connection ? { ok: true, connection } : { ok: false, why: "several", connections };
}

// A longer name is not misspelt, it is another.
const MAX_LENGTH = 63;

/** The project that was probably meant; undefined where none is near. */
export function nearestProject(typed: string, projects: readonly string[]): string | undefined {
  if (typed.length === 0 || typed.length > MAX_LENGTH) return undefined;
  const [best] = projects
    .map((project) => ({ project, count: slips(typed.toLowerCase(), project.toLowerCase()) }))
    .filter(({ project, count }) => count <= Math.floor(Math.max(typed.length, project.length) / 3))
    .sort((a, b) => a.count - b.count);
  return best?.project;
}
