import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import type { Caller } from "../connections/client-of.js";
import type { Allowance } from "../connections/read-budget.js";
import type { Project } from "../projects/project.js";

export type Entry = LogEntryOf<LogKind>;

/** Asks for logs. Concurrent requests for the same log share one answer. */
export interface Listings {
  /**
   * The newest entries, 1,000 at most.
   *
   * @param caller The one that the project was opened for.
   */
  list(project: Project, kind: LogKind, caller: Pick<Caller, "allowance" | "aside">): Promise<readonly Entry[]>;
}

/** A question that is under way, and who pays for its answer. */
interface Asked {
  readonly answer: Promise<readonly Entry[]>;
  readonly allowance: Allowance;
}

/** As many entries as the contract lets a service list. More would be filtered and drawn for nothing. */
const MOST = 1000;

export function createListings(): Listings {
  const underWay = new Map<string, Asked>();
  return {
    list({ connection, ask }, kind, { allowance, aside }) {
      const { teamId, projectId, baseUrl, connectedAt } = connection;
      const key = JSON.stringify([teamId, projectId, baseUrl, connectedAt, kind]);
      const known = underWay.get(key);
      if (known) {
        allowance.share(known.allowance);
        return aside(() => known.answer);
      }
      const answer = ask((client) => client.logs.list(kind, { project_id: projectId }))
        .then((entries): readonly Entry[] => entries.slice(0, MOST))
        .finally(() => underWay.delete(key));
      underWay.set(key, { answer, allowance });
      return aside(() => answer);
    },
  };
}
