import type { Step } from "@media-ops/database";
import { sql } from "kysely";
import type { SharedRefused } from "../admission/refused-clients.js";
import { ENDED_MS, endedPrefix, type NodeGone, type SeatChange } from "../admission/seats.js";
import type { NewDelivery } from "../deliveries/delivery.js";
import { type NewEntry, toEvent } from "../logs/log-store.js";
import type { Storage } from "../storage/open-storage.js";
import type { ProjectSteps } from "../storage/postgres-writer.js";
import type { Tables } from "../storage/tables.js";

/** The changes that an event causes in the database. */
export interface EventEffects {
  readonly seats?: SeatChange | undefined;
  /** Log entries, each written once, however often the event arrives: a repeated one has the same text. */
  readonly entries?: readonly NewEntry[] | undefined;
  readonly refused?: SharedRefused | undefined;
  readonly delivery?: NewDelivery | undefined;
}

/** The result of a batch that was written. */
export interface WrittenEffects {
  readonly due: string[];
  /** For each event that reports a vanished node: the projects that had seats on it. */
  readonly onNodes: ReadonlyMap<EventEffects, string[]>;
}

/** Writes the effects of events. Each database has its own statements for those that are frequent. */
export abstract class IntakeStore {
  protected readonly storage: Storage;
  protected readonly owner: string;
  readonly #now: () => number;
  readonly #underWay = new Set<Promise<void>>();
  /** Settles when the last batch that reports a vanished node has been written, or has failed. */
  #nodesGone: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage, owner: string, now: () => number) {
    this.storage = storage;
    this.owner = owner;
    this.#now = now;
  }

  /** Writes effects durably, without vanished nodes. Returns the rows of the queues that are due. */
  protected abstract writeEvents(effects: readonly EventEffects[], now: number): Promise<unknown[]>;

  protected abstract append(projectId: string, entries: readonly NewEntry[]): Step[];

  /** Changes the rows of projects while no other process does. */
  protected abstract change(projects: readonly ProjectSteps[]): Promise<unknown>;

  /** Writes effects durably, as if one after another. If it fails, some may be written; a repeat does no harm. */
  async write(effects: readonly EventEffects[]): Promise<WrittenEffects> {
    // Several batches are written at once, and a vanished node affects connections in any of them.
    const isAlone = effects.some(isNodeGone);
    const before = isAlone ? Promise.all(this.#underWay) : this.#nodesGone;
    const written = before.then(() => this.#writeInOrder(effects));
    const ended: Promise<void> = written.then(ignore, ignore).then(() => void this.#underWay.delete(ended));
    this.#underWay.add(ended);
    if (isAlone) this.#nodesGone = ended;
    return written;
  }

  async #writeInOrder(effects: readonly EventEffects[]): Promise<WrittenEffects> {
    const now = this.#now();
    const due = new Set<string>();
    const onNodes = new Map<EventEffects, string[]>();
    const writeEvents = async (events: readonly EventEffects[]): Promise<void> => {
      if (events.length === 0) return;
      const queues = (await this.writeEvents(events, now)) as { project_id: string; owner: string }[];
      for (const { project_id, owner } of queues) if (owner === this.owner) due.add(project_id);
    };
    let from = 0;
    for (const [at, one] of effects.entries()) {
      if (!isNodeGone(one)) continue;
      await writeEvents(effects.slice(from, at));
      onNodes.set(one, await this.#clearNode(one.seats, now));
      from = at + 1;
    }
    await writeEvents(effects.slice(from));
    return { due: [...due], onNodes };
  }

  /** Returns the projects that had seats on the node. */
  async #clearNode(gone: NodeGone, now: number): Promise<string[]> {
    const { query } = this.storage;
    const { eventId, nodeName, at, timestamp = new Date(now).toISOString() } = gone;
    const seats = query.selectFrom("seat").select("project_id").distinct().where("node_name", "=", nodeName);
    const projectIds = (await seats.orderBy("project_id").execute()).map(({ project_id }) => project_id);
    if (projectIds.length === 0) return [];
    const steps = (projectId: string): Step[] => {
      const onNode = sql`seat where project_id = ${projectId} and node_name = ${nodeName} and at <= ${at}`;
      const lost = sql`select channel_id, session_id, connection_id, client_id, role from ${onNode} and connected = 1`;
      const note = sql`
        insert into ended (project_id, id, event_id, until)
        select project_id, ${sql.lit(endedPrefix.connection)} || connection_id, ${eventId}, ${now + ENDED_MS}
        from ${onNode} on conflict do nothing`;
      const shared = { timestamp, node_name: nodeName, event_id: eventId };
      return [
        {
          ask: [lost.compile(query)],
          next: ([found = []]) =>
            this.append(projectId, vanishedEntries(projectId, found as readonly LostSeat[], shared)),
        },
        note.compile(query),
        sql`delete from ${onNode}`.compile(query),
      ];
    };
    await this.change(projectIds.map((projectId) => ({ projectId, steps: steps(projectId) })));
    return projectIds;
  }

  /** Writes the entries that refused clients share, of all periods but one and the next. Each of them counts once. */
  async writeRefused(exceptPeriod: number): Promise<void> {
    const { query } = this.storage;
    const periods = [exceptPeriod, exceptPeriod + 1];
    // Read first: mostly there is nothing to write.
    const waiting = query.selectFrom("refused_client").select("project_id").distinct();
    const over = await waiting.where("minute", "not in", periods).orderBy("project_id").execute();
    for (const { project_id: projectId } of over) {
      const take = sql`
        delete from refused_client where project_id = ${projectId} and minute not in (${sql.join(periods)})
        returning name, count, at, entry`;
      const next = ([taken = []]: readonly (readonly unknown[])[]) =>
        this.append(projectId, refusedEntries(projectId, taken as readonly TakenRefused[]));
      await this.change([{ projectId, steps: [{ ask: [take.compile(query)], next }] }]);
    }
  }
}

const ignore = (): void => {};

const isNodeGone = (effects: EventEffects): effects is EventEffects & { seats: NodeGone } =>
  effects.seats?.kind === "node-gone";

/** The project whose data changes; empty for a vanished node, which may affect several. */
export function projectOf({ seats, entries: [entry] = [], refused, delivery }: EventEffects): string {
  const own = seats && seats.kind !== "node-gone" ? seats.projectId : undefined;
  return own ?? (entry ?? refused ?? delivery)?.projectId ?? "";
}

/** The rows of `refused_client` for the refused clients of a project, one for each group. */
export function refusedRows(clients: readonly SharedRefused[]) {
  const rows = new Map<string, Pick<Tables["refused_client"], "minute" | "name" | "count" | "at" | "entry">>();
  for (const { period: minute, name, at, entry } of clients) {
    const key = `${minute} ${name}`;
    rows.set(key, { minute, name, count: (rows.get(key)?.count ?? 0) + 1, at, entry });
  }
  return [...rows.values()];
}

/** How a row of the same refused clients is handled. */
export const COUNT_UP_REFUSED = `on conflict (project_id, minute, name) do update set
  count = refused_client.count + excluded.count, at = excluded.at, entry = excluded.entry`;

type LostSeat = Pick<Tables["seat"], "channel_id" | "connection_id"> & {
  readonly [Name in "session_id" | "client_id" | "role"]: string | null;
};

function vanishedEntries(
  projectId: string,
  lost: readonly LostSeat[],
  { timestamp, node_name, event_id }: { timestamp: string; node_name: string; event_id: string },
): NewEntry[] {
  const toEntry = (type: string, { channel_id, session_id, connection_id, client_id, role }: Partial<LostSeat>) =>
    toEvent(projectId, {
      timestamp,
      type,
      channel_id,
      session_id: session_id ?? undefined,
      connection_id,
      client_id: client_id ?? undefined,
      role: role ?? undefined,
      node_name,
      outcome: "failed",
      reason: "node-gone",
      event_id,
    });
  const inOrder = [...lost].sort(by(({ channel_id, connection_id }) => `${channel_id} ${connection_id}`));
  const sessions = new Map(inOrder.map((seat) => [`${seat.channel_id} ${seat.session_id}`, seat]));
  return [
    ...inOrder.map((seat) => toEntry("connection.vanished", seat)),
    ...[...sessions.values()].map(({ channel_id, session_id }) =>
      toEntry("session.vanished", { channel_id, session_id }),
    ),
  ];
}

type TakenRefused = Pick<Tables["refused_client"], "name" | "count" | "at" | "entry">;

const refusedEntries = (projectId: string, taken: readonly TakenRefused[]): NewEntry[] =>
  [...taken].sort(by(({ at, name }) => `${at} ${name}`)).map(({ count, at, entry }) => ({
    projectId,
    kind: "events",
    timestamp: `${at}Z`,
    text: count === 1 ? entry : `${entry.slice(0, -1)},"count":${count}}`,
  }));

const by =
  <Item>(keyOf: (item: Item) => string) =>
  (one: Item, other: Item): number =>
    keyOf(one) < keyOf(other) ? -1 : 1;
