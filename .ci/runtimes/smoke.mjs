// The checks that run inside each runtime. They may use only APIs that all runtimes have, and none of Node's.
import { formatLogs as formatCsv } from "@media-ops/formatters/csv";
import { formatLogs as formatJsonLines } from "@media-ops/formatters/jsonl";
import { formatLogs as formatMarkdown } from "@media-ops/formatters/markdown";
import { formatLogs as formatForSlack } from "@media-ops/formatters/slack";
import { formatLogs as formatForTerminal, textWidth } from "@media-ops/formatters/terminal";
import {
  createMediaClient,
  expiresIn,
  MediaBadRequestError,
  MediaConnectionError,
  MediaResponseError,
  MediaTimeoutError,
  MediaUnauthorizedError,
  MediaUsageError,
  parseTimestamp,
} from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { verifyWebhook, WebhookVerificationError } from "@media-ops/sdk/webhooks";
import { apiKeyToTokenKey, signToken, toClaims, verifyToken } from "@media-ops/tokens";

/** The fixed clock. The entries are shortly before it. */
export const now = Date.parse("2026-04-01T10:00:00Z");

/** The entries in the server's logs. Converting a timestamp to a Date would lose its last three digits. */
export const entries = {
  sessions: { timestamp: "2026-04-01T09:30:15.000001Z", duration_min: 1 },
  connections: { timestamp: "2026-04-01T09:30:15.100000Z", total_sent_bytes: 9_007_199_254_740_991 },
  api: { timestamp: "2026-04-01T09:30:15.482913Z", elapsed_time_ms: 4 },
  "media-api": { timestamp: "2026-04-01T09:30:15.999999Z", status: 404 },
  webhooks: { timestamp: "2026-04-01T09:30:15.000010Z", url: "https://hooks.example/ünï" },
};

// Long enough for a loaded machine, and limited so that one hanging check does not block the others.
const CHECK_MS = 15_000;
const TIMEOUT_MS = 300;

const checks = {
  "lists sessions": ({ client }) => lists("sessions", client.logs.sessions()),
  "lists connections": ({ client }) => lists("connections", client.logs.connections()),
  "lists API calls": ({ client }) => lists("api", client.logs.api()),
  "lists media API calls": ({ client }) => lists("media-api", client.logs.mediaApi()),
  "lists webhooks": ({ client }) => lists("webhooks", client.logs.webhooks()),
  "lists by name": ({ client }) => lists("media-api", client.logs.list("media-api")),

  async "creates a token"({ client }) {
    const { access_token } = await client.tokens.create({
      channel_id: "lobby@demo",
      expiration_time: expiresIn("10m"),
    });
    equal(access_token.split(".").length, 3);
  },

  async "gives status, headers and request id with the data"({ client }) {
    const { data, status, headers, requestId } = await client.logs.api().withResponse();
    equal(status, 200);
    equal(data.length, 1);
    equal(headers.get("content-type"), "application/json; charset=UTF-8");
    truthy(/^[\da-f-]{36}$/.test(requestId), `the request id is ${requestId}`);
  },

  // The response repeats the key, as a careless service might. The server counts requests, as a retry would be
  // pointless.
  async "401 is MediaUnauthorizedError"({ clientAt, errorOf }) {
    const call = clientAt("/refuse-401", { maxRetries: 2 }).logs.api().withResponse();
    const error = await errorOf(call, MediaUnauthorizedError);
    equal(error.code, "Unauthorized");
    equal(error.name, "MediaUnauthorizedError");
    equal(error.status, 401);
    truthy(String(error).startsWith("MediaUnauthorizedError: "), `it reads ${error}`);
    truthy(error.problem.detail.includes("[redacted]"), `the detail is ${error.problem.detail}`);
  },

  async "400 is MediaBadRequestError with a pointer"({ client, errorOf }) {
    const error = await errorOf(client.tokens.create({ role: "boss" }), MediaBadRequestError);
    equal(error.name, "MediaBadRequestError");
    equal(error.problem.errors[0].pointer, "/role");
  },

  async "500 is tried again"({ clientAt }) {
    const attempts = [];
    const onRequest = (_, { attempt }) => void attempts.push(attempt);
    await lists("webhooks", clientAt("/flaky", { maxRetries: 2, onRequest }).logs.webhooks());
    equal(attempts.join(), "1,2");
  },

  "silence before the headers is MediaTimeoutError": ({ clientAt, errorOf }) => timesOut(clientAt("/mute"), errorOf),
  "silence after the headers is MediaTimeoutError": ({ clientAt, errorOf }) => timesOut(clientAt("/silent"), errorOf),

  async "an abort is thrown as it is"({ clientAt, errorOf }) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const error = await errorOf(clientAt("/silent").logs.api({}, { signal: controller.signal }));
    equal(error.name, "AbortError");
    equal(error, controller.signal.reason);
  },

  async "a refused connection is MediaConnectionError"({ deadUrl, options, errorOf }) {
    const client = createMediaClient({ ...options, baseUrl: deadUrl });
    const error = await errorOf(client.logs.api(), MediaConnectionError);
    equal(error.name, "MediaConnectionError");
    truthy(error.cause instanceof Error && error.cause.message, "there is no cause");
  },

  async "an answer cut off is MediaConnectionError"({ clientAt, errorOf }) {
    await errorOf(clientAt("/cut-off").logs.api(), MediaConnectionError);
  },

  async "follows a log until it is aborted"({ options }) {
    const service = createFakeMediaService();
    const controller = new AbortController();
    const client = createMediaClient({ ...options, ...service.clientOptions });
    service.add("webhooks", { status: 500 });
    const statuses = [];
    const following = client.logs.follow("webhooks", { backlog: 1, intervalMs: 10, signal: controller.signal });
    for await (const { entry } of following) {
      statuses.push(entry.status);
      if (statuses.length === 1) service.add("webhooks", { status: 404 });
      else controller.abort();
    }
    equal(statuses.join(), "500,404");
  },

  "parseTimestamp keeps microseconds"() {
    equal(parseTimestamp("2026-04-01T18:30:15.482913+09:00").epochMicroseconds, 1_775_035_815_482_913n);
    equal(parseTimestamp("2026-02-30T00:00:00Z"), undefined);
  },

  "expiresIn adds to the present"() {
    equal(expiresIn("1h30m", now), "2026-04-01T11:30:00.000Z");
  },

  async "the fake service works here"({ options, errorOf }) {
    const service = createFakeMediaService({ now: () => now });
    service.add("api", entries.api);
    const client = createMediaClient({ ...options, ...service.clientOptions, fetch: service.fetch });
    await lists("api", client.logs.api());
    const { access_token } = await client.tokens.create();
    equal(access_token.split(".").length, 3);
    service.fail("connection");
    await errorOf(client.logs.api(), MediaConnectionError);
    service.fail("silence");
    await errorOf(client.logs.api({}, { timeoutMs: TIMEOUT_MS }), MediaTimeoutError);
    equal(service.calls.length, 4);
  },

  async "refuses an API key in a browser, and only there"({ baseUrl, apiKey, browser, errorOf }) {
    const create = async () => createMediaClient({ baseUrl, apiKey });
    if (browser) await errorOf(create(), MediaUsageError);
    else await create();
  },

  // Covers time zones, wide characters and emoji sequences, which runtimes support differently or not at all.
  "formats a log for people and programs"() {
    const listed = [entries.webhooks];
    const terminal = formatForTerminal("webhooks", listed, { now, timeZone: "Asia/Tokyo", width: 100 });
    truthy(terminal.includes("18:30:15 · 29 min ago"), terminal);
    equal(textWidth("日本 👩‍👩‍👧 é"), 9);
    equal(formatForSlack("webhooks", listed, { now }).shown, 1);
    truthy(formatMarkdown("webhooks", listed, { now }).includes("| 2026-04-01 09:30:15 |"), "no row of Markdown");
    truthy(formatCsv("webhooks", listed).endsWith("https://hooks.example/ünï\r\n"), "no row of CSV");
    equal(formatJsonLines("webhooks", listed), `${JSON.stringify(entries.webhooks)}\n`);
  },

  async "signs and checks a token"() {
    const key = apiKeyToTokenKey(`mo_0123456789abcdef_${"k".repeat(43)}`);
    const token = await signToken(toClaims({ channel_id: "lobby@demo" }, { now }), key);
    const { claims } = await verifyToken(token, key, { now });
    equal(claims.channel_id, "lobby@demo");
  },

  // The example that the Standard Webhooks libraries use in their tests.
  async "checks a webhook"({ errorOf }) {
    const webhook = {
      body: '{"test": 2432232314}',
      headers: new Headers({
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      }),
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      now: 1_614_265_330_000,
    };
    equal((await verifyWebhook(webhook)).test, 2432232314);
    const error = await errorOf(verifyWebhook({ ...webhook, body: "{}" }), WebhookVerificationError);
    equal(error.code, "NoMatchingSignature");
  },

  async "reads no more of an answer than is allowed"({ client, errorOf }) {
    const error = await errorOf(client.logs.webhooks({}, { maxResponseBytes: 50 }), MediaResponseError);
    truthy(error.message.includes("larger than 50 bytes"), `it reads ${error.message}`);
  },

  // Runs last, after every other check has collected its errors.
  "no error shows the API key"({ apiKey, errors }) {
    truthy(errors.length >= 9, `only ${errors.length} errors were seen`);
    for (const error of errors.flatMap((error) => (error.cause ? [error, error.cause] : [error]))) {
      const shown = [String(error), error.stack, JSON.stringify(error)].join("\n");
      truthy(!shown.includes(apiKey), `${error.name} shows it`);
    }
  },
};

export const checkNames = Object.keys(checks);

/** Runs all checks, even if some fail. `deadUrl` is an address without a listener. */
export async function smoke({ baseUrl, deadUrl, apiKey, browser }) {
  const errors = [];
  const options = { apiKey, maxRetries: 0, dangerouslyAllowBrowser: browser };
  const clientAt = (fault, more) => createMediaClient({ ...options, baseUrl: baseUrl + fault, ...more });
  const client = clientAt("");
  const errorOf = async (call, type = Error) => {
    const error = await call.then(
      () => undefined,
      (thrown) => thrown,
    );
    truthy(error instanceof type, `it was to fail with ${type.name}, but ended with ${error}`);
    errors.push(error);
    return error;
  };
  const context = { baseUrl, deadUrl, apiKey, browser, options, client, clientAt, errors, errorOf };

  const results = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      await Promise.race([check(context), tooLate()]);
      results.push({ name, ok: true, detail: "" });
    } catch (error) {
      results.push({ name, ok: false, detail: String(error) });
    }
  }
  return results;
}

async function lists(kind, listing) {
  const list = await listing;
  truthy(Array.isArray(list), "it is no array");
  equal(list.length, 1);
  for (const [field, value] of Object.entries(entries[kind])) equal(list[0][field], value);
}

async function timesOut(client, errorOf) {
  const started = Date.now();
  const error = await errorOf(client.logs.api({}, { timeoutMs: TIMEOUT_MS }), MediaTimeoutError);
  const took = Date.now() - started;
  equal(error.code, "Timeout");
  // Some clocks and timers differ by a few milliseconds.
  truthy(took > TIMEOUT_MS - 20 && took < TIMEOUT_MS + 2_000, `it took ${took} ms`);
}

function equal(actual, expected) {
  truthy(Object.is(actual, expected), `it is ${actual}, not ${expected}`);
}

function truthy(holds, message) {
  if (!holds) throw new Error(message);
}

async function tooLate() {
  await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  throw new Error(`not done after ${CHECK_MS} ms`);
}
