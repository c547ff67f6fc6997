import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { apiKeyToTokenKey, signToken, type TokenClaims } from "@media-ops/tokens";
import { authBody, vanishedBody } from "../harness/events.js";
import { HttpClient } from "../harness/http.js";
import { Load, toPost } from "../harness/load.js";
import { startServices } from "../harness/programs.js";
import { type Racer, raceResults, raceServers } from "../harness/race.js";
import { type Result, type Row, ratioAtLeast } from "../harness/report.js";
import { show, startFloor, withSandbox } from "../harness/sandbox.js";

const PROJECT = "bench";
const CONNECTIONS = 256;
const FLOOR = "bare node:http that verifies with jose";
const ADMITTED = '{"allowed":true}';
// More than a round admits.
const LIMIT = 5000;

const crowds = [1, 100].flatMap((channels) => [
  { name: `${channels} channels, no limit`, channels, claims: {} },
  { name: `${channels} channels, tokens with a limit`, channels, claims: { max_channel_connections: LIMIT } },
]);

/** How many clients a second are admitted, beside a bare server that only verifies their tokens. */
export const admit: Row = ({ builds, isQuick }) =>
  withSandbox(async (sandbox) => {
    const [rounds, clients] = isQuick ? [1, 300] : [6, 4000];
    const services = await startServices(sandbox, builds, PROJECT, { hasIntakeKey: true });
    const doors = services.map((service) => new Door({ ...service, url: service.internalUrl }));
    const apiKey = services[0]?.apiKey ?? "";
    for (const door of doors) await door.checkCounts();
    const floor = new Door({
      ...(await startFloor(sandbox, "verify", { apiKey })),
      name: FLOOR,
      apiKey,
      intakeKey: "",
    });
    for (const door of [...doors, floor]) await door.checkVerifies();

    const results: Result[] = [];
    for (const { name, channels, claims } of crowds) {
      const racers: Racer[] = [];
      for (const door of [...doors, floor]) racers.push(await door.racer(clients, channels, claims));
      const raced = await raceServers(racers, rounds);
      for (const { load } of racers) load.close();
      results.push(
        ...raceResults({ row: "admit", name, unit: "admissions", goals: { [FLOOR]: ratioAtLeast(0.5) } }, raced),
      );
      show(`admit: ${name}: measured`);
    }
    for (const door of doors) await door.checkMetrics();
    return results;
  });

interface DoorOptions {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly apiKey: string;
  readonly intakeKey: string;
}

/** A server that decides whether clients may connect. */
class Door {
  readonly #options: DoorOptions;
  readonly #client: HttpClient;
  #admitted = 0;
  #nodes = 0;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.#client = new HttpClient(options.url, options.intakeKey);
  }

  async racer(clients: number, channels: number, claims: TokenClaims): Promise<Racer> {
    const { name, url, pid, intakeKey } = this.#options;
    let node = "";
    return {
      name,
      pid,
      load: await Load.open(url, CONNECTIONS),
      lines: () => {
        node = this.#newNode();
        const post = async (at: number) => [
          toPost("/intake/auth", intakeKey, await this.#body(at % channels, node, claims)),
        ];
        return Promise.all(Array.from({ length: clients }, (_, at) => post(at)));
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

  /** Throws unless no more are admitted than a token allows, until there are places again. */
  async checkCounts(): Promise<void> {
    const node = this.#newNode();
    const limit = { max_channel_connections: 2 };
    const admitted = [
      await this.#admits(node, limit),
      await this.#admits(node, limit),
      await this.#admits(node, limit),
    ];
    assert.deepEqual(admitted, [true, true, false]);
    await this.#vanish(node);
    assert.equal(await this.#admits(this.#newNode(), limit), true);
  }

  /** Throws unless the service itself counted as many. */
  async checkMetrics(): Promise<void> {
    const text = await (await fetch(`${this.#options.url}/metrics`)).text();
    const counted = /^media_admissions_total\{outcome="allowed"\} (\d+)$/m.exec(text)?.[1];
    assert.equal(Number(counted), this.#admitted);
  }

  async #admits(node: string, claims: TokenClaims): Promise<boolean> {
    const { body } = await this.#client.post("/intake/auth", await this.#body(0, node, claims));
    const { allowed } = JSON.parse(body.toString());
    if (allowed) this.#admitted += 1;
    return allowed;
  }

  /** Ends everyone's connection on a node. */
  async #vanish(node: string): Promise<void> {
    await this.#client.post("/intake/session", vanishedBody(node));
  }

  #newNode(): string {
    this.#nodes += 1;
    return `node-${this.#nodes}`;
  }

  async #body(channel: number, node: string, claims: TokenClaims): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const channelId = `room-${channel}@${PROJECT}`;
    const own = { iat: now, jti: randomUUID(), exp: now + 3600, channel_id: channelId, role: "sendrecv" } as const;
    return authBody(channelId, node, await signToken({ ...own, ...claims }, apiKeyToTokenKey(this.#options.apiKey)));
  }
}
