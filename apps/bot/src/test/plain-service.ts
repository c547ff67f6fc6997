import { createFakeMediaService, type FakeMediaServiceOptions } from "@media-ops/sdk/testing";
import { startBadService } from "./bad-service.js";

export interface PlainServiceOptions extends FakeMediaServiceOptions {
  /** Each call waits for this before it is answered. */
  hold?: () => Promise<void>;
  /** The status with which the media server answers calls of its API; "lost" for no answer. @default 200 */
  mediaStatus?: () => number | "lost";
}

/** Starts a service with the six operations only, and gives the address and the key with which a bot is connected to it. */
export async function startPlainService({ hold, mediaStatus = () => 200, ...options }: PlainServiceOptions = {}) {
  const fake = createFakeMediaService({ extensions: false, ...options });
  const { apiKey } = fake.clientOptions;
  const mediaCalls: { target: string | undefined; requestedBy: string | undefined; body: unknown }[] = [];
  const url = await startBadService(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await hold?.();
    const { method = "POST", headers } = request;
    if (request.url?.startsWith("/media-api") && options.extensions === true) {
      const [target, requestedBy] = ["x-media-target", "x-requested-by"].map((name) => headers[name]?.toString());
      mediaCalls.push({ target, requestedBy, body: JSON.parse(Buffer.concat(chunks).toString()) });
      const status = mediaStatus();
      if (status === "lost") return void response.destroy();
      return void response.writeHead(status, { "content-type": "application/json" }).end("{}");
    }
    const answer = await fake.fetch(`http://media.test${request.url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(method === "POST" && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  return {
    add: fake.add,
    setLive: fake.setLive,
    addDeliveries: fake.addDeliveries,
    setEndpoints: fake.setEndpoints,
    /** The calls of the media server's API, oldest first. */
    mediaCalls,
    calls: fake.calls,
    ...{ url, apiKey },
  };
}
