import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { apiKeyToTokenKey, signToken, type TokenClaims } from "@media-ops/tokens";
import { authBody, vanishedBody } from "../events.js";
import { post, type Racer, race, toPost } from "../load.js";
import { type Result, type Row, ratioAtLeast } from "../measure.js";
import { createIntakeKey, startFloor, startServices, withSandbox } from "../programs.js";

const PROJECT = "bench";
const FLOOR = "bare node:http that verifies with jose";
const ADMITTED = '{"allowed":true}';
// More clients than a round admits.
const LIMIT = 5000;

const limited = { max_channel_connections: LIMIT };
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
      const { name, internalUrl: url, pid, key: apiKey } = service;
      doors.push(new Door({ name, url, pid, apiKey, key: await createIntakeKey(service) }));
    }
    for (const door of doors) await door.checkCounts();
    const apiKey = doors[0]?.options.apiKey ?? "";
    const floor = new Door({ ...(await startFloor(sandbox, "verify", { apiKey })), name: FLOOR, apiKey, key: "" });
    for (const door of [...doors, floor]) await door.checkVerifies();

    const results: Result[] = [];
    for (const { measure, channels, claims } of crowds) {
      const racers = [...doors, floor].map((door) => door.racer(clients, channels, claims));
      const options = { row: "admit", measure, unit: "admissions", goals: { [FLOOR]: ratioAtLeast(0.5) } };
      results.push(...(await race({ ...options, connections: 256, rounds }, racers)));
    }
    for (const door of doors) await door.checkMetrics();
    return results;
  });

interface DoorOptions {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** Signs the clients' tokens. */
  readonly apiKey: string;
  /** The intake key. */
  readonly key: string;
}

/** A server that decides whether clients may connect. */
class Door {
  readonly options: DoorOptions;
  #admitted = 0;
  #nodes = 0;

  constructor(options: DoorOptions) {
    this.options = options;
  }

  racer(clients: number, channels: number, claims: TokenClaims): Racer {
    const { key, name } = this.options;
    let node = "";
    return {
      ...this.options,
      lines: () => {
        node = this.#newNode();
        const bodies = Array.from({ length: clients }, (_, at) => this.#body(at % channels, node, claims));
        return Promise.all(bodies.map(async (body) => [toPost("/intake/auth", key, await body)]));
      },
      check: async ({ count, bytes }) => {
        assert.equal(bytes, count * ADMITTED.length, "every client was admitted: any other answer is longer");
        this.#admitted += count;
        if (name !== FLOOR) await this.#vanish(node);
      },
    };
  }

  /** Throws unless a token is valid until it expires. */
  async checkVerifies(): Promise<void> {
    const node = this.#newNode();
    assert.equal(await this.#admits(node, {}), true);
    assert.equal(await this.#admits(node, { exp: Math.floor(Date.now() / 1000) - 1 }), false);
  }

  /** Throws unless the number of admitted clients is limited by the token, and seats become free again. */
  async checkCounts(): Promise<void> {
    const node = this.#newNode();
    const limit = { max_channel_connections: 2 };
    for (const isAdmitted of [true, true, false]) assert.equal(await this.#admits(node, limit), isAdmitted);
    await this.#vanish(node);
    assert.equal(await this.#admits(this.#newNode(), limit), true);
  }

  /** Throws unless the service's own count of admissions is the same. */
  async checkMetrics(): Promise<void> {
    const text = await (await fetch(`${this.options.url}/metrics`)).text();
    const counted = /^media_admissions_total\{outcome="allowed"\} (\d+)$/m.exec(text)?.[1];
    assert.equal(Number(counted), this.#admitted);
  }

  async #admits(node: string, claims: TokenClaims): Promise<boolean> {
    const { body } = await post(this.options, "/intake/auth", await this.#body(0, node, claims));
    const { allowed } = JSON.parse(body.toString());
    if (allowed) this.#admitted += 1;
    return allowed;
  }

  /** Ends all connections on a node. */
  async #vanish(node: string): Promise<void> {
    await post(this.options, "/intake/session", vanishedBody(node));
  }

  #newNode(): string {
    this.#nodes += 1;
    return `node-${this.#nodes}`;
  }

  async #body(channel: number, node: string, claims: TokenClaims): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const channelId = `room-${channel}@${PROJECT}`;
    const own = { iat: now, jti: randomUUID(), exp: now + 3600, channel_id: channelId, role: "sendrecv" } as const;
    return authBody(channelId, node, await signToken({ ...own, ...claims }, apiKeyToTokenKey(this.options.apiKey)));
  }
}
