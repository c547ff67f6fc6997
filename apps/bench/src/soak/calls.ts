import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { apiKeyToTokenKey, verifyToken } from "@media-ops/tokens";
import { Connections } from "../service/connection.js";
import { kinds, listings, tokenPath } from "../service/entries.js";
import { type Pace, steadily } from "./pace.js";

const LISTED = 1000;
const LISTING_EVERY_MS = 60;
const MINT_EVERY_MS = 60;

export interface Project {
  readonly projectId: string;
  readonly apiKey: string;
}

/** What programs ask of the service: every log of every project by turns, and tokens. */
export class Calls {
  /** The token that was made last for each project; clients come with it. */
  readonly tokens = new Map<string, string>();
  readonly #projects: readonly Project[];
  readonly #connections: Connections;

  constructor(url: string, projects: readonly Project[]) {
    this.#projects = projects;
    this.#connections = new Connections(url, 8);
  }

  /** Gives how many listings and tokens there were. */
  async run(pace: Pace): Promise<{ listed: number; minted: number }> {
    const [listed, minted] = await Promise.all([
      steadily(LISTING_EVERY_MS, (nth) => this.#list(nth), pace),
      steadily(MINT_EVERY_MS, (nth) => this.mint(this.#projectAt(nth)), pace),
    ]);
    this.#connections.close();
    return { listed, minted };
  }

  async mint({ projectId, apiKey }: Project): Promise<void> {
    const answer = await this.#connections.call({ path: tokenPath, apiKey });
    const { access_token: token }: { access_token: string } = JSON.parse(answer.toString());
    await verifyToken(token, apiKeyToTokenKey(apiKey), { now: Date.now() });
    this.tokens.set(projectId, token);
  }

  async #list(nth: number): Promise<void> {
    const kind = kinds[nth % kinds.length] ?? "sessions";
    const { apiKey } = this.#projectAt(Math.floor(nth / kinds.length));
    const isGzipped = nth % 2 === 0;
    const headers: Record<string, string> = isGzipped ? { "accept-encoding": "gzip" } : {};
    const answer = await this.#connections.call({ path: listings[kind], apiKey, headers });
    const entries: LogEntryOf<LogKind>[] = JSON.parse((isGzipped ? gunzipSync(answer) : answer).toString());
    assert.equal(entries.length, LISTED);
    const times = entries.map(({ timestamp }) => Date.parse(timestamp));
    assert(
      times.every((time, at) => at === 0 || time <= (times[at - 1] ?? 0)),
      `the newest entry of the log ${kind} is listed first`,
    );
  }

  #projectAt(nth: number): Project {
    const project = this.#projects[nth % this.#projects.length];
    assert(project);
    return project;
  }
}
