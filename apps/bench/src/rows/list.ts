import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { DAY_MS, HOUR_MS, listings, makeEntries, makeEntry, measured, type StoredEntry } from "../entries.js";
import { type HttpResponse, type KeyedServer, post, type Racer, race, toPost } from "../load.js";
import { goal, type Result, type Row } from "../measure.js";
import { startFloor, startServices, withSandbox } from "../programs.js";
import { LogFile } from "../stores.js";

const path = listings[measured.kind];
const LISTED = 1000;
// More requests than a server answers in a millisecond.
const COMMITS_PER_MS = 8;
const FLOOR = "bare node:http, same bytes";

const situations = [
  { measure: "log unchanged, plain", encoding: "identity", changes: false, goal: goal("ratio", "≥", 0.85) },
  { measure: "log unchanged, gzip", encoding: "gzip", changes: false, goal: goal("ratio", "≥", 0.85) },
  {
    measure: "an entry committed before each request",
    encoding: "identity",
    changes: true,
    goal: goal("ratio", "≥", 0.4),
  },
];

/** Measures listings of a log with 1000 entries, compared with a bare server that sends the same bytes. */
export const list: Row = ({ builds, isQuick }) =>
  withSandbox(async (sandbox) => {
    const [rounds, roundMs] = isQuick ? [1, 50] : [12, 300];
    const until = Date.now() - HOUR_MS;
    // Slightly less than the 30 days that a listing shows, so that no entry expires meanwhile.
    const entries = [...makeEntries(10_000, until - 29.9 * DAY_MS, until)];
    const services: Lister[] = [];
    for (const service of await startServices(sandbox, builds, measured.projectId)) {
      const log = new LogFile(service.file);
      log.append(entries);
      const own = entries.filter((one) => one.projectId === measured.projectId && one.kind === measured.kind);
      services.push({ ...service, log, texts: own.map(({ text }) => text), lastAt: until });
    }
    const results: Result[] = [];
    for (const { measure, encoding, changes, goal } of situations) {
      for (const service of services) await check(service);
      const { headers, body } = await listingOf(services[0] ?? assert.fail(), encoding);
      const responses = { [path]: { headers: withoutNodesOwn(headers), base64: body.toString("base64") } };
      const floor = { ...(await startFloor(sandbox, "bytes", { responses })), name: FLOOR, key: "none" };
      const racers: Racer[] = [];
      for (const one of services)
        racers.push(changes ? changing(one, roundMs) : await unchanged(one, encoding, roundMs));
      racers.push(await unchanged(floor, encoding, roundMs));
      const options = { measure, goal };
      results.push(...(await race({ ...options, connections: 16, rounds }, racers)));
      for (const service of services) await check(service);
    }
    for (const { log } of services) log.close();
    return results;
  });

/** A service, its file, and the content of its measured log, oldest entry first. */
interface Lister extends KeyedServer {
  readonly log: LogFile;
  readonly texts: string[];
  lastAt: number;
}

const listingOf = (server: KeyedServer, encoding: string) => post(server, path, "{}", { "accept-encoding": encoding });

/** Throws unless a service lists exactly the stored entries, plain and gzipped. */
async function check(service: Lister): Promise<void> {
  const expected = `[${service.texts.slice(-LISTED).reverse().join(",")}]`;
  assert.equal((await listingOf(service, "identity")).body.toString(), expected);
  assert.equal(gunzipSync((await listingOf(service, "gzip")).body).toString(), expected);
}

const requestTo = ({ key }: KeyedServer, encoding: string): Buffer =>
  toPost(path, key, "{}", [`Accept-Encoding: ${encoding}`]);

async function unchanged(server: KeyedServer, encoding: string, roundMs: number): Promise<Racer> {
  const { length } = (await listingOf(server, encoding)).body;
  const request = requestTo(server, encoding);
  return {
    ...server,
    *lines() {
      for (const end = performance.now() + roundMs; performance.now() < end; ) yield [request];
    },
    check: ({ bytes, count }) => assert.equal(bytes, count * length, "each listing is as long as before"),
  };
}

/** Commits an entry before each request. The response must begin with it. */
function changing(service: Lister, roundMs: number): Racer {
  const request = requestTo(service, "identity");
  const committed = new WeakMap<Buffer, string>();
  function* commitAndAsk(entries: readonly StoredEntry[]): Generator<Buffer[]> {
    const end = performance.now() + roundMs;
    for (const entry of entries) {
      if (performance.now() >= end) return;
      service.log.append([entry]);
      service.texts.push(entry.text);
      // A new object with the same bytes, which identifies the request when its response is checked.
      const own = request.subarray();
      committed.set(own, entry.timestamp);
      yield [own];
    }
  }
  const next = (): StoredEntry => makeEntry(measured.projectId, measured.kind, ++service.lastAt);
  return {
    ...service,
    lines: () => commitAndAsk(Array.from({ length: roundMs * COMMITS_PER_MS }, next)),
    checkStart: (own, start) =>
      assert(start.includes(committed.get(own) ?? "no entry"), "a listing shows what was committed before"),
  };
}

/** Removes the headers that Node adds. */
function withoutNodesOwn({ date, connection, "keep-alive": _, ...headers }: HttpResponse["headers"]) {
  return headers;
}
