// The baseline servers of the comparisons, each in its own process. A process starts with the server's name as its
// argument, waits for its settings, and replies with its URL.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { OutgoingHttpHeaders, RequestListener } from "node:http";
import { freePort, serveHttp } from "@media-ops/testing/servers";
import { App, HTTPReceiver } from "@slack/bolt";
import { type JWTPayload, jwtVerify, SignJWT } from "jose";

/** The settings that a row sends to a floor before it listens. */
interface FloorSettings {
  readonly apiKey: string;
  /** `bytes`: the response of each path. */
  readonly responses: Readonly<Record<string, { readonly headers: OutgoingHttpHeaders; readonly base64: string }>>;
  /** `bolt`: the secret that requests are signed with. */
  readonly signingSecret: string;
}

const floors: Readonly<Record<string, (settings: FloorSettings) => Promise<string>>> = {
  /** Sends the same bytes to every request for a path. */
  bytes: async ({ responses }) => {
    const ready = new Map(
      Object.entries(responses).map(([path, { headers, base64 }]) => [
        path,
        { headers, body: Buffer.from(base64, "base64") },
      ]),
    );
    return serve((request, response) => {
      request.resume();
      const { headers, body } = ready.get(request.url ?? "") ?? {};
      response.writeHead(body ? 200 : 404, headers).end(body);
    });
  },
  /** Parses an event, and stores nothing. */
  parse: async () => serveJson(async (event) => (event !== null && typeof event === "object" ? {} : undefined)),
  /** Signs the requested claims. */
  sign: async ({ apiKey }) => {
    const key = await importKey(apiKey, "sign");
    const header = { alg: "HS256", typ: "JWT", kid: apiKey.split("_")[1] ?? "" };
    return serveJson(async (body) => {
      const { expiration_time, ...granted } = body as JWTPayload & { readonly expiration_time: string };
      const iat = Math.floor(Date.now() / 1000);
      const claims = { iat, jti: randomUUID(), exp: Math.floor(Date.parse(expiration_time) / 1000), ...granted };
      return { access_token: await new SignJWT(claims).setProtectedHeader(header).sign(key) };
    });
  },
  /** Verifies a client's token, and counts no connections. */
  verify: async ({ apiKey }) => {
    const key = await importKey(apiKey, "verify");
    return serveJson(async (body) => {
      const { metadata } = body as { readonly metadata: { readonly access_token: string } };
      const refused = { allowed: false, reason: "invalid token" };
      return jwtVerify(metadata.access_token, key).then(
        () => ({ allowed: true }),
        () => refused,
      );
    });
  },
  /** Acknowledges Slack's requests with Bolt. */
  bolt: async ({ signingSecret }) => {
    const receiver = new HTTPReceiver({ signingSecret });
    const authorize = async () => ({ botToken: "xoxb-bench", botId: "B0", botUserId: "U0" });
    new App({ receiver, authorize, convoStore: false }).command(/^\//, ({ ack }) => ack());
    const port = await freePort();
    await receiver.start({ host: "127.0.0.1", port });
    return `http://127.0.0.1:${port}`;
  },
};

async function serve(listener: RequestListener): Promise<string> {
  const { server, url } = await serveHttp(listener);
  // A server can wait for its turn longer than Node keeps an idle connection.
  server.keepAliveTimeout = 0;
  return url;
}

/** Responds with JSON and the headers that the service sends, or with 400 if there is no answer. */
function serveJson(answer: (body: unknown) => Promise<object | undefined>): Promise<string> {
  return serve((request, response) => {
    // Uses events, because iterating over a request costs more than the rest of a floor.
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const value = await answer(JSON.parse(Buffer.concat(chunks).toString()));
      if (!value) return response.writeHead(400).end();
      const text = JSON.stringify(value);
      const headers = {
        "x-request-id": "00000000-0000-4000-8000-000000000000",
        "cache-control": "no-store",
        "content-type": "application/json; charset=UTF-8",
        "content-length": Buffer.byteLength(text),
      };
      response.writeHead(200, headers).end(text);
    });
  });
}

const importKey = (apiKey: string, use: "sign" | "verify") =>
  crypto.subtle.importKey("raw", Buffer.from(apiKey), { name: "HMAC", hash: "SHA-256" }, false, [use]);

const [settings] = (await once(process, "message")) as [FloorSettings];
const url = await floors[process.argv[2] ?? ""]?.(settings);
if (!url) throw new Error(`Unknown floor "${process.argv[2]}"; known: ${Object.keys(floors).join(", ")}.`);
process.send?.(url);
