import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import type { Project } from "../projects/project.js";

export type Entry = LogEntryOf<LogKind>;

/** Asks for logs. Those who ask for the same log at the same time share one answer. */
export interface Listings {
  list(project: Project, kind: LogKind): Promise<readonly Entry[]>;
}

export function createListings(): Listings {
  const underWay = new Map<string, Promise<readonly Entry[]>>();
  return {
    list({ connection, client }, kind) {
      const { teamId, projectId, baseUrl, connectedAt } = connection;
      const key = JSON.stringify([teamId, projectId, baseUrl, connectedAt, kind]);
      const known = underWay.get(key);
      if (known) return known;
      const asked: Promise<readonly Entry[]> = client.logs
        .list(kind, { project_id: projectId })
        .finally(() => underWay.delete(key));
      underWay.set(key, asked);
      return asked;
    },
  };
}
