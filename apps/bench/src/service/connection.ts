import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

/** What a call is made of. */
export interface Call {
  path: string;
  apiKey: string;
  headers?: Record<string, string>;
}

/** What a call is answered. */
export interface Answer {
  headers: IncomingHttpHeaders;
  /** As it came: not unpacked. */
  body: Buffer;
}

/** Keep-alive connections to one server: `node:http`, because it adds least of its own to what is timed. */
export class Connections {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, count = 1) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: count });
  }

  /** Calls an operation with no options. Rejects unless the answer is 200. */
  async call(call: Call): Promise<Buffer> {
    return (await this.answer(call)).body;
  }

  /** The same, with the headers of the answer. */
  async answer({ path, apiKey, headers }: Call): Promise<Answer> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(this.#url + path, {
        method: "POST",
        agent: this.#agent,
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
      })
        .on("response", resolve)
        .on("error", reject)
        .end("{}");
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (response.statusCode === 200) return { headers: response.headers, body };
    throw new Error(`POST ${this.#url}${path} answered ${response.statusCode}: ${body.subarray(0, 500)}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}
