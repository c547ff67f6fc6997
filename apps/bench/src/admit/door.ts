import assert from "node:assert/strict";
import type { TokenClaims } from "@media-ops/tokens";
import { Load } from "../load/load.js";
import { type Post, toPost } from "../load/post.js";
import type { Racer } from "../load/race-servers.js";
import type { Clients, Wish } from "./clients.js";

const ADMITTED = '{"allowed":true}';

/** Who wants in, in each round. */
export interface Crowd {
  readonly count: number;
  readonly channels: number;
  /** What all their tokens say. */
  readonly claims: TokenClaims;
}

/** A server that is asked whether clients may connect. */
export class Door {
  /** How many it has let in. */
  admitted = 0;
  readonly #url: string;
  readonly #clients: Clients;
  readonly #load: Load;
  #nodes = 0;

  private constructor(url: string, clients: Clients, load: Load) {
    this.#url = url;
    this.#clients = clients;
    this.#load = load;
  }

  static async open(url: string, clients: Clients, connections: number): Promise<Door> {
    return new Door(url, clients, await Load.open([url], connections));
  }

  /** @param afterRound Is told on which node everybody is. */
  racer({ count, channels, claims }: Crowd, afterRound?: (nodeName: string) => Promise<void>): Racer {
    let nodeName = "";
    const ask = async (at: number): Promise<Buffer[]> => {
      const wish = { channelId: channelId(at % channels), nodeName, claims };
      return [toPost(await this.#clients.asking(wish))];
    };
    return {
      load: this.#load,
      lines: () => {
        nodeName = this.newNode();
        return Promise.all(Array.from({ length: count }, (_, at) => ask(at)));
      },
      check: async (rate) => {
        assert.equal(rate.count, count);
        // Every other answer is longer.
        assert.equal(rate.bytes, count * ADMITTED.length, "Somebody was not let in.");
        this.admitted += count;
        await afterRound?.(nodeName);
      },
    };
  }

  /** Whether a client is let in. */
  async admits(wish: Wish): Promise<boolean> {
    const text = await this.#send(await this.#clients.asking(wish));
    const { allowed } = JSON.parse(text);
    if (allowed === true) {
      assert.equal(text, ADMITTED);
      this.admitted += 1;
    } else assert.equal(allowed, false, text);
    return allowed;
  }

  /** Takes everybody's place on a node. */
  async free(nodeName: string): Promise<void> {
    await this.#send(this.#clients.vanished(nodeName));
  }

  newNode(): string {
    this.#nodes += 1;
    return `node-${this.#nodes}`;
  }

  close(): void {
    this.#load.close();
  }

  async #send({ path, key, body }: Post): Promise<string> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(this.#url + path, { method: "POST", headers, body });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text;
  }
}

export const projectId = "bench";

export const channelId = (at: number): string => `room-${at}@${projectId}`;
