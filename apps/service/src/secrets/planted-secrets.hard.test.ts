import { extensionOperations, type Node, operations, resolve } from "@media-ops/openapi/contract";
import { serveHttp } from "@media-ops/testing/servers";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { SignJWT } from "jose";
import { sql } from "kysely";
import { expect, it, onTestFinished, vi } from "vitest";
import { newCredential } from "../keys/credential.js";
import { mediaApiPath } from "../media-api/routes.js";
import { leastBody, listings, pathOf } from "../test/harness.js";
import { startTestIntake, type TestIntake } from "../test/intake-harness.js";
import { atNight } from "../test/level.js";
import {
  authRequest,
  connectionCreated,
  connectionDestroyed,
  connectionFailed,
  connectionOf,
  mediaEvent,
  sessionDestroyed,
} from "../test/media-events.js";

// Some twenty thousand calls.
vi.setConfig({ testTimeout: 300_000 });

/** A text with a secret, and the end of the secret, which must be found nowhere. */
interface Planted {
  readonly name: string;
  readonly text: string;
  readonly end: string;
}

// Letters and digits, so that no notation changes it but that which encodes each letter.
const newEnd = (): string => `Az9${newCredential("mo").text.replaceAll(/[-_]/g, "").slice(-21)}`;

const kinds: Readonly<Record<string, (end: string) => string>> = {
  "an API key": (end) => `mo_0123456789abcdef_AbCdEfGhIjKlMnOpQrS${end}`,
  "an intake key": (end) => `mi_0123456789abcdef_AbCdEfGhIjKlMnOpQrS${end}`,
  "an access token": (end) => `eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiJ4In0.${end}`,
  "a webhook secret": (end) => `whsec_C2FVsBQIhr/scChlQIMV+b5sSY${end}=`,
  "a bot's token": (end) => `xoxb-123-456-${end}`,
  "a user's token": (end) => `xoxp-123-456-789-${end}`,
  "an app's token": (end) => `xapp-1-A012-345-${end}`,
  "a hook": (end) => `https://hooks.slack.com/services/T0123/B456/${end}`,
  "a header": (end) => `Authorization: Bearer ${end}`,
  "a password": (end) => `postgres://bot:${end}@db.example/media`,
};

const encodeLetter = (letter: string): string => `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`;
const notations: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "in a sentence": (secret) => `It is ${secret}, I think.`,
  "after a letter": (secret) => `x${secret}`,
  "in quotes": (secret) => `"${secret}"`,
  "in JSON": (secret) => JSON.stringify({ a: [secret] }),
  "in JSON, escaped": (secret) => secret.replace(/[^a-z]/gi, (letter) => `\\u00${encodeLetter(letter).slice(1)}`),
  "in a query": (secret) => `https://x.example/?a=${secret}`,
  "percent-encoded": (secret) => encodeURIComponent(secret),
  "percent-encoded in a sentence": (secret) => `see ${encodeURIComponent(secret)} there`,
  "percent-encoded letter by letter": (secret) => secret.replaceAll(/./g, encodeLetter),
  "percent-encoded twice": (secret) => encodeURIComponent(encodeURIComponent(secret)),
  "in a form": (secret) => String(new URLSearchParams({ a: secret, b: "1" })),
};

const chosen = Object.entries(kinds).filter(([kind]) =>
  atNight(true, ["an API key", "an access token", "a webhook secret", "a password"].includes(kind)),
);

const planted: Planted[] = chosen.flatMap(([kind, secretOf]) =>
  Object.entries(notations).map(([notation, noted]) => {
    const end = newEnd();
    return { name: `${kind}, ${notation}`, text: noted(secretOf(end)), end };
  }),
);

/** The members of a body by a schema, each as its path; those of objects in it, too. */
function membersOf(schema: Node, at: readonly string[] = []): string[][] {
  const { properties = {} } = resolve(schema);
  return Object.entries(properties).flatMap(([name, member]) => [
    [...at, name],
    ...(at.length < 2 ? membersOf(member, [...at, name]) : []),
  ]);
}

/** A copy of a body in which a member is replaced. */
function withMember(body: object | undefined, [name = "", ...rest]: readonly string[], value: unknown): object {
  const known: unknown = body && Reflect.get(body, name);
  const inner = typeof known === "object" && known !== null ? known : undefined;
  return { ...body, [name]: rest.length === 0 ? value : withMember(inner, rest, value) };
}

const inUrl = (text: string): string => text.replaceAll(/[\s"\\#]/g, encodeURIComponent);

const withEach = (secrets: readonly Planted[], call: (text: string) => Promise<void>) =>
  secrets.map(
    ({ text }) =>
      () =>
        call(text),
  );

/** Takes the secrets in turn, so that each member receives one of each kind and of each notation. */
function* rounds(): Generator<Planted[]> {
  for (let from = 0; ; from += 7) {
    yield Array.from({ length: atNight(12, 4) }, (_, at) => planted[(from + at * 13) % planted.length] as Planted);
  }
}
const next = rounds();
const some = (): Planted[] => next.next().value ?? [];

const AT_ONCE = 20;
async function all(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  const waiting = [...calls];
  const work = async (): Promise<void> => {
    for (let call = waiting.pop(); call; call = waiting.pop()) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function startPlanting(): Promise<TestIntake> {
  const { url, close } = await serveHttp((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  onTestFinished(close);
  const unlimited = ["LISTINGS", "SEARCHES", "TOKENS", "MEDIA_API"].map((what) => [`MEDIA_${what}_PER_MINUTE`, "0"]);
  return startTestIntake({
    now: Date.now,
    env: { ...Object.fromEntries(unlimited), MEDIA_UPSTREAM_URL: url },
  });
}

/** Everything that the service keeps, lists, logs and counts, as sent and decoded. */
async function shownBy({ service, call, logged }: TestIntake): Promise<Map<string, string>> {
  const { query } = service.storage;
  const shown = new Map<string, string>();
  await expect.poll(async () => (await call(pathOf.listApiLogs)).text.length).toBeGreaterThan(1000);
  for (const { name } of await query.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(query);
    shown.set(
      `the table ${name}`,
      JSON.stringify(rows, (_, value) => (value?.type === "Buffer" ? "" : value)),
    );
  }
  const lists = [
    ...listings,
    ...Object.entries(pathOf).filter(([id]) => id.startsWith("list") && !id.endsWith("Logs")),
  ];
  for (const [id, path] of lists) shown.set(id, (await call(path)).text);
  const counted = ["sessions", "connections", "api", "media-api", "webhooks", "events"];
  for (const kind of counted) shown.set(`count of ${kind}`, (await call(pathOf.countLogs, { body: { kind } })).text);
  shown.set("the log", logged());
  shown.set("the metrics", await (await fetch(`${service.internalUrl}/metrics`)).text());
  return shown;
}

const decoded = (text: string): string =>
  text.replace(/(?:%|\\+u00)([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

async function expectNoneShown(test: TestIntake, answers: readonly string[]): Promise<void> {
  const shown = await shownBy(test);
  shown.set("the answers", answers.join("\n"));
  const places = [...shown].flatMap(([place, text]) => {
    const forms = [text, decoded(text), decoded(decoded(text))].join("\n").toLowerCase();
    return planted
      .filter(({ end }) => forms.includes(end.toLowerCase().slice(0, 14)))
      .map(({ name }) => `${place}: ${name}`);
  });
  expect(places).toEqual([]);
}

it("a secret that a caller sends in any member, header or URL is kept and shown nowhere", async () => {
  const test = await startPlanting();
  const answers: string[] = [];
  const call = async (path: string, options: Parameters<typeof test.call>[1]): Promise<void> => {
    answers.push((await test.call(path, options)).text);
  };
  const calls = [...operations, ...extensionOperations]
    .filter(({ method }) => method === "post")
    .flatMap(({ path, operation }) => {
      const schema = resolve(operation.requestBody ?? {}).content?.["application/json"]?.schema ?? {};
      const least = leastBody(path);
      const members = [["unknown"], ...membersOf(schema)].flatMap((at) =>
        some().flatMap(({ text }, nth) => {
          const value = [text, `${text}@demo`, [text], { eq: text }][nth % 4];
          return [withMember(least, at, value), withMember(least, [...at.slice(0, -1), text], 1)];
        }),
      );
      return [
        ...members.map((body) => () => call(path, { body })),
        ...withEach(planted, (text) =>
          call(path, { body: least, headers: { "x-requested-by": text, "user-agent": text } }),
        ),
        ...withEach(some(), (text) => call(`${path}?q=${inUrl(text)}`, { body: least })),
      ];
    });
  const target = { "x-media-target": "Media_20151104.DisconnectConnection" };
  const mediaCalls = planted.flatMap(({ text }, nth) =>
    [
      { channel_id: `${text}@demo`, connection_id: "c" },
      { channel_id: "lobby@demo", connection_id: text },
      { channel_id: "lobby@demo", connection_id: "c", [text]: [text] },
    ].map((body) => () => {
      // The media server's own answer is not in the contract.
      const headers = { ...target, ...(nth % 5 === 0 && { "x-requested-by": text }) };
      return test.call(mediaApiPath, { body, headers }).then((answer) => void answers.push(answer.text));
    }),
  );
  const paths = withEach(planted, (text) => call(`/${inUrl(text).replaceAll("?", "%3F")}`, {}));
  await all([...calls, ...mediaCalls, ...paths]);
  expect(calls.length).toBeGreaterThan(atNight(5000, 1000));
  await expectNoneShown(test, answers);
});

it("a secret in what the media server sends is kept and shown nowhere", async () => {
  const test = await startPlanting();
  const answers: string[] = [];
  const post = async (kind: "auth" | "session" | "event", body: unknown): Promise<void> => {
    answers.push((await test.post(kind, body)).text);
  };
  const connection = connectionOf();
  const bodies: ["auth" | "session" | "event", object][] = [
    ["auth", authRequest({ clientId: "c1" })],
    ["event", { ...connectionCreated(connection), client_id: "c1", bundle_id: "b1" }],
    ["event", { ...connectionDestroyed(connection), client_id: "c1", bundle_id: "b1" }],
    ["event", { ...connectionFailed(connection), channel_id: "lobby@demo", data: { reason: "x" } }],
    ["event", mediaEvent("other.happened", { channel_id: "lobby@demo", client_id: "c1" })],
    ["session", sessionDestroyed(connection)],
  ];
  const ends: Record<string, string> = { channel_id: "@demo" };
  const calls = bodies.flatMap(([kind, body]) =>
    [...Object.keys(body).map((name) => [name]), ["data", "reason"], ["data", "x"], ["unknown"]].flatMap((at) =>
      planted.flatMap(({ text }) => {
        const value = `${text}${ends[at.join()] ?? ""}`;
        const { id: _, ...first } = body as Record<string, unknown>;
        const fresh = "id" in body && at[0] !== "id" ? { ...first, id: `${Math.random()}` } : first;
        return [() => post(kind, withMember(fresh, at, value))];
      }),
    ),
  );
  const key = apiKeyToTokenKey(test.apiKey);
  const tokens = planted.flatMap(({ text }) =>
    [
      () => signToken({ jti: text }, key),
      () => signToken({ channel_id: `${text}@demo` }, key),
      () => new SignJWT({ jti: text }).setProtectedHeader({ alg: "HS256", kid: text }).sign(new Uint8Array(32)),
    ].map((sign) => async () => {
      answers.push(JSON.stringify(await test.ask({ token: await sign(), clientId: text })));
    }),
  );
  const malformed = withEach(planted, (text) => post("event", `{"channel_id": ${JSON.stringify(text)},, `));
  await all([...calls, ...tokens, ...malformed]);
  await expectNoneShown(test, answers);
});
