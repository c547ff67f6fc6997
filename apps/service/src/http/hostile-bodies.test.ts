import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { requestText } from "../test/raw-http.js";
import { startTarget } from "../test/target.js";

const target = await startTarget({ atEnd: afterAll });

const json = "Content-Type: application/json";
const chunked = "Transfer-Encoding: chunked";

describe("a body's type", () => {
  const others = ["text/plain", "application/x-www-form-urlencoded", "application/vnd.api+json", "multipart/form-data"];

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON;charset=UTF-8",
    "application/json ; x=y",
  ])("%s is JSON", async (type) => {
    const { post } = target;
    expect((await post([`Content-Type: ${type}`], "{}")).status).toBe(200);
  });

  it.each([...others, "text/json", "json", "application/jsonp", "*/*", ""])("%j with a body: 415", async (type) => {
    const { post, expectUnharmed } = target;
    expect((await post([`Content-Type: ${type}`], "{}")).status).toBe(415);
    await expectUnharmed();
  });

  it("missing with a body: 415", async () => {
    const { post } = target;
    expect((await post([], "{}")).status).toBe(415);
  });

  it.each(others)("%s without a body means no options, as sent by curl -X POST -d ''", async (type) => {
    const { post, send, lines } = target;
    expect((await post([`Content-Type: ${type}`])).status).toBe(200);
    const [answer] = await send(requestText([...lines(), `Content-Type: ${type}`, chunked], "0\r\n\r\n"));
    expect(answer?.status).toBe(200);
  });

  it.each([
    ["gzip", 415],
    ["br", 415],
    ["identity, gzip", 415],
    ["identity", 200],
    ["Identity", 200],
  ])("Content-Encoding: %s is answered with %i", async (encoding, status) => {
    const { post } = target;
    const body = status === 200 ? "{}" : gzipSync("{}").toString("latin1");
    expect((await post([json, `Content-Encoding: ${encoding}`], body)).status).toBe(status);
  });
});

describe("JSON", () => {
  const refused: [string, string | Buffer, string[]][] = [
    ["null", "null", [""]],
    ["an array", "[]", [""]],
    ["a text", '"role"', [""]],
    ["a number", "5", [""]],
    ["true", "true", [""]],
    ["half of a surrogate pair", '{"channel_id":"\\ud800@demo"}', ["/channel_id"]],
    ["half of a surrogate pair in the project", '{"channel_id":"lobby@\\udc00"}', ["/channel_id"]],
    ["__proto__", '{"__proto__":{"role":"recvonly"}}', ["/__proto__"]],
    ["constructor", '{"constructor":{"prototype":{"role":"recvonly"}}}', ["/constructor"]],
    ["toString", '{"toString":"x","hasOwnProperty":true}', ["/toString", "/hasOwnProperty"]],
    ["an infinite number", '{"max_channel_connections":1e999}', ["/max_channel_connections"]],
    ["a negative number", '{"max_channel_connections":-1}', ["/max_channel_connections"]],
    ["a number too high", '{"max_channel_connections":5001}', ["/max_channel_connections"]],
    ["a fraction", '{"max_channel_connections":5.5}', ["/max_channel_connections"]],
    ["a number as text", '{"max_channel_connections":"5"}', ["/max_channel_connections"]],
    [
      "times as numbers",
      '{"not_before":1775000000,"expiration_time":1775000000.5}',
      ["/not_before", "/expiration_time"],
    ],
    ["null members", '{"role":null,"jwt_id":null}', ["/role", "/jwt_id"]],
    ["a time without an offset", '{"not_before":"2026-04-01T12:00:00"}', ["/not_before"]],
    ["a day that does not exist", '{"expiration_time":"2026-02-30T12:00:00Z"}', ["/expiration_time"]],
    [
      "an end before the beginning",
      '{"not_before":"2026-04-01T12:00:00Z","expiration_time":"2026-04-01T12:00:00Z"}',
      ["/expiration_time"],
    ],
    ["256 bytes of channel", `{"channel_id":"${"\xc3\xa9".repeat(125)}x@demo"}`, ["/channel_id"]],
    ["a jwt_id that is not a UUID", '{"jwt_id":"urn:uuid:5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11"}', ["/jwt_id"]],
  ];

  it.each(refused)("(%s) is refused, and a pointer locates the fault", async (_, body, pointers) => {
    const { post, expectUnharmed } = target;
    const answer = await post([json], body.toString("latin1"));
    expect(answer.status).toBe(400);
    const { errors = [] } = answer.body as { errors?: { pointer: string; detail: string }[] };
    expect(errors.map(({ pointer }) => pointer)).toEqual(pointers);
    for (const { detail } of errors) expect(detail).toMatch(/^[A-Z].*[.?]$/);
    await expectUnharmed();
  });

  it.each([
    ["a byte order mark", "\xef\xbb\xbf{}", {}],
    ["an integer with a zero fraction", '{"max_channel_connections":5.0}', { max_channel_connections: 5 }],
    ["an integer with an exponent", '{"max_channel_connections":5e3}', { max_channel_connections: 5000 }],
    ["minus zero", '{"max_channel_connections":-0}', { max_channel_connections: 0 }],
    ["escapes", '{"\\u0072ole":"recv\\u006fnly"}', { role: "recvonly" }],
    ["a pair of surrogates", '{"channel_id":"\\ud83c\\udfa5@demo"}', { channel_id: "🎥@demo" }],
    ["NUL in a channel's name", '{"channel_id":"\\u0000@demo"}', { channel_id: "\0@demo" }],
    [
      "255 bytes of channel",
      `{"channel_id":"${"\xc3\xa9".repeat(125)}@demo"}`,
      { channel_id: `${"é".repeat(125)}@demo` },
    ],
    [
      "a UUID in capitals",
      '{"jwt_id":"5F0C8A52-3F5E-4F0B-9D9A-3A4B8F7F2C11"}',
      { jti: "5F0C8A52-3F5E-4F0B-9D9A-3A4B8F7F2C11" },
    ],
  ])("(%s) is accepted", async (_, body, claims) => {
    const { post } = target;
    const { access_token = "" } = (await post([json], body)).body as { access_token?: string };
    const payload: unknown = JSON.parse(Buffer.from(access_token.split(".")[1] ?? "", "base64url").toString());
    expect(payload).toEqual({ iat: expect.any(Number), jti: expect.any(String), ...claims });
  });

  it("with many faults is refused with a hundred of them, and the detail says that there are more", async () => {
    const { post } = target;
    const members = Array.from({ length: 900 }, (_, i) => `"${i}":0`);
    const { status, body } = await post([json], `{${members.join()}}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ detail: expect.stringContaining("more than 100 faults"), errors: { length: 100 } });
  });
});
