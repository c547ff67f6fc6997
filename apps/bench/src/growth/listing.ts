import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { quantile, type TimedCall, timeCalls } from "../measure.js";
import type { Connections } from "../service/connection.js";
import { listings, measured } from "../service/entries.js";
import { answerTimesOf } from "../service/metrics.js";
import type { Served, Sizes } from "./stored.js";

const path = listings[measured.kind];

/** In which state of the log it is listed. */
export interface Situation {
  name: string;
  /** What is written to the log before each call: nothing, a new entry, or one that comes too late to be shown. */
  written: "nothing" | "new" | "late";
  gzip: boolean;
  warmUp: number;
  rounds: number;
  calls: number;
}

export const situations: readonly Situation[] = [
  { name: "log unchanged", written: "nothing", gzip: false, warmUp: 100, rounds: 8, calls: 30 },
  { name: "log changed", written: "new", gzip: false, warmUp: 40, rounds: 8, calls: 12 },
  // What is kept in memory does not help: all is read from the database.
  { name: "log read anew", written: "late", gzip: false, warmUp: 30, rounds: 8, calls: 10 },
  // What fetch asks for by itself.
  { name: "log changed, gzip", written: "new", gzip: true, warmUp: 30, rounds: 8, calls: 8 },
];

/** Servers on databases of each size, and a bare one that only sends the bytes. */
export interface Servers extends Readonly<Record<keyof Sizes, Served>> {
  readonly floor: {
    /** What it answers. */
    readonly listing: Buffer;
    readonly connection: Connections;
    stop(): Promise<void>;
  };
}

/** What was measured with one start of the servers. */
export interface Listed {
  /** Microseconds, the median of each round. */
  readonly medians: Readonly<Record<keyof Servers, readonly number[]>>;
  /** Percent of the answers that the service with most entries gave within 1 and 2 ms, by its own clock. */
  readonly within: readonly [number, number];
}

/** Times the listing of 1000 entries, each call from when it is sent to when the answer is there. */
export async function measureListing({ floor, few, many, most }: Servers, situation: Situation): Promise<Listed> {
  const before = await answerTimesOf(most.service, path);
  const times = await timeCalls(
    {
      floor: {
        call: () => floor.connection.call({ path, apiKey: "none" }),
        check: (body: Buffer) => assert(body.equals(floor.listing), "the bare server answers what it was given"),
      },
      few: listingOf(few, situation),
      many: listingOf(many, situation),
      most: listingOf(most, situation),
    },
    situation,
  );
  const answerTimes = (await answerTimesOf(most.service, path)).since(before);
  const medians = (server: keyof Servers): number[] =>
    Array.from({ length: situation.rounds }, (_, round) => {
      const first = round * situation.calls;
      return quantile(times[server].slice(first, first + situation.calls), 0.5);
    });
  return {
    medians: { floor: medians("floor"), few: medians("few"), many: medians("many"), most: medians("most") },
    within: [answerTimes.within(1), answerTimes.within(2)],
  };
}

function listingOf({ stored, connection }: Served, { written, gzip }: Situation): TimedCall<Buffer> {
  const call = { path, apiKey: stored.apiKey, ...(gzip && { headers: { "accept-encoding": "gzip" } }) };
  return {
    ...(written === "new" && { before: () => stored.append() }),
    ...(written === "late" && { before: () => stored.appendLate() }),
    call: () => connection.call(call),
    check(answer) {
      const body = gzip ? gunzipSync(answer) : answer;
      assert(body.equals(stored.listing), "exactly what was put in is listed");
    },
  };
}
