import { nearestOf } from "@media-ops/commands";
import type { Vault } from "@media-ops/secrets";
import type { Config } from "../config.js";
import type { Storage } from "../storage/open-storage.js";
import { fromRow, toRow } from "../storage/tables.js";

/** A project of which a workspace can read the logs and create tokens. */
export interface Connection {
  readonly teamId: string;
  readonly projectId: string;
  readonly baseUrl: string;
  /** Who connected it, and when in ms since 1970; undefined for the environment's connection. */
  readonly connectedBy?: string | undefined;
  readonly connectedAt?: number | undefined;
}

/** The projects that are used if a command names none. */
export interface Defaults {
  readonly workspace: string | undefined;
  /** By the id of a channel. */
  readonly channels: ReadonlyMap<string, string>;
}

/** A change to a workspace's projects, and the person who makes it. */
interface Change {
  readonly teamId: string;
  readonly projectId: string;
  readonly userId: string;
}

/** The connection was removed or replaced. */
export class NotConnectedError extends Error {
  override readonly name = "NotConnectedError";

  constructor(projectId: string) {
    super(`The workspace is no longer connected to ${projectId}.`);
  }
}

// The channel id under which the default of the whole workspace is stored.
const WHOLE_WORKSPACE = "";

/** The purpose contains the address, so that write access to the database isn't enough to redirect the key. */
export const connectionPurpose = (teamId: string, projectId: string, baseUrl: string): string =>
  `connection ${JSON.stringify([teamId, projectId, baseUrl])}`;

/** The connections and default projects of all workspaces. */
export class Connections {
  readonly #query;
  readonly #vault: Vault;
  readonly #media: Config["media"];
  readonly #now: () => number;

  /** @param media the environment's connection, which every workspace has. */
  constructor({ query, vault }: Storage, media: Config["media"], now: () => number) {
    this.#query = query;
    this.#vault = vault;
    this.#media = media;
    this.#now = now;
  }

  /** All connections by project, including the environment's unless the workspace has its own to the same project. */
  async all(teamId: string): Promise<Connection[]> {
    const rows = await this.#query
      .selectFrom("connection")
      .select(["team_id", "project_id", "base_url", "connected_by", "connected_at"])
      .where("team_id", "=", teamId)
      .execute();
    const all: Connection[] = rows.map(fromRow);
    if (this.#media && !all.some(({ projectId }) => projectId === this.#media?.projectId)) {
      const { projectId, baseUrl } = this.#media;
      all.push({ teamId, projectId, baseUrl });
    }
    return all.sort((a, b) => (a.projectId < b.projectId ? -1 : 1));
  }

  /** @throws {NotConnectedError} if the connection was removed or replaced. */
  async apiKeyOf({ teamId, projectId, baseUrl, connectedBy }: Connection): Promise<string> {
    if (connectedBy === undefined) {
      if (this.#media?.projectId !== projectId) throw new NotConnectedError(projectId);
      return this.#media.apiKey;
    }
    const row = await this.#query
      .selectFrom("connection")
      .select("sealed")
      .where((row) => row.and({ team_id: teamId, project_id: projectId }))
      // The key must not be sent to any other address.
      .where("base_url", "=", baseUrl)
      .executeTakeFirst();
    if (!row) throw new NotConnectedError(projectId);
    return this.#vault.open(row.sealed, connectionPurpose(teamId, projectId, baseUrl));
  }

  /** Adds a connection, or replaces the workspace's connection to the same project. */
  async add({ apiKey, userId, ...to }: Change & { baseUrl: string; apiKey: string }): Promise<void> {
    const { teamId, projectId, baseUrl } = to;
    const sealed = await this.#vault.seal(apiKey, connectionPurpose(teamId, projectId, baseUrl));
    const row = toRow({ teamId, projectId, baseUrl, sealed, connectedBy: userId, connectedAt: this.#now() });
    await this.#query
      .insertInto("connection")
      .values(row)
      .onConflict((conflict) => conflict.columns(["team_id", "project_id"]).doUpdateSet(row))
      .execute();
  }

  /** Removes a connection and the defaults that name it; false if the workspace has none of its own to this project. */
  remove(teamId: string, projectId: string): Promise<boolean> {
    return this.#query.transaction().execute(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom("connection")
        .where((row) => row.and({ team_id: teamId, project_id: projectId }))
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await transaction
        .deleteFrom("connection_default")
        .where((row) => row.and({ team_id: teamId, project_id: projectId }))
        .execute();
      return true;
    });
  }

  /** The defaults of a workspace and its channels. */
  async defaults(teamId: string): Promise<Defaults> {
    const rows = await this.#query
      .selectFrom("connection_default")
      .select(["channel_id", "project_id"])
      .where("team_id", "=", teamId)
      .execute();
    const channels = new Map(rows.map((row) => [row.channel_id, row.project_id]));
    const workspace = channels.get(WHOLE_WORKSPACE);
    channels.delete(WHOLE_WORKSPACE);
    return { workspace, channels };
  }

  /** Sets the project that commands use if they name none, in a channel or in the whole workspace. */
  async setDefault(change: Change & { channelId: string | undefined }): Promise<void> {
    const { teamId, channelId = WHOLE_WORKSPACE, projectId, userId } = change;
    const row = toRow({ teamId, channelId, projectId, setBy: userId, setAt: this.#now() });
    await this.#query
      .insertInto("connection_default")
      .values(row)
      .onConflict((conflict) => conflict.columns(["team_id", "channel_id"]).doUpdateSet(row))
      .execute();
  }

  /** Deletes all connections and defaults of a workspace. */
  forget(teamId: string): Promise<void> {
    return this.#query.transaction().execute(async (transaction) => {
      for (const table of ["connection", "connection_default"] as const) {
        await transaction.deleteFrom(table).where("team_id", "=", teamId).execute();
      }
    });
  }
}

/** Why no connection was chosen. */
export interface NotChosen {
  readonly ok: false;
  /** none: no project is connected. unknown: no project has this name. several: the choice is ambiguous. */
  readonly why: "none" | "unknown" | "several";
  readonly connections: readonly Connection[];
  readonly asked?: string | undefined;
  /** The project with the most similar name. */
  readonly nearest?: string | undefined;
}

/** Chooses the named project, the channel's default, the workspace's default, or the only project. */
export function chooseConnection(
  connections: readonly Connection[],
  { workspace, channels }: Defaults,
  channelId: string | undefined,
  asked: string | undefined,
): { readonly ok: true; readonly connection: Connection } | NotChosen {
  const [only] = connections;
  if (!only) return { ok: false, why: "none", connections, asked };
  const to = (projectId: string | undefined): Connection | undefined =>
    connections.find((connection) => connection.projectId === projectId);
  if (asked !== undefined) {
    const connection = to(asked);
    if (connection) return { ok: true, connection };
    const names = connections.map(({ projectId }) => projectId);
    return { ok: false, why: "unknown", connections, asked, nearest: nearestOf(asked, names) };
  }
  // A default may name a project that is no longer connected.
  const connection =
    to(channelId === undefined ? undefined : channels.get(channelId)) ??
    to(workspace) ??
    (connections.length === 1 ? only : undefined);
  return connection ? { ok: true, connection } : { ok: false, why: "several", connections };
}
