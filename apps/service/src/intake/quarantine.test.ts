import { randomBytes } from "node:crypto";
import type { Problem } from "@media-ops/contract";
import { SignJWT } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { newCredential } from "../keys/credential.js";
import { startTestIntake, type TestIntake } from "../test/intake-harness.js";
import {
  authRequest,
  connectionDestroyed,
  connectionOf,
  mediaEvent,
  present,
  sessionDestroyed,
} from "../test/media-events.js";
import { listQuarantine, Quarantine } from "./quarantine.js";

const test = await startTestIntake({ atEnd: afterAll });

const listedIn = ({ service }: TestIntake, limit = 1) => listQuarantine(service.storage.query, limit);
const keyIdOf = (key: string): string => key.split("_")[1] ?? "";

const ended = connectionDestroyed(connectionOf());
const over = sessionDestroyed(connectionOf());
const withData = (members: object) => ({ ...ended, data: { ...(ended.data as object), ...members } });
const without = (event: object, name: string) => ({ ...event, [name]: undefined });
/** JSON with a number that `JSON.stringify` would not write. */
const withNumber = (name: string, digits: string): string =>
  JSON.stringify(withData({ [name]: "#" })).replace('"#"', digits);
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describe("an invalid body", () => {
  it.each([
    ["another type", "event", { ...ended, channel_id: 5 }, ["/channel_id"]],
    ["data of the wrong type", "event", withData({ total_sent_bytes: "5" }), ["/data/total_sent_bytes"]],
    ["a text as data", "event", { ...ended, data: "x" }, ["/data"]],
    ["a time that is a number", "event", withData({ created_timestamp: 1775035815 }), ["/data/created_timestamp"]],
    ["an invalid time", "event", { ...ended, timestamp: "2026-13-01T00:00:00Z" }, ["/timestamp"]],
    ["a time that is not UTC", "event", { ...ended, timestamp: "2026-04-01T09:30:15+09:00" }, ["/timestamp"]],
    ["a negative number", "event", withData({ total_received_bytes: -1 }), ["/data/total_received_bytes"]],
    ["a fraction of a byte", "event", withData({ total_received_bytes: 1.5 }), ["/data/total_received_bytes"]],
    ["an infinite number", "event", withNumber("total_received_bytes", "1e400"), ["/data/total_received_bytes"]],
    ["a huge number", "event", withNumber("total_received_bytes", "9".repeat(400)), ["/data/total_received_bytes"]],
    [
      "a number that cannot be kept",
      "event",
      withNumber("total_sent_bytes", "9007199254740993"),
      ["/data/total_sent_bytes"],
    ],
    ["too large a count", "session", { ...over, max_connections: 2 ** 31 }, ["/max_connections"]],
    ["no channel", "event", without(ended, "channel_id"), ["/channel_id"]],
    ["no id", "event", without(ended, "id"), ["/id"]],
    ["an empty id", "event", { ...ended, id: "" }, ["/id"]],
    ["no type", "event", without(ended, "type"), ["/type"]],
    ["a type that is a number", "event", { ...ended, type: 1 }, ["/type"]],
    ["no data", "event", without(ended, "data"), ["/data"]],
    [
      "several faults",
      "session",
      { ...over, session_id: 1, total_connections: null },
      ["/session_id", "/total_connections"],
    ],
    ["too long a channel", "event", { ...ended, channel_id: `${"x".repeat(251)}@demo` }, ["/channel_id"]],
    ["no role", "auth", without(authRequest(), "role"), ["/role"]],
    ["a count that is a text", "auth", { ...authRequest(), channel_connections: "0" }, ["/channel_connections"]],
    ["no node that vanished", "session", without(mediaEvent("session.vanished"), "node_name"), ["/node_name"]],
    ["an array", "event", [ended], [""]],
    ["null", "session", null, [""]],
    ["a text", "auth", '"x"', [""]],
    ["nothing", "event", "", [""]],
    ["truncated JSON", "event", JSON.stringify(ended).slice(0, -1), [""]],
    ["two values", "event", `${JSON.stringify(ended)}{}`, [""]],
    ["a form instead of JSON", "session", "type=session.destroyed", [""]],
    ["bytes that are not UTF-8", "event", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), [""]],
    ["a byte order mark", "event", `\ufeff${JSON.stringify(ended)}`, [""]],
    ["only nested arrays", "event", deep(100_000), [""]],
    [
      "excessive depth in a member",
      "event",
      JSON.stringify({ ...ended, data: "#" }).replace('"#"', deep(10_000)),
      ["/data"],
    ],
  ] as const)("is refused, kept and counted: %s", async (_, kind, body, pointers) => {
    const counter = `media_intake_total{kind="${kind}",outcome="quarantined"}`;
    const before = await test.metric(counter);
    const answer = await test.post(kind, body);
    expect(answer.status).toBe(400);
    const { errors = [] } = answer.body as Problem;
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(pointers);
    const text = Buffer.isBuffer(body) || typeof body === "string" ? body.toString() : JSON.stringify(body);
    expect(await listedIn(test)).toEqual([
      {
        id: expect.any(Number),
        at: new Date(present).toISOString(),
        path: `/intake/${kind}`,
        keyId: keyIdOf(test.intakeKey),
        reason: expect.stringMatching(/\w/),
        body: text.slice(0, 16_384),
      },
    ]);
    expect(await test.metric(counter)).toBe(before + 1);
    expect(await test.listed()).toEqual({ sessions: [], connections: [] });
  });

  it("is kept with all its faults, and with the id of the key in the path but not the key", async () => {
    const path = `/intake/${test.intakeKey}/session`;
    await test.post("session", { ...over, session_id: 1, total_connections: null }, { key: undefined, path });
    const [kept] = await listedIn(test);
    expect(kept).toMatchObject({ path: "/intake/session", keyId: keyIdOf(test.intakeKey) });
    for (const pointer of ["/session_id", "/total_connections"]) expect(kept?.reason).toContain(pointer);
  });

  it("does not block a later valid event with the same id, which is then listed", async () => {
    const own = await startTestIntake();
    expect((await own.post("event", without(ended, "data"))).status).toBe(400);
    await own.tell(ended);
    expect((await own.listed()).connections).toHaveLength(1);
  });

  it("is not assumed because of deep nesting where any value is allowed", async () => {
    const own = await startTestIntake();
    const body = JSON.stringify({ ...ended, event_metadata: "#" }).replace('"#"', deep(100_000));
    expect((await own.post("event", body)).status).toBe(200);
  });
});

describe("the secrets in a refused body", async () => {
  const jwt = await new SignJWT({ jti: "x" }).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(32));
  const plain = "correct horse battery staple";
  const key = newCredential("mo").text;
  const intakeKey = newCredential("mi").text;

  it.each([
    ["a JWT in the metadata", JSON.stringify({ metadata: { access_token: jwt } }), jwt],
    ["a JWT in any member", JSON.stringify({ metadata: { a: [{ b: `Bearer ${jwt}` }] } }), jwt],
    ["a JWT as a name", JSON.stringify({ [jwt]: 1 }), jwt],
    ["a JWT in a form", `access=${jwt}&x`, jwt],
    ["a JWT in truncated JSON", `{"metadata":{"access_token":"${jwt}`, jwt],
    ["a JWT among bytes that are not UTF-8", Buffer.concat([Buffer.from([0xff]), Buffer.from(jwt)]), jwt],
    ["a JWT in JSON within JSON", JSON.stringify({ metadata: JSON.stringify({ access_token: jwt }) }), jwt],
    ["a JWT after much other text", `${"x".repeat(16_300)} ${jwt}`, jwt],
    ["a token of another form", JSON.stringify({ metadata: { access_token: plain } }), plain],
    [
      "a token that is not a JWT in the other metadata",
      JSON.stringify({ auth_metadata: { access_token: plain } }),
      plain,
    ],
    ["a token with quotes in it", JSON.stringify({ metadata: { access_token: `"${plain}"` } }), plain],
    ["a token with space around it", `{"access_token" :\n "${plain}"`, plain],
    ["a token that is cut off", `{"metadata":{"access_token":"${plain}`, plain],
    ["a token in JSON within JSON", JSON.stringify({ metadata: JSON.stringify({ access_token: plain }) }), plain],
    ["a token in an object", JSON.stringify({ metadata: { access_token: { value: plain } } }), plain],
    ["a token in an array", JSON.stringify({ metadata: { access_token: [plain] } }), plain],
    ["a token that is a number", JSON.stringify({ metadata: { access_token: 8_675_309_123 } }), "8675309123"],
    ["a token under an escaped name", `{"metadata":{"acc\\u0065ss_token":"${plain}"}}`, plain],
    ["an API key", JSON.stringify({ note: `key ${key}` }), key.split("_").slice(2).join("_")],
    ["an intake key", JSON.stringify({ url: `/intake/${intakeKey}/event` }), intakeKey.split("_").slice(2).join("_")],
  ])("are neither stored nor logged nor returned: %s", async (_, body, secret) => {
    const { status, text } = await test.post("auth", body);
    expect(status).toBe(400);
    const [kept] = await listedIn(test);
    expect(kept).toBeDefined();
    for (const part of secret.split(".").filter((one) => one.length > 8)) {
      expect(JSON.stringify(kept)).not.toContain(part);
      expect(text).not.toContain(part);
      expect(test.logged()).not.toContain(part);
    }
  });
});

describe("the quarantine", () => {
  it("keeps the last thousand bodies, newest first", async () => {
    const { query } = test.service.storage;
    const quarantine = new Quarantine(query);
    const add = (number: number) =>
      quarantine.add({ at: "", path: "/intake/event", keyId: "", reason: "", body: JSON.stringify({ number }) });
    for (const number of [1, 2, 3, 4, 5]) await add(number);
    // Most share a commit, except the first and the last.
    await Promise.all(Array.from({ length: 999 }, (_, at) => add(6 + at)));
    await add(1005);
    const kept = await listedIn(test, 2000);
    const numbers = kept.map(({ body }) => (JSON.parse(body) as { number: number }).number);
    expect(numbers[0]).toBe(1005);
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, at) => 6 + at));
    expect((await listedIn(test, 3)).map(({ id }) => id)).toEqual(kept.slice(0, 3).map(({ id }) => id));
  });

  it("keeps the beginning of a long body", async () => {
    const body = `x${"é".repeat(1_000_000)}`;
    expect((await test.post("event", body)).status).toBe(400);
    expect((await listedIn(test))[0]?.body).toBe(body.slice(0, 16_384));
  });

  it("keeps a valid text even of binary bytes", async () => {
    expect((await test.post("event", randomBytes(1000))).status).toBe(400);
    expect((await listedIn(test))[0]?.body.isWellFormed()).toBe(true);
  });
});
