import { afterAll, describe, expect, it } from "vitest";
import { hashOf, newCredential } from "../keys/credential.js";
import { createIntakeKey, revokeIntakeKey } from "../keys/intake-keys.js";
import { startTestIntake, type TestIntake } from "../test/intake-harness.js";
import { authRequest, mediaEvent, present } from "../test/media-events.js";
import { expectAnswer, oddClient, RawConnection, requestText } from "../test/raw-http.js";

const event = mediaEvent("recording.started", { channel_id: "lobby@demo" });
const keyIdOf = (key: string): string => key.split("_")[1] ?? "";
const secretOf = (key: string): string => key.split("_").slice(2).join("_");
const wrongIn = (key: string): string => `${key.slice(0, -2)}${key.endsWith("AA") ? "BB" : "AA"}`;

const test = await startTestIntake({ atEnd: afterAll });

/** The answer to a call that is not admitted, whatever is wrong with its key. */
const unauthorized = { status: 401, body: { title: "Not authorized" } };

describe("an intake key", () => {
  it.each(["auth", "session", "event"] as const)("gives access to %s as bearer and in the path", async (kind) => {
    const { post, intakeKey } = test;
    const body = kind === "auth" ? authRequest() : event;
    expect((await post(kind, body)).status).toBe(200);
    const inPath = await post(kind, body, { key: undefined, path: `/intake/${intakeKey}/${kind}` });
    expect(inPath.status).toBe(200);
  });

  it("may be percent-encoded in the path", async () => {
    const { post, intakeKey } = test;
    const path = `/intake/${intakeKey.replaceAll("_", "%5F").replaceAll("-", "%2D")}/event`;
    expect((await post("event", event, { key: undefined, path })).status).toBe(200);
  });

  it("is refused with the same answer whether it is missing, malformed, unknown, wrong, revoked or an API key", async () => {
    const { post, intakeKey, apiKey, service } = test;
    const { query } = service.storage;
    const { text: revoked, keyId } = await createIntakeKey(query, "old", present);
    await revokeIntakeKey(query, keyId, present);
    const keys = [undefined, "", "demo", newCredential("mi").text, wrongIn(intakeKey), revoked, apiKey];
    const answers = [];
    for (const key of keys) {
      const paths = [undefined, ...(key ? [`/intake/${key}/event`] : [])];
      for (const path of paths) {
        const { status, headers, body } = await post("event", event, path ? { key: undefined, path } : { key });
        answers.push({
          status,
          scheme: headers.get("www-authenticate"),
          body: { ...(body as object), request_id: "" },
        });
      }
    }
    expect(answers[0]).toMatchObject({ ...unauthorized, scheme: "Bearer" });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  it("is refused like any wrong key in the path, up to the contract's maximum length", async () => {
    const { post, intakeKey } = test;
    for (const length of [100, 101, 255]) {
      const path = `/intake/${intakeKey.padEnd(length, "x")}/event`;
      expect(await post("event", event, { key: undefined, path }), `${length} characters`).toMatchObject(unauthorized);
    }
  });

  it("in the path takes precedence over a good one sent as bearer", async () => {
    const { post, intakeKey } = test;
    const path = `/intake/${wrongIn(intakeKey)}/event`;
    expect((await post("event", event, { path })).status).toBe(401);
  });

  it("is checked before the body is read", async () => {
    const { service, intakeKey } = test;
    const head = (key: string) =>
      requestText([
        "POST /intake/event HTTP/1.1",
        "host: intake.test",
        "content-type: application/json",
        // The body is never sent.
        "content-length: 1000000",
        `authorization: Bearer ${key}`,
      ]);
    const connection = await RawConnection.open(service.internalUrl);
    connection.write(head(wrongIn(intakeKey)));
    const [answer] = await connection.answers(1);
    await connection.reset();
    expect(answer && expectAnswer("/intake/event", answer)).toMatchObject(unauthorized);
  });

  it("that is wrong leaves no trace of the body sent with it", async () => {
    const { post, service, metric } = await startTestIntake();
    expect((await post("event", "no JSON", { key: newCredential("mi").text })).status).toBe(401);
    expect(await service.storage.query.selectFrom("quarantine").selectAll().execute()).toEqual([]);
    expect(await metric('media_intake_total{kind="event",outcome="quarantined"}')).toBe(0);
  });

  it("works as soon as it is created, even if it was tried before", async () => {
    const { post, service } = await startTestIntake();
    const credential = newCredential("mi");
    expect((await post("event", event, { key: credential.text })).status).toBe(401);
    await service.storage.query
      .insertInto("intake_key")
      .values({ key_id: credential.keyId, label: "", hash: hashOf(credential), created_at: "", revoked_at: null })
      .execute();
    expect((await post("event", event, { key: credential.text })).status).toBe(200);
  });

  it("is refused within seconds after it is revoked, while others stay valid", async () => {
    let passed = 1;
    const { post, intakeKey, service } = await startTestIntake({ elapsed: () => passed });
    const { query } = service.storage;
    const { text: other } = await createIntakeKey(query, "other", present);
    expect((await post("event", event)).status).toBe(200);
    await revokeIntakeKey(query, keyIdOf(intakeKey), present);
    passed += 5001;
    await expect.poll(async () => (await post("event", event)).status).toBe(401);
    expect((await post("event", event, { key: other })).status).toBe(200);
  });
});

describe("an intake key in the path", () => {
  /** The log, followed by a copy with all percent-encoding decoded. */
  const readable = (log: string): string =>
    log + log.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const fullyEncoded = (text: string): string =>
    [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");

  const addresses: ((key: string) => string)[] = [
    (key) => `/intake/${key}/event`,
    (key) => `/intake/${key}/session?x=1`,
    (key) => `/intake/${key}/evnt`,
    (key) => `/intake/${key}/event/`,
    (key) => `/intake/${key}/session/more`,
    (key) => `/intake/${key}`,
    (key) => `/intake/${key}/`,
    (key) => `/INTAKE/${key}/event`,
  ];
  // Paths where a key is not expected, so that the service can recognize one only by its shape.
  const oddAddresses: ((key: string) => string)[] = [
    (key) => `//intake/${key}/event`,
    (key) => `/intake//${key}/event`,
    (key) => `/intake/event/${key}`,
    (key) => `/intake/event?key=${key}`,
    (key) => `/media/intake/${key}/event`,
    (key) => `/${key}/event`,
  ];

  async function sendAll({ service }: TestIntake, paths: readonly string[]): Promise<Set<number>> {
    const send = oddClient(service.internalUrl);
    const statuses = new Set<number>();
    for (const path of paths) {
      for (const method of ["POST", "GET", "PUT"]) {
        const headers = { "content-type": "application/json" };
        const body = method === "GET" ? Buffer.alloc(0) : Buffer.from(JSON.stringify(event));
        const answer = expectAnswer("/intake/event", await send({ method, path, headers, body }));
        statuses.add(answer.status);
      }
    }
    return statuses;
  }

  it("never reaches the log, whether it is good, wrong, too long or encoded, in any path", async () => {
    const wrong = wrongIn(test.intakeKey);
    const written = [test.intakeKey, wrong].flatMap((key) => [
      key,
      key.replaceAll("_", "%5F"),
      `${key}${"x".repeat(3000)}`,
    ]);
    const paths = [
      ...[...written, fullyEncoded(test.intakeKey)].flatMap((key) => addresses.map((address) => address(key))),
      ...written.flatMap((key) => oddAddresses.map((address) => address(key))),
    ];
    const statuses = await sendAll(test, paths);
    expect([...statuses].sort()).toEqual([200, 401, 404, 405]);
    const log = readable(test.logged());
    expect(log).toContain('"status":404');
    // Slightly shortened, because the wrong key differs only at its end.
    expect(log).not.toContain(secretOf(test.intakeKey).slice(0, 16));
    expect(log).not.toContain(secretOf(test.intakeKey).slice(-16));
  });

  it("never reaches the log, even if it is not a key of ours", async () => {
    const key = "correct-horse-battery-staple";
    const statuses = await sendAll(
      test,
      addresses.map((address) => address(key)),
    );
    expect([...statuses].sort()).toEqual([401, 404, 405]);
    expect(test.logged()).not.toContain(key);
  });

  it("is not repeated in a 404", async () => {
    const { post, intakeKey } = test;
    const { status, text } = await post("event", event, { key: undefined, path: `/intake/${intakeKey}/evnt` });
    expect(status).toBe(404);
    expect(text).not.toContain(secretOf(intakeKey));
  });

  it("is logged as its id, so that an operator can identify the media server", async () => {
    const { post, intakeKey, logged } = test;
    await post("event", event, { key: undefined, path: `/intake/${intakeKey}/event` });
    expect(logged()).toContain(keyIdOf(intakeKey));
  });
});
