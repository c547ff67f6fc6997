import { describe, expect, it } from "vitest";
import { json, serve, startServer } from "../test/http-server.js";
import {
  createMediaClient,
  MediaBadRequestError,
  type MediaClient,
  MediaNotFoundError,
  MediaResponseError,
  MediaServiceUnavailableError,
  MediaUsageError,
} from "./index.js";
import { createFakeMediaService } from "./testing/index.js";

const now = Date.parse("2026-04-01T09:30:15.250Z");

/** A service over HTTP, and a client of it. */
async function setUp() {
  const service = createFakeMediaService({ now: () => now });
  const client = createMediaClient({ ...(await serve(service)), maxRetries: 0 });
  return { service, client };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A call of each operation. */
const calls: Readonly<Record<string, (client: MediaClient) => Promise<unknown>>> = {
  "/projects/list-access-tokens": ({ tokens }) => tokens.list(),
  "/projects/revoke-access-token": ({ tokens }) => tokens.revoke({ channel_id: "lobby@demo" }),
  "/projects/check-access-token": ({ tokens }) => tokens.check({ access_token: "a.b.c" }),
  "/projects/list-access-token-revocations": ({ tokens }) => tokens.revocations(),
  "/projects/list-deliveries": ({ deliveries }) => deliveries.list(),
  "/projects/resend-deliveries": ({ deliveries }) => deliveries.resend({ event_id: "e1" }),
  "/projects/list-webhook-endpoints": ({ endpoints }) => endpoints.list(),
  "/projects/enable-webhook-endpoint": ({ endpoints }) => endpoints.enable("event"),
  "/projects/list-audit-log": ({ audit }) => audit.list(),
  "/orgs/list-live-channels": ({ live }) => live(),
};
const operations = Object.entries(calls);
const optional = Object.entries({ ...calls, "/orgs/list-event-logs": ({ logs }: MediaClient) => logs.events() });

describe("each operation", () => {
  it.each(operations)("is posted to %s", async (path, call) => {
    const service = createFakeMediaService();
    service.addDeliveries({ event_id: "e1" });
    service.setEndpoints({ kind: "event" });
    await call(createMediaClient(service.clientOptions));
    expect(service.calls.map((call) => [call.method, call.path])).toEqual([["POST", path]]);
  });

  it.each(optional)("%s is an error if the service lacks it, and is asked for once an hour", async (_, call) => {
    for (const extensions of [false, "ignored"] as const) {
      let time = now;
      const service = createFakeMediaService({ extensions });
      const client = createMediaClient({ ...service.clientOptions, now: () => time });
      for (const _ of [1, 2]) await expect(call(client)).rejects.toBeInstanceOf(MediaNotFoundError);
      expect(service.calls).toHaveLength(1);
      time += 3_600_000;
      await expect(call(client)).rejects.toBeInstanceOf(MediaNotFoundError);
      expect(service.calls).toHaveLength(2);
    }
  });

  it.each(operations)("%s refuses an answer that no service of the contract gives", async (_, call) => {
    const lists = ["tokens", "revocations", "deliveries", "endpoints", "entries"];
    const nothing = [null, 5, "x", [], {}];
    const listsOf = (item: unknown) => Object.fromEntries(lists.map((name) => [name, item]));
    for (const body of [...nothing, listsOf({}), listsOf([null]), listsOf([{}])]) {
      const { baseUrl } = await startServer(json(body));
      const client = createMediaClient({ baseUrl, apiKey: "key", maxRetries: 0 });
      await expect(call(client), JSON.stringify(body)).rejects.toBeInstanceOf(MediaResponseError);
    }
  });
});

describe("an answer that no service of the contract gives", () => {
  const counts = { complete: true, total: { count: 1 }, groups: [], omitted_groups: 0, periods: [] };

  async function clientOf(answer: unknown): Promise<MediaClient> {
    return createMediaClient({ baseUrl: (await startServer(json(answer))).baseUrl, apiKey: "key" });
  }

  it.each([
    null,
    [],
    {},
    { ...counts, total: null },
    { ...counts, total: {} },
    { ...counts, groups: undefined },
    { ...counts, groups: {} },
    { ...counts, groups: [null] },
    { ...counts, groups: [{ count: 1 }] },
    { ...counts, groups: [{ count: "1", by: {} }] },
    { ...counts, periods: undefined },
    { ...counts, periods: [null] },
  ])("is a response error as a count: %j", async (counted) => {
    await expect((await clientOf(counted)).logs.count("events")).rejects.toBeInstanceOf(MediaResponseError);
  });

  it.each([
    null,
    [],
    {},
    { channels: {} },
    { channels: [null] },
    { channels: [{}] },
    { channels: [{ channel_id: 5 }] },
    { channels: [{ channel_id: "lobby@demo", clients: null }] },
    { channels: [{ channel_id: "lobby@demo", clients: [null] }] },
    { channels: [{ channel_id: "lobby@demo", clients: [{}] }] },
  ])("is a response error as live channels: %j", async (answer) => {
    await expect((await clientOf(answer)).live()).rejects.toBeInstanceOf(MediaResponseError);
  });
});

describe("the tokens of a project", () => {
  it("are listed with who requested them, and without the tokens themselves", async () => {
    const { client } = await setUp();
    const request = { channel_id: "lobby@demo", expiration_time: "2026-04-01T09:40:15.000Z" };
    const { access_token } = await client.tokens.create(request, { requestedBy: "slack:T0PLAY/U0ANN" });
    await client.tokens.create({ role: "sendrecv" });
    const page = await client.tokens.list({ channel_id: "lobby@demo" });
    expect(page.tokens).toMatchObject([{ ...request, state: "active", requested_by: "slack:T0PLAY/U0ANN" }]);
    expect(JSON.stringify(page)).not.toContain(access_token);
  });

  it("can be revoked one by one, and then are neither listed nor good", async () => {
    const { client } = await setUp();
    const { access_token } = await client.tokens.create({ channel_id: "lobby@demo" });
    await expect(client.tokens.check({ access_token })).resolves.toMatchObject({ active: true });
    const [token] = (await client.tokens.list()).tokens;
    const revoked = await client.tokens.revoke({ jwt_id: token?.jwt_id }, { requestedBy: "ann" });
    expect(revoked).toMatchObject({ jwt_id: token?.jwt_id, tokens: 1 });
    await expect(client.tokens.check({ access_token })).resolves.toMatchObject({ active: false, reason: "revoked" });
    expect((await client.tokens.list()).tokens).toEqual([]);
    expect((await client.tokens.list({ include_ended: true })).tokens).toMatchObject([{ revoked_by: "ann" }]);
    expect((await client.tokens.revocations()).revocations).toMatchObject([{ jwt_id: token?.jwt_id }]);
  });

  it("can be revoked by channel and time, also as a Date", async () => {
    const { service, client } = await setUp();
    await client.tokens.create({ channel_id: "lobby@demo" });
    const issued_before = new Date(now);
    const revoked = await client.tokens.revoke({ channel_id: "lobby@demo", issued_before });
    expect(revoked).toMatchObject({ channel_id: "lobby@demo", tokens: 1 });
    expect(service.calls.at(-1)?.body).toEqual({ channel_id: "lobby@demo", issued_before: "2026-04-01T09:30:15.25Z" });
  });

  it("are checked for the channel that a client would enter", async () => {
    const { client } = await setUp();
    const { access_token } = await client.tokens.create({ channel_id: "lobby@demo" });
    const checked = await client.tokens.check({ access_token, channel_id: "hall@demo" });
    expect(checked).toMatchObject({ active: true, admission: { allowed: false, reason: "wrong-channel" } });
  });
});

describe("webhook deliveries", () => {
  it("are listed by state and time, and failed ones are sent again", async () => {
    const { service, client } = await setUp();
    service.addDeliveries(
      { state: "failed", event_id: "old", created_at: "2026-04-01T08:00:00Z" },
      { state: "failed", event_id: "new", created_at: "2026-04-01T09:00:00Z" },
      { state: "delivered", event_id: "good" },
    );
    const since = new Date("2026-04-01T09:00:00Z");
    const { deliveries } = await client.deliveries.list({ state: "failed", since });
    expect(deliveries).toMatchObject([{ event_id: "new" }]);
    await expect(client.deliveries.resend({ since })).resolves.toEqual({ resent: 1 });
    expect(service.calls.map(({ body }) => body)).toEqual([
      { state: "failed", since: "2026-04-01T09:00:00Z" },
      { since: "2026-04-01T09:00:00Z" },
    ]);
    expect((await client.deliveries.list({ state: "waiting" })).deliveries).toMatchObject([{ event_id: "new" }]);
    await expect(client.deliveries.resend({ event_id: "gone" })).rejects.toBeInstanceOf(MediaBadRequestError);
  });
});

describe("webhook endpoints", () => {
  it("are listed, and switched on by their kind or by a request", async () => {
    const { service, client } = await setUp();
    const off = { kind: "event", state: "off", off_reason: "the receiver answered 410 Gone" } as const;
    service.setEndpoints(off, { kind: "auth" });
    expect((await client.endpoints.list()).endpoints).toMatchObject([off, { kind: "auth", state: "ok" }]);
    await expect(client.endpoints.enable("event")).resolves.toMatchObject({ kind: "event", state: "ok" });
    await client.endpoints.enable({ project_id: "demo", kind: "auth" });
    expect(service.calls.at(-1)?.body).toEqual({ project_id: "demo", kind: "auth" });
    await expect(client.endpoints.enable("session")).rejects.toBeInstanceOf(MediaBadRequestError);
  });
});

describe("the audit log", () => {
  it("has who changed what, and whether it was refused", async () => {
    const { client } = await setUp();
    await client.tokens.revoke({ channel_id: "lobby@demo" }, { requestedBy: "ann" });
    await client.endpoints.enable("event", { requestedBy: "ben" }).catch(() => {});
    expect((await client.audit.list()).entries).toMatchObject([
      { action: "endpoint.enable", outcome: "refused", requested_by: "ben" },
      { action: "token.revoke", outcome: "done", subject: "lobby@demo", requested_by: "ann" },
    ]);
    const { entries } = await client.audit.list({ action: "token.revoke", until: new Date(now + 1) });
    expect(entries).toHaveLength(1);
    await expect(client.audit.list({ since: new Date(now + 1) })).resolves.toMatchObject({ entries: [] });
  });
});

describe("a service that answers in parts, because it has to look through much,", () => {
  it("is asked until a page has something or is the last, and until all webhooks are queued", async () => {
    const { baseUrl, requests } = await startServer(
      json({ entries: [], next_cursor: "a" }),
      json({ entries: [], next_cursor: "b" }),
      json({ entries: [] }),
      json({ resent: 100, next_cursor: "c" }),
      json({ resent: 20 }),
    );
    const client = createMediaClient({ baseUrl, apiKey: "key", maxRetries: 0 });
    expect(await client.audit.list({ action: "token.revoke" })).toEqual({ entries: [] });
    expect(await client.deliveries.resend({ since: "2026-04-01T09:00:00Z" })).toEqual({ resent: 120 });
    expect(requests.map(({ body }) => JSON.parse(body))).toMatchObject([
      { action: "token.revoke" },
      { action: "token.revoke", cursor: "a" },
      { action: "token.revoke", cursor: "b" },
      { since: "2026-04-01T09:00:00Z" },
      { since: "2026-04-01T09:00:00Z", cursor: "c" },
    ]);
  });
});

describe("all()", () => {
  it("walks every page once, newest first, of 1000 items if no limit is given", async () => {
    const { service, client } = await setUp();
    service.addDeliveries(...Array.from({ length: 5 }, (_, index) => ({ event_id: `e${index}` })));
    const ids = (await collect(client.deliveries.list.all({ limit: 2 }))).map(({ event_id }) => event_id);
    expect(ids).toEqual(["e4", "e3", "e2", "e1", "e0"]);
    expect(service.calls.map(({ body }) => (body as { limit: number }).limit)).toEqual([2, 2, 2]);
    await collect(client.audit.list.all());
    expect(service.calls.at(-1)?.body).toEqual({ limit: 1000 });
  });

  it("goes on from a cursor, and sends the same conditions for each page", async () => {
    const { service, client } = await setUp();
    for (const _ of [1, 2, 3]) await client.tokens.create({ role: "recvonly" });
    const first = await client.tokens.list({ role: "recvonly", limit: 1 });
    const rest = await collect(client.tokens.list.all({ role: "recvonly", limit: 1, cursor: first.next_cursor }));
    expect(rest).toHaveLength(2);
    expect(service.calls.slice(-2).map(({ body }) => body)).toMatchObject([{ role: "recvonly" }, { role: "recvonly" }]);
    const last = await client.tokens.list({ limit: 3 });
    expect(last).not.toHaveProperty("next_cursor");
  });

  it("throws the reason of an abort, also between the items of a page", async () => {
    const { service, client } = await setUp();
    service.addDeliveries({}, {}, {});
    const controller = new AbortController();
    const walk = client.deliveries.list.all({}, { signal: controller.signal });
    await walk.next();
    controller.abort("enough");
    await expect(walk.next()).rejects.toBe("enough");
  });

  it("throws the error of a page", async () => {
    const { service, client } = await setUp();
    service.fail({ status: 403 });
    await expect(client.audit.list.all().next()).rejects.toMatchObject({ code: "Forbidden" });
  });
});

describe("invalid requests are refused before they are sent:", () => {
  // Untyped, as in a JavaScript program.
  const call = (method: (...args: never[]) => unknown, ...args: unknown[]) => Reflect.apply(method, undefined, args);

  it.each(["demo", 7, null])("a request that is not an object (%j)", async (request) => {
    const { service, client } = await setUp();
    const { live, logs, tokens, deliveries, endpoints, audit } = client;
    const ofTokens = [tokens.create, tokens.list, tokens.revoke, tokens.check];
    const others = [live, logs.webhooks, deliveries.list, deliveries.resend, endpoints.list, audit.list];
    for (const method of [...ofTokens, ...others]) {
      const refused = call(method, request);
      await expect(refused).rejects.toBeInstanceOf(MediaUsageError);
      await expect(refused).rejects.toThrow("The request must be an object");
    }
    await expect(audit.list.all(request as never).next()).rejects.toBeInstanceOf(MediaUsageError);
    expect(service.calls).toHaveLength(0);
  });

  it.each(["yesterday", 7, new Date(Number.NaN), null])("a time such as %j", async (time) => {
    const { service, client } = await setUp();
    const refusal = (name: string) => new MediaUsageError(`${name} must be an RFC 3339 time or a Date, not "${time}".`);
    await expect(call(client.deliveries.list, { since: time })).rejects.toThrow(refusal("since"));
    await expect(call(client.audit.list, { until: time })).rejects.toThrow(refusal("until"));
    await expect(call(client.tokens.revoke, { issued_before: time })).rejects.toThrow(refusal("issued_before"));
    expect(service.calls).toHaveLength(0);
  });

  it.each([0, 1001, 1.5, "5"])("a limit of %j", async (limit) => {
    const { service, client } = await setUp();
    const message = `limit must be a count from 1 to 1000, not ${limit}.`;
    for (const method of [client.tokens.list, client.live]) {
      await expect(call(method, { limit })).rejects.toThrow(new MediaUsageError(message));
    }
    expect(service.calls).toHaveLength(0);
  });
});

describe("requestedBy", () => {
  it("is sent with each call, and a call's own takes precedence", async () => {
    const service = createFakeMediaService();
    const client = createMediaClient({ ...service.clientOptions, requestedBy: "bot" });
    await client.tokens.list();
    await client.tokens.create({}, { requestedBy: "slack:T0PLAY/U0ANN" });
    await client.logs.api({}, { headers: { "X-Requested-By": "somebody else" } });
    await createMediaClient(service.clientOptions).audit.list();
    const names = service.calls.map(({ headers }) => headers.get("x-requested-by"));
    expect(names).toEqual(["bot", "slack:T0PLAY/U0ANN", "bot", null]);
  });

  it.each(["", " ", "ann ", "Анна", "a\nb", "a\u007f", "x".repeat(256), 7])("is refused if it is %j", async (name) => {
    const service = createFakeMediaService();
    const requestedBy = name as string;
    const message = `requestedBy must have 1 to 255 visible ASCII characters, and no space at its ends, not "${name}".`;
    const make = () => createMediaClient({ ...service.clientOptions, requestedBy });
    expect(make).toThrow(new MediaUsageError(message));
    const client = createMediaClient(service.clientOptions);
    await expect(client.tokens.list({}, { requestedBy })).rejects.toThrow(new MediaUsageError(message));
    expect(service.calls).toHaveLength(0);
  });

  it.each(["x", "Ann Example <ann@example.test>", "x".repeat(255)])("may be %j", async (requestedBy) => {
    const { service, client } = await setUp();
    await client.tokens.create({}, { requestedBy });
    expect((await client.tokens.list()).tokens).toMatchObject([{ requested_by: requestedBy }]);
    expect(service.calls).toHaveLength(2);
  });
});

describe("disconnect", () => {
  async function connectTo(...answers: Parameters<typeof startServer>) {
    const server = await startServer(...answers);
    return { server, client: createMediaClient({ baseUrl: server.baseUrl, apiKey: "key" }) };
  }

  it.each([
    ["all connections of a channel", { channel_id: "lobby@demo" }, "Media_20151104.DisconnectChannel"],
    ["one connection", { channel_id: "lobby@demo", connection_id: "c1" }, "Media_20151104.DisconnectConnection"],
  ])("ends %s, on behalf of a person", async (_, request, target) => {
    const { client, server } = await connectTo(json({}));
    await expect(client.disconnect(request, { requestedBy: "ann", headers: { "x-more": "1" } })).resolves.toEqual({});
    expect(server.requests).toMatchObject([
      {
        body: JSON.stringify(request),
        headers: { "x-media-target": target, "x-requested-by": "ann", "x-more": "1", authorization: "Bearer key" },
      },
    ]);
  });

  it("is not retried, unless that is requested", async () => {
    const { client, server } = await connectTo(json({ status: 503 }, 503, { "retry-after": "0" }));
    await expect(client.disconnect({ channel_id: "a@demo" })).rejects.toBeInstanceOf(MediaServiceUnavailableError);
    expect(server.requests).toHaveLength(1);
    await expect(client.disconnect({ channel_id: "a@demo" }, { maxRetries: 1 })).rejects.toThrow();
    expect(server.requests).toHaveLength(3);
  });

  it("reports what the media server refuses, and may find it the next time", async () => {
    const { client } = await connectTo(json({ error_type: "CONNECTION-NOT-FOUND" }, 404), json({}));
    const request = { channel_id: "a@demo", connection_id: "c1" };
    await expect(client.disconnect(request)).rejects.toBeInstanceOf(MediaNotFoundError);
    await expect(client.disconnect(request)).resolves.toEqual({});
  });

  it("sends nothing for a request that is none", async () => {
    const client = createMediaClient({ baseUrl: "http://127.0.0.1:9", apiKey: "key" });
    await expect(client.disconnect(JSON.parse('"lobby@demo"'))).rejects.toBeInstanceOf(MediaUsageError);
  });
});
