import assert from "node:assert/strict";
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";

/** A response as it was sent: not decompressed. */
export interface HttpResponse {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Keep-alive connections to one server over `node:http`, which adds less to a call than `fetch` does. */
export class HttpClient {
  readonly #url: string;
  readonly #key: string;
  readonly #agent: Agent;

  /** @param key An API key or an intake key. */
  constructor(url: string, key: string, connections = 1) {
    this.#url = url;
    this.#key = key;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Posts a body, and rejects unless the answer is 200. */
  async post(path: string, body = "{}", headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(this.#url + path, {
        method: "POST",
        agent: this.#agent,
        headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json", ...headers },
      })
        .on("response", resolve)
        .on("error", reject)
        .end(body);
    });
    const received = await buffer(response);
    assert.equal(response.statusCode, 200, `POST ${path}: ${received.subarray(0, 500)}`);
    return { headers: response.headers, body: received };
  }

  close(): void {
    this.#agent.destroy();
  }
}
