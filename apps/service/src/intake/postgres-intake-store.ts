import { type Statement, withoutNul } from "@media-ops/database";
import { freedFrom, holdStatement, nodeStatements, seatStatements } from "../admission/postgres-seats.js";
import type { SeatChange } from "../admission/seats.js";
import { projectsOn } from "../admission/stored-seats.js";
import { enqueueStatement } from "../deliveries/postgres-delivery-queue.js";
import { kindNumbers } from "../logs/kinds.js";
import { appendFrom } from "../logs/postgres-log-table.js";
import { sortKey } from "../logs/sort-key.js";
import { byProject } from "../storage/by-project.js";
import { ENDED_MS, endedKey } from "../storage/ended.js";
import type { Storage } from "../storage/open-storage.js";
import { type IntakeStore, ownedBy, projectOf, type Taken, type Taker } from "./intake-store.js";

/** Writes what many events leave behind in one transaction: few statements for each project, all of them sent at once. */
export class PostgresIntakeStore implements IntakeStore {
  readonly #storage: Storage;
  readonly #taker: Taker;

  constructor(storage: Storage, taker: Taker) {
    this.#storage = storage;
    this.#taker = taker;
  }

  async take(taken: readonly Taken[]): Promise<string[]> {
    const { owner } = this.#taker;
    const now = this.#taker.now();
    for (const { seats } of taken) if (seats?.kind === "node-gone") await this.#clearNode(seats, now);
    const statements = byProject(taken.filter(projectOf), projectOf).flatMap(([projectId, own]) => {
      const deliveries = own.flatMap(({ delivery }) => delivery ?? []);
      return [
        holdStatement(projectId),
        ...noteStatements(projectId, own, now),
        ...seatStatements(
          projectId,
          own.flatMap(({ seats }) => seats ?? []),
          now,
        ),
        ...(deliveries.length > 0 ? [enqueueStatement(projectId, deliveries, { now, owner })] : []),
      ];
    });
    if (statements.length === 0) return [];
    return ownedBy(owner, (await this.#storage.writeAll(statements)).flat());
  }

  async #clearNode(change: Extract<SeatChange, { kind: "node-gone" }>, now: number): Promise<void> {
    const projectIds = await projectsOn(this.#storage.query, change.nodeName);
    if (projectIds.length === 0) return;
    await this.#storage.writeAll(
      projectIds.flatMap((projectId) => [holdStatement(projectId), ...nodeStatements(projectId, change, now)]),
    );
  }
}

const NOTE = `
  with given as (
    select * from unnest(
      $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::integer[], $8::text[], $9::text[]
    ) with ordinality as given (id, event_id, until, channel_id, connection_id, kind, at, entry, n)
  ), ${freedFrom("given")}, noted as (
    insert into ended (project_id, id, event_id, until) select $1, id, event_id, until from given
    order by id, event_id on conflict do nothing returning id, event_id, until
  ), fresh as (
    select given.* from given join noted using (id, event_id, until) where entry is not null
  ), ${appendFrom("fresh")}`;

/** In ms since 1970. A leap second is the one before it: Date knows none. */
const timeOf = (timestamp: string): number => Math.floor(Date.parse(timestamp.replace(/:60(?=[.Z])/, ":59")));

/**
 * Notes what has ended, and what the log says of it, where the event has not said so before; and frees the places of
 * connections that have.
 */
function noteStatements(projectId: string, taken: readonly Taken[], now: number): Statement[] {
  const rows = new Map<string, readonly unknown[]>();
  for (const { seats, entry } of taken) {
    if (seats?.kind !== "ended" && seats?.kind !== "session-ended") continue;
    const id =
      seats.kind === "ended" ? endedKey("connection", seats.connectionId) : endedKey("session", seats.sessionId);
    // By the event's own time, so that it is the same however often the event comes: it is part of the key.
    const until = (entry ? timeOf(entry.timestamp) : now) + ENDED_MS;
    const row = [withoutNul(id), withoutNul(seats.eventId), until];
    const key = JSON.stringify(row);
    if (rows.has(key)) continue;
    const place = seats.kind === "ended" ? [seats.channelId, seats.connectionId] : [null, null];
    const columns = entry ? [kindNumbers[entry.kind], sortKey(entry.timestamp), entry.text] : [null, null, null];
    rows.set(key, [...row, ...place, ...columns]);
  }
  if (rows.size === 0) return [];
  const columns = [0, 1, 2, 3, 4, 5, 6, 7].map((at) => [...rows.values()].map((row) => row[at]));
  return [{ sql: NOTE, parameters: [projectId, ...columns] }];
}
