import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { quantile, type TimedCall, timeCalls } from "../measure.js";
import type { Connections } from "../service/connection.js";
import { listings, measured } from "../service/entries.js";
import { answerTimesOf } from "../service/metrics.js";
import type { Served } from "./stored.js";

const path = listings[measured.kind];
const WARM_UP = 150;

/** In which state of the log it is listed. */
export interface Situation {
  name: string;
  /** What is written to the log before each call: nothing, a new entry, or one that comes too late to be shown. */
  written: "nothing" | "new" | "late";
  gzip: boolean;
  rounds: number;
  calls: number;
}

export const situations: readonly Situation[] = [
  { name: "log unchanged", written: "nothing", gzip: false, rounds: 24, calls: 40 },
  { name: "log changed", written: "new", gzip: false, rounds: 18, calls: 20 },
  // What is kept in memory does not help: all is read from the database.
  { name: "log read anew", written: "late", gzip: false, rounds: 18, calls: 20 },
  // What fetch asks for by itself.
  { name: "log changed, gzip", written: "new", gzip: true, rounds: 12, calls: 20 },
];

/** A server that was started with few entries stored, one with many, and a bare one that only sends the bytes. */
export interface Servers {
  readonly few: Served;
  readonly many: Served;
  readonly floor: Connections;
}

type Quantiles = Record<keyof Servers, number>;

/** What was measured with one start of the servers: microseconds. */
export interface Listed {
  readonly p50: Quantiles;
  readonly p99: Quantiles;
  /** Percent of the answers that the service with many entries gave within 1 and 2 ms, by its own clock. */
  readonly within: readonly [number, number];
}

/** Times the listing of 1000 entries, each call from when it is sent to when the answer is there. */
export async function measureListing({ few, many, floor }: Servers, situation: Situation): Promise<Listed> {
  const before = await answerTimesOf(many.service, path);
  const times = await timeCalls(
    {
      floor: { call: () => floor.call({ path, apiKey: "none" }), check: (body: Buffer) => assert(body.length > 0) },
      few: listingOf(few, situation),
      many: listingOf(many, situation),
    },
    { ...situation, warmUp: WARM_UP },
  );
  const answerTimes = (await answerTimesOf(many.service, path)).since(before);
  const at = (share: number): Quantiles => ({
    floor: quantile(times.floor, share),
    few: quantile(times.few, share),
    many: quantile(times.many, share),
  });
  return { p50: at(0.5), p99: at(0.99), within: [answerTimes.within(1), answerTimes.within(2)] };
}

function listingOf({ stored, connection }: Served, { written, gzip }: Situation): TimedCall<Buffer> {
  const call = { path, apiKey: stored.apiKey, ...(gzip && { headers: { "accept-encoding": "gzip" } }) };
  return {
    ...(written === "new" && { before: () => stored.append() }),
    ...(written === "late" && { before: () => stored.appendLate() }),
    call: () => connection.call(call),
    check(answer) {
      const body = gzip ? gunzipSync(answer) : answer;
      const { newest } = stored;
      assert(body.toString("utf8", 1, 1 + newest.length) === newest, "the newest entry is listed first");
    },
  };
}
