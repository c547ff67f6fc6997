import type { Connection, Defaults } from "./connections.js";
import { nearestProject } from "./nearest-project.js";

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
