import { createFakeMediaService, type FakeMediaServiceOptions } from "@media-ops/sdk/testing";
import { startBadService } from "./bad-service.js";

interface PlainServiceOptions extends FakeMediaServiceOptions {
  /** Each call waits for this before it is answered. */
  hold?: () => Promise<void>;
}

/** Starts a service with the six operations only, and gives the settings that connect a bot to it. */
export async function startPlainService({ hold, ...options }: PlainServiceOptions = {}) {
  const fake = createFakeMediaService({ extensions: false, ...options });
  const { apiKey } = fake.clientOptions;
  const url = await startBadService(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await hold?.();
    const { method = "POST", headers } = request;
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
    calls: fake.calls,
    env: { MEDIA_BASE_URL: url, MEDIA_API_KEY: apiKey },
  };
}
