import assert from "node:assert/strict";
import type { Database } from "@media-ops/database";
import { checkConnectionLogs } from "../databases/check-log.js";
import { cpuOf } from "../databases/cpu.js";
import type { BenchDatabase } from "../databases/database.js";
import { open, type Tables } from "../databases/open.js";
import { toRequest } from "../intake/events.js";
import { Load } from "../load/load.js";
import { Connections } from "../service/connection.js";
import { listings } from "../service/entries.js";
import { toListing } from "../service/listing-request.js";
import type { Sandbox } from "../service/sandbox.js";
import { type ServiceProcess, startServiceProcess } from "../service/service-process.js";
import type { Filled } from "./filled.js";

const LISTED = 1000;
const path = listings.connections;

/** Some processes of the service on one database, and who calls them. */
export class Contestant {
  readonly name: string;
  readonly filled: Filled;
  readonly services: readonly ServiceProcess[];
  readonly #database: Database<Tables>;
  /** How many entries there must be. */
  #entries: number;

  private constructor(filled: Filled, services: readonly ServiceProcess[], database: Database<Tables>) {
    this.name = `${filled.database.kind}, ${services.length} ${services.length === 1 ? "process" : "processes"}`;
    this.filled = filled;
    this.services = services;
    this.#database = database;
    this.#entries = filled.entries;
  }

  static async start(sandbox: Sandbox, filled: Filled, processes: number): Promise<Contestant> {
    const { url } = filled.database;
    const services = await Promise.all(Array.from({ length: processes }, () => startServiceProcess(sandbox, url)));
    return new Contestant(filled, services, await open(url));
  }

  get database(): BenchDatabase {
    return this.filled.database;
  }

  /** Seconds of CPU that all its processes of the service have used. */
  cpu(): Promise<number> {
    return cpuOf(this.services.map(({ pid }) => pid));
  }

  /** Connections to the intake of all processes. */
  openIntake(connections: number): Promise<Load> {
    return Load.open(
      this.services.map(({ insideUrl }) => insideUrl),
      connections,
    );
  }

  /** Connections to the listings of all processes. */
  openListing(connections: number): Promise<Load> {
    return Load.open(
      this.services.map(({ url }) => url),
      connections,
    );
  }

  /** Takes in events, whose lines end with one that becomes an entry. Gives how many a second. */
  async takeIn(intake: Load, lines: readonly (readonly string[])[]): Promise<number> {
    const requests = lines.map((line) => line.map((body) => toRequest(body, this.filled.intakeKey)));
    const { perSecond } = await intake.rate(requests);
    this.#entries += lines.length;
    return perSecond;
  }

  /** Throws unless all that was acknowledged stands in the log, each once, and numbered without a gap. */
  checkLog(): Promise<void> {
    return checkConnectionLogs(this.#database, this.#entries, this.name);
  }

  /** The request for each project's listing, and the answer, which every process must give alike. */
  async listings(): Promise<{ request: Buffer; bytes: number }[]> {
    const found: { request: Buffer; bytes: number }[] = [];
    for (const { projectId, apiKey } of this.filled.projects) {
      const [body, ...others] = await Promise.all(this.services.map(({ url }) => listOnce(url, apiKey)));
      assert(body);
      for (const other of others) assert(other.equals(body), "every process lists the same");
      const entries: { timestamp: string; channel_id: string }[] = JSON.parse(body.toString());
      assert.equal(entries.length, LISTED);
      assert(entries.every(({ channel_id }) => channel_id.endsWith(`@${projectId}`)));
      const times = entries.map(({ timestamp }) => Date.parse(timestamp));
      assert(
        times.every((time, at) => at === 0 || time <= (times[at - 1] ?? 0)),
        "the newest entry is listed first",
      );
      found.push({ request: toListing(path, apiKey), bytes: body.length });
    }
    return found;
  }

  /** Throws unless every process lists an entry, which was acknowledged by one of them, at once. */
  async checkListed(connectionId: string): Promise<void> {
    const [project] = this.filled.projects;
    for (const { url } of this.services) {
      const body = await listOnce(url, project?.apiKey ?? "");
      assert(body.includes(connectionId), "what one process has taken in is listed by each");
    }
  }

  async stop(): Promise<void> {
    await this.#database.close();
    await Promise.all(this.services.map((service) => service.stop()));
  }
}

async function listOnce(url: string, apiKey: string): Promise<Buffer> {
  const connections = new Connections(url);
  const body = await connections.call({ path, apiKey });
  connections.close();
  return body;
}
