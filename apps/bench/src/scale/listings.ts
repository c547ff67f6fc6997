import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { PostgresServer } from "../databases/postgres.js";
import { Connection } from "../intake/events.js";
import type { Rate } from "../load/load.js";
import type { Result } from "../report.js";
import type { Contestant } from "./contestant.js";
import { measureRounds } from "./rounds.js";

const CONNECTIONS = 16;
const ROUND_MS = 500;
const ENTRY_EVERY_MS = 5;

/** In which state of the logs they are listed. */
export interface Situation {
  readonly name: string;
  readonly projects: number;
  /** Whether entries come into the first project's log meanwhile. */
  readonly changes: boolean;
}

export const situations: readonly Situation[] = [
  { name: "one log, unchanged", projects: 1, changes: false },
  { name: `one log, an entry every ${ENTRY_EVERY_MS} ms`, projects: 1, changes: true },
  // More than are kept in memory: each is read from the database.
  { name: "100 logs by turns, unchanged", projects: 100, changes: false },
];

/** How many listings of 1000 entries are given. */
export async function measureListings(
  contestants: readonly Contestant[],
  server: PostgresServer,
  situation: Situation,
): Promise<Result[]> {
  const results = await measureRounds(contestants, server, {
    measure: `listings out a second, ${situation.name}`,
    work: (contestant) => (situation.changes ? listWhileItChanges(contestant) : list(contestant)),
  });
  for (const contestant of contestants) await contestant.checkLog();
  return results;
}

async function list(contestant: Contestant) {
  const listings = await contestant.listings();
  const asked = new Asked(listings);
  const { perSecond, bytes } = await ask(contestant, asked);
  assert.equal(bytes, asked.bytes, "each listing is as long as it was before");
  return { perSecond, count: asked.count };
}

async function listWhileItChanges(contestant: Contestant) {
  const asked = new Asked(await contestant.listings());
  const projectId = contestant.filled.projects[0]?.projectId ?? "";
  // One to each process, at least.
  const intake = await contestant.openIntake(contestant.services.length);
  let isOver = false;
  let last = "";
  const write = async (): Promise<void> => {
    for (let at = performance.now(); !isOver; at += ENTRY_EVERY_MS) {
      const connection = new Connection(projectId, Date.now() - 60_000);
      await contestant.takeIn(intake, [[connection.end(1)]]);
      last = connection.id;
      await setTimeout(Math.max(0, at + ENTRY_EVERY_MS - performance.now()));
    }
  };
  const writing = write();
  const { perSecond } = await ask(contestant, asked);
  isOver = true;
  await writing;
  intake.close();
  await contestant.checkListed(last);
  return { perSecond, count: asked.count };
}

async function ask(contestant: Contestant, asked: Asked): Promise<Rate> {
  const load = await contestant.openListing(CONNECTIONS);
  const rate = await load.rate(asked);
  load.close();
  return rate;
}

/** Requests for listings by turns, until the round is over. */
class Asked implements Iterable<readonly Buffer[]> {
  /** How many have been asked for, and how many bytes they must have together. */
  count = 0;
  bytes = 0;
  readonly #listings: readonly { request: Buffer; bytes: number }[];

  constructor(listings: readonly { request: Buffer; bytes: number }[]) {
    this.#listings = listings;
  }

  *[Symbol.iterator](): Generator<readonly Buffer[]> {
    const end = performance.now() + ROUND_MS;
    while (performance.now() < end) {
      const next = this.#listings[this.count % this.#listings.length];
      if (!next) return;
      this.count += 1;
      this.bytes += next.bytes;
      yield [next.request];
    }
  }
}
