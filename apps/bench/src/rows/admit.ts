import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { apiKeyToTokenKey, signToken, type TokenClaims } from "@media-ops/tokens";
import { authBody, vanishedBody } from "../events.js";
import { type KeyedServer, post, type Racer, race, toPost } from "../load.js";
import { goal, type Result, type Row } from "../measure.js";
import { createIntakeKey, startFloor, startServices, withSandbox } from "../programs.js";

const PROJECT = "bench";
const FLOOR = "bare node:http that verifies with jose";
const ADMITTED = '{"allowed":true}';
// More clients than a round admits.
const limited = { max_channel_connections: 5000 };
const crowds = [
  { measure: "1 channel, no limit", channels: 1, claims: {} },
  { measure: "1 channel, tokens with a limit", channels: 1, claims: limited },
  { measure: "100 channels, tokens with a limit", channels: 100, claims: limited },
];

/** Measures admitted clients per second, compared with a bare server that only verifies their tokens. */
export const admit: Row = ({ builds, isQuick }) =>
  withSandbox(async (sandbox) => {
    const [rounds, clients] = isQuick ? [1, 300] : [6, 4000];
    const doors: Door[] = [];
    for (const service of await startServices(sandbox, builds, PROJECT)) {
      const { name, internalUrl: url, key: apiKey } = service;
      doors.push({ name, url, apiKey, key: await createIntakeKey(service), admitted: 0 });
    }
    for (const door of doors) await checkCounts(door);
    const apiKey = doors[0]?.apiKey ?? "";
    const bare = await startFloor(sandbox, "verify", { apiKey });
    const floor: Door = { ...bare, name: FLOOR, apiKey, key: "", admitted: 0 };
    for (const door of [...doors, floor]) {
      assert.equal(await admits(door, "verifies", { exp: Math.floor(Date.now() / 1000) - 1 }), false);
    }
    const results: Result[] = [];
    for (const { measure, channels, claims } of crowds) {
      const racers = [...doors, floor].map((door) => racerOf(door, clients, channels, claims));
      const options = { measure, unit: "admissions", goal: goal("ratio", "≥", 0.5) };
      results.push(...(await race({ ...options, connections: 256, rounds }, racers)));
    }
    for (const { url, admitted } of doors) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const counted = /^media_admissions_total\{outcome="allowed"\} (\d+)$/m.exec(text)?.[1];
      assert.equal(Number(counted), admitted, "the service has counted the same admissions");
    }
    return results;
  });

/** A server that decides whether clients may connect; its key is the intake key. */
interface Door extends KeyedServer {
  /** Signs the clients' tokens. */
  readonly apiKey: string;
  /** How many clients it has admitted. */
  admitted: number;
}

function racerOf(door: Door, clients: number, channels: number, claims: TokenClaims): Racer {
  let node = "";
  return {
    ...door,
    lines: () => {
      node = `node-${randomUUID()}`;
      const bodies = Array.from({ length: clients }, (_, at) => bodyOf(door, at % channels, node, claims));
      return Promise.all(bodies.map(async (body) => [toPost("/intake/auth", door.key, await body)]));
    },
    check: async ({ count, bytes }) => {
      assert.equal(bytes, count * ADMITTED.length, "every client was admitted: any other answer is longer");
      door.admitted += count;
      if (door.name !== FLOOR) await vanish(door, node);
    },
  };
}

/** Throws unless the number of admitted clients is limited by the token, and seats become free again. */
async function checkCounts(door: Door): Promise<void> {
  const limit = { max_channel_connections: 2 };
  for (const isAdmitted of [true, true, false]) assert.equal(await admits(door, "first", limit), isAdmitted);
  await vanish(door, "first");
  assert.equal(await admits(door, "second", limit), true);
  await vanish(door, "second");
}

async function admits(door: Door, node: string, claims: TokenClaims): Promise<boolean> {
  const { body } = await post(door, "/intake/auth", await bodyOf(door, 0, node, claims));
  const { allowed } = JSON.parse(body.toString());
  if (allowed) door.admitted += 1;
  return allowed;
}

/** Ends all connections on a node. */
async function vanish(door: Door, node: string): Promise<void> {
  await post(door, "/intake/session", vanishedBody(node));
}

async function bodyOf({ apiKey }: Door, channel: number, node: string, claims: TokenClaims): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const channelId = `room-${channel}@${PROJECT}`;
  const own = { iat: now, jti: randomUUID(), exp: now + 3600, channel_id: channelId, role: "sendrecv" } as const;
  return authBody(channelId, node, await signToken({ ...own, ...claims }, apiKeyToTokenKey(apiKey)));
}
