import { randomUUID } from "node:crypto";
import { METHODS } from "node:http";
import { gzipSync } from "node:zlib";
import type { ApiLogEntry } from "@media-ops/contract";
import { afterAll, describe, expect, it } from "vitest";
import { revokeApiKey } from "../keys/api-keys.js";
import { newCredential } from "../keys/credential.js";
import { type Answer, pathOf } from "../test/harness.js";
import { RawConnection, requestText } from "../test/raw-http.js";
import { startTarget, type Target } from "../test/target.js";

const target = await startTarget({ atEnd: afterAll });

const tokens = pathOf.createAccessToken;
const sessions = pathOf.listSessionLogs;
const json = "Content-Type: application/json";
const untilClosed = { count: Number.POSITIVE_INFINITY };
const chunked = "Transfer-Encoding: chunked";

describe("a malformed HTTP request", () => {
  const head = [`POST ${tokens} HTTP/1.1`, "Host: media.test", "Authorization: Bearer <key>"];
  const smuggled = requestText([`POST ${sessions} HTTP/1.1`, ...head.slice(1)]);
  const cases: [string, string | Buffer][] = [
    ["a word", "hello\r\n\r\n"],
    ["a TLS handshake", Buffer.from("16030100f0010000ec0303", "hex")],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["HTTP/1.2", requestText([`POST ${tokens} HTTP/1.2`, "Host: media.test"])],
    ["http/1.1 in lower case", requestText([`POST ${tokens} http/1.1`, "Host: media.test"])],
    ["an unknown method", requestText([`BREW ${tokens} HTTP/1.1`, "Host: media.test"])],
    ["a header without a colon", requestText([...head, "hello"])],
    ["a header without a name", requestText([...head, ": hello"])],
    ["a space in a header's name", requestText([...head, "a b: hello"])],
    ["a space before a header's colon", requestText([...head, "Transfer-Encoding : chunked"], `0\r\n\r\n${smuggled}`)],
    ["a header continued on the next line", requestText([...head, "a: b", " c"])],
    ["NUL in a header", requestText([...head, "a: b\0c"])],
    ["a bare CR in a header", requestText([...head, "a: b\rc: d"])],
    ["a bare LF between headers", requestText([...head, "a: b\nc: d"])],
    ["bare LF everywhere", requestText(head).replaceAll("\r", "")],
    ["a length and chunks", requestText([...head, "Content-Length: 5", chunked], `0\r\n\r\n${smuggled}`)],
    ["chunks and a length", requestText([...head, chunked, "Content-Length: 5"], `0\r\n\r\n${smuggled}`)],
    ["two lengths", requestText([...head, "Content-Length: 0", "Content-Length: 2"], smuggled)],
    ["the same length twice", requestText([...head, "Content-Length: 0", "Content-Length: 0"], smuggled)],
    ["a list of lengths", requestText([...head, "Content-Length: 0, 0"], smuggled)],
    ["a length with a sign", requestText([...head, "Content-Length: +2"], "{}")],
    ["a length below zero", requestText([...head, "Content-Length: -1"], "{}")],
    ["a length in hex", requestText([...head, "Content-Length: 0x2"], "{}")],
    ["a length that is too large for a number", requestText([...head, `Content-Length: ${"9".repeat(40)}`], "{}")],
    [
      "chunks that are encoded again",
      requestText([...head, "Transfer-Encoding: chunked, gzip"], `0\r\n\r\n${smuggled}`),
    ],
    ["an unknown transfer encoding", requestText([...head, "Transfer-Encoding: xchunked"], `0\r\n\r\n${smuggled}`)],
    ["a chunk without a valid size", requestText([...head, chunked], `zz\r\n{}\r\n0\r\n\r\n${smuggled}`)],
    ["a chunk whose size is too large for a number", requestText([...head, chunked], `${"f".repeat(17)}\r\n{}\r\n`)],
    ["a chunk that is longer than it says", requestText([...head, chunked], `2\r\n{}}\r\n0\r\n\r\n${smuggled}`)],
  ];

  it.each(cases)("(%s) is answered with one problem, and the connection is closed", async (_, bytes) => {
    const { send, apiKey, expectUnharmed } = target;
    const answers = await send(typeof bytes === "string" ? bytes.replaceAll("<key>", apiKey) : bytes, untilClosed);
    expect(answers.map(({ status, headers }) => [status, headers.get("connection")])).toEqual([[400, "close"]]);
    await expectUnharmed();
  });

  it("is refused after the requests before it have been answered", async () => {
    const { send, lines, expectUnharmed } = target;
    const good = (id: string): string => requestText([...lines(), `X-Request-Id: ${id}`]);
    const answers = await send(`${good("1")}${good("2")}hello\r\n\r\n`, untilClosed);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(answers.map(({ headers }) => headers.get("x-request-id")).slice(0, 2)).toEqual(["1", "2"]);
    await expectUnharmed();
  });

  it.each([
    ["refused for its key", (): string[] => [`POST ${tokens} HTTP/1.1`, "Host: media.test"], 401],
    ["refused for its length", ({ lines }: Target) => [...lines(), json, "Content-Length: 99999"], 413],
    ["refused for its expectation", ({ lines }: Target) => [...lines(), "Expect: something"], 417],
    ["declared to be the last", ({ lines }: Target) => [...lines(), "Connection: close"], 200],
  ])("is not answered again if it is the rest of a call that was %s", async (_, linesOf, status) => {
    const headers = linesOf(target);
    const isFramed = headers.some((line) => line.startsWith("Content-Length") || line === "Connection: close");
    const connection = await RawConnection.open(target.service.url);
    connection.write(requestText([...headers, ...(isFramed ? [] : [chunked])], status === 417 ? "zz\r\n" : ""));
    await connection.answers(1);
    connection.write("zz\r\nhello\r\n\r\n");
    const answers = await connection.answers(Number.POSITIVE_INFINITY);
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    expect(connection.rest).toBe("");
    await target.expectUnharmed();
  });

  it.each([
    ["is refused for its key", (): string[] => [`POST ${tokens} HTTP/1.1`, "Host: media.test"], 401],
    ["has an unknown path", ({ lines }: Target) => lines("/nowhere"), 404],
    ["has another method", ({ lines }: Target) => [`GET ${tokens} HTTP/1.1`, ...lines().slice(1)], 405],
  ])("the body of a request that %s is not parsed as the next request", async (_, linesOf, status) => {
    const inner = requestText([...target.lines(sessions), "X-Request-Id: inner"]);
    const outer = requestText(
      [...linesOf(target), "Content-Type: text/plain", `Content-Length: ${inner.length}`],
      inner,
    );
    const answers = await target.send(
      outer + requestText([...target.lines(), "X-Request-Id: next", "Connection: close"]),
      untilClosed,
    );
    expect(answers.map((answer) => answer.status)).toEqual([status, 200]);
    expect(answers.at(-1)?.headers.get("x-request-id")).toBe("next");
  });

  it("an upgrade is ignored, and the call is answered as any other", async () => {
    const { post } = target;
    expect((await post(["Connection: upgrade", "Upgrade: websocket"])).status).toBe(200);
    expect((await post(["Connection: upgrade", "Upgrade: h2c"])).status).toBe(200);
  });
});

describe("Host", () => {
  it.each([
    ["none in HTTP/1.1", "HTTP/1.1", [], 400],
    ["an empty one", "HTTP/1.1", ["Host:"], 400],
    ["two", "HTTP/1.1", ["Host: a", "Host: b"], 400],
    ["two in HTTP/1.0", "HTTP/1.0", ["Host: a", "Host: b"], 400],
    ["one that is not a host", "HTTP/1.1", ['Host: "><script>'], 400],
    ["one with a path", "HTTP/1.1", ["Host: a/b"], 400],
    ["one with a user", "HTTP/1.1", ["Host: user@a"], 400],
    ["none in HTTP/1.0", "HTTP/1.0", [], 200],
    ["a name and a port", "HTTP/1.1", ["Host: media.test:8080"], 200],
    ["IPv6", "HTTP/1.1", ["Host: [::1]:8080"], 200],
  ])("%s: %s %j is answered with %i", async (_, version, host, status) => {
    const { send, lines } = target;
    const [answer] = await send(requestText([`POST ${tokens} ${version}`, ...host, ...lines().slice(2)]));
    expect(answer?.status).toBe(status);
  });
});

describe("the size of", () => {
  it.each([
    [65_536, 200],
    [65_537, 413],
    [5_000_000, 413],
  ])("a body of %i bytes is answered with %i, whether its length is declared or not", async (size, status) => {
    const { send, lines, expectUnharmed } = target;
    const body = `{}${" ".repeat(size - 2)}`;
    const said = requestText([...lines(), json, `Content-Length: ${size}`], body);
    const inChunks = requestText([...lines(), json, chunked], `${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    for (const bytes of [said, inChunks]) expect((await send(bytes)).map((answer) => answer.status)).toEqual([status]);
    await expectUnharmed();
  });

  it("chunks that never end are refused as soon as they are too large", async () => {
    const { send, lines } = target;
    const [answer] = await send(requestText([...lines(), json, chunked], `10001\r\n${" ".repeat(65_537)}\r\n`));
    expect(answer?.status).toBe(413);
  });

  it.each([
    ["headers of 15 KiB", ["X: ".padEnd(15 * 1024, "x")], "", 200],
    ["headers of over 16 KiB", ["X: ".padEnd(16 * 1024, "x")], "", 431],
    ["a path of over 16 KiB", [], `?${"x".repeat(16 * 1024)}`, 431],
  ])("%s is answered correctly", async (_, headers, query, status) => {
    const { send, lines, expectUnharmed } = target;
    const [answer] = await send(requestText([...lines(tokens + query), ...headers]));
    expect(answer?.status).toBe(status);
    await expectUnharmed();
  });
});

describe("Expect", () => {
  it("100-continue is answered before the body is sent", async () => {
    const { service, lines } = target;
    const connection = await RawConnection.open(service.url);
    connection.write(requestText([...lines(), json, "Content-Length: 2", "Expect: 100-continue"]));
    expect((await connection.answers(1)).map(({ status }) => status)).toEqual([100]);
    connection.write("{}");
    expect((await connection.answers(2)).map(({ status }) => status)).toEqual([100, 200]);
    await connection.end();
  });

  it("any other value is refused with 417, and the call is not executed", async () => {
    const { send, lines, expectUnharmed } = target;
    const bytes = requestText([...lines(), json, "Content-Length: 2", "Expect: something"], "{}");
    const answers = await send(bytes + requestText(lines()), untilClosed);
    expect(answers.map((answer) => answer.status)).toEqual([417]);
    await expectUnharmed();
  });
});

describe("a method", () => {
  const others = METHODS.filter((method) => !["POST", "CONNECT", "HEAD"].includes(method));

  it("other than POST is refused on an operation with 405 and Allow: POST, regardless of the body", async () => {
    const { send, lines } = target;
    const malformed = ["Content-Type: text/plain", "Content-Length: 5"];
    for (const target of [...others.map((method) => `${method} ${tokens}`), `GET http://media.test${tokens}`]) {
      const [answer] = await send(requestText([`${target} HTTP/1.1`, ...lines().slice(1), ...malformed], "hello"));
      expect([target, answer?.status, answer?.headers.get("allow")]).toEqual([target, 405, "POST"]);
    }
  });

  it("HEAD is refused with the headers alone", async () => {
    const { send, lines } = target;
    const head = requestText([`HEAD ${tokens} HTTP/1.1`, ...lines().slice(1)]);
    const answers = await send(head + head, { isHead: true, count: 2 });
    for (const { status, headers } of answers) {
      expect([status, headers.get("allow")]).toEqual([405, "POST"]);
      expect(headers.get("content-type")).toMatch(/^application\/problem\+json/);
    }
    expect(answers).toHaveLength(2);
  });

  it("CONNECT is refused with 405, and the connection is closed", async () => {
    const { send, expectUnharmed } = target;
    const answers = await send("CONNECT media.test:80 HTTP/1.1\r\nHost: media.test\r\n\r\nhello", untilClosed);
    expect(answers.map(({ status, headers }) => [status, headers.get("allow")])).toEqual([[405, "POST"]]);
    await expectUnharmed();
  });

  it("CONNECT from a client that disconnects before the answer does no harm", async () => {
    const { service, expectUnharmed } = target;
    for (let i = 0; i < 20; i++) {
      const connection = await RawConnection.open(service.url);
      connection.write(`CONNECT media.test:80 HTTP/1.1\r\nHost: media.test\r\n\r\n${"x".repeat(i * 5000)}`);
      await connection.reset();
    }
    await expectUnharmed();
  });
});

describe("a path", () => {
  it.each([
    `${sessions}/`,
    `/${sessions}`,
    sessions.replace("orgs/", "orgs//"),
    sessions.toUpperCase(),
    `/x/..${sessions}`,
    sessions.replace("s/", "s%2f"),
    `${sessions};x`,
    `${sessions}%00`,
    "/",
    "*",
    "/%E2%82%AC",
    "/__proto__",
    "ftp://media.test/orgs",
  ])("%s is answered with 404, and the problem names it", async (path) => {
    const { send, lines, expectUnharmed } = target;
    const [answer] = await send(requestText([...lines(`${path}?a=b`), json, "Content-Length: 1"], "{"));
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining(` ${path}. `) } });
    await expectUnharmed();
  });

  it.each(["/%zz", "/%", "/%e", `${sessions}%ff`, "/%c0%af"])("%s is refused as malformed", async (path) => {
    const { send, lines, expectUnharmed } = target;
    expect((await send(requestText(lines(path)))).map((answer) => answer.status)).toEqual([400]);
    await expectUnharmed();
  });

  it.each([
    `http://media.test${tokens}`,
    `HTTPS://other.test:444${tokens}`,
    tokens.replaceAll("-", "%2D"),
    `${tokens}?%zz`,
    `${tokens}#x`,
  ])("%s is a form of the operation's path, and the call is in the API log", async (path) => {
    const { send, call, service } = target;
    const key = await target.createKey(`own-log-${randomUUID()}`);
    const head = [`POST ${path} HTTP/1.1`, "Host: media.test", `Authorization: Bearer ${key}`];
    const [answer] = await send(requestText(head));
    expect(answer).toMatchObject({ status: 200, body: { access_token: expect.any(String) } });
    const { body } = await call(pathOf.listApiLogs, { key });
    const [entry, ...others] = body as ApiLogEntry[];
    expect(entry?.url.startsWith(`${service.url}/projects/`)).toBe(true);
    expect(others).toEqual([]);
  });
});

describe("the id of a request", () => {
  it.each(["a", "0199a3c2-6f0e-7c61-b9a6-0c2f6f0a9d11", "x".repeat(128), "A_b.c-1"])(
    "is the caller's: %s",
    async (id) => {
      const { post } = target;
      expect((await post([`X-Request-Id: ${id}`])).headers.get("x-request-id")).toBe(id);
      const { status, body } = await post([`X-Request-Id: ${id}`], "", "/nowhere");
      expect({ status, body }).toMatchObject({ status: 404, body: { request_id: id } });
    },
  );

  it.each([[""], ["x".repeat(129)], ["a b"], ["a,b"], ["\xe9"], ['"'], ["a", "b"]])(
    "is a new one if the caller's is malformed: %j",
    async (...ids) => {
      const { post } = target;
      const { headers } = await post(ids.map((id) => `X-Request-Id: ${id}`));
      expect(headers.get("x-request-id")).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    },
  );
});

describe("a client that", () => {
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200, checkEveryMs: 20 };

  it.each([
    ["sends nothing", (): string => ""],
    ["never ends its headers", ({ lines }: Target) => lines().join("\r\n")],
    ["never ends its body", ({ lines }: Target) => requestText([...lines(), json, "Content-Length: 3"], "{}")],
    ["never ends its chunks", ({ lines }: Target) => requestText([...lines(), json, chunked], "2\r\n{}\r\n")],
  ])("%s is refused as too slow, and the connection is closed", async (_, bytesOf) => {
    const target = await startTarget({ limits });
    const answers = await target.send(bytesOf(target), untilClosed);
    expect(answers.map(({ status, headers }) => [status, headers.get("connection")])).toEqual([[408, "close"]]);
    await target.expectUnharmed();
  });

  it("disconnects in the middle of a request does no harm", async () => {
    const { service, lines, expectUnharmed } = target;
    const whole = requestText([...lines(), json, "Content-Length: 2"], "{}");
    for (const part of [1, 20, whole.length - 1, whole.length]) {
      for (const leave of ["end", "reset"] as const) {
        const connection = await RawConnection.open(service.url);
        connection.write(whole.slice(0, part));
        await connection[leave]();
      }
    }
    await expectUnharmed();
  });

  it("disconnects in the middle of an answer does no harm", async () => {
    const { service, lines, append, expectUnharmed } = target;
    const timestamp = new Date().toISOString();
    const text = JSON.stringify({
      timestamp,
      type: "a.b",
      url: `http://x/${"x".repeat(9000)}`,
      status: 200,
      elapsed_time_ms: 1,
    });
    await append(
      ...Array.from({ length: 500 }, () => ({ projectId: "demo", kind: "webhooks" as const, timestamp, text })),
    );
    for (const leave of ["end", "reset"] as const) {
      const connection = await RawConnection.open(service.url);
      connection.write(requestText(lines(pathOf.listWebhookLogs)));
      await connection.firstBytes();
      await connection[leave]();
    }
    await expectUnharmed();
  });
});

describe("a body's type", () => {
  const others = ["text/plain", "application/x-www-form-urlencoded", "application/vnd.api+json", "multipart/form-data"];

  it.each<[string[], number]>([
    [["Content-Type: application/json; charset=utf-8"], 200],
    [["Content-Type: APPLICATION/JSON;charset=UTF-8"], 200],
    [["Content-Type: application/json ; x=y"], 200],
    [[json, "Content-Encoding: identity"], 200],
    [[json, "Content-Encoding: Identity"], 200],
    ...[...others, "text/json", "json", "application/jsonp", "*/*", ""].map((type): [string[], number] => [
      [`Content-Type: ${type}`],
      415,
    ]),
    [[], 415],
    ...["gzip", "br", "identity, gzip"].map((encoding): [string[], number] => [
      [json, `Content-Encoding: ${encoding}`],
      415,
    ]),
  ])("%j is answered with %i", async (headers, status) => {
    const { post, expectUnharmed } = target;
    const isCompressed = headers.length > 1 && status === 415;
    expect((await post(headers, isCompressed ? gzipSync("{}").toString("latin1") : "{}")).status).toBe(status);
    await expectUnharmed();
  });

  it.each(others)("%s without a body means no options, as sent by curl -X POST -d ''", async (type) => {
    const { post, send, lines } = target;
    expect((await post([`Content-Type: ${type}`])).status).toBe(200);
    const [answer] = await send(requestText([...lines(), `Content-Type: ${type}`, chunked], "0\r\n\r\n"));
    expect(answer?.status).toBe(200);
  });
});

describe("JSON", () => {
  const refused: [string, string | Buffer, string[]][] = [
    ["null", "null", [""]],
    ["an array", "[]", [""]],
    ["half of a surrogate pair", '{"channel_id":"\\ud800@demo"}', ["/channel_id"]],
    ["half of a surrogate pair in the project", '{"channel_id":"lobby@\\udc00"}', ["/channel_id"]],
    ["__proto__", '{"__proto__":{"role":"recvonly"}}', ["/__proto__"]],
    ["constructor", '{"constructor":{"prototype":{"role":"recvonly"}}}', ["/constructor"]],
    ["toString", '{"toString":"x","hasOwnProperty":true}', ["/toString", "/hasOwnProperty"]],
    ["an infinite number", '{"max_channel_connections":1e999}', ["/max_channel_connections"]],
    ["a negative number", '{"max_channel_connections":-1}', ["/max_channel_connections"]],
    ["a fraction", '{"max_channel_connections":5.5}', ["/max_channel_connections"]],
    ["a number as text", '{"max_channel_connections":"5"}', ["/max_channel_connections"]],
    ["a day that does not exist", '{"expiration_time":"2026-02-30T12:00:00Z"}', ["/expiration_time"]],
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

describe("a key", () => {
  it("is refused with the same answer whatever is wrong with it, and accepted in every valid notation", async () => {
    const { send, apiKey, service } = target;
    const revoked = await target.createKey("demo");
    await revokeApiKey(service.storage.query, revoked.split("_")[1] ?? "", Date.now());
    const unknown = newCredential("mo").text;
    const answerTo = async (...authorizations: string[]): Promise<Answer> => {
      const headers = authorizations.map((value) => `Authorization: ${value}`);
      const [answer] = await send(requestText([`POST ${tokens} HTTP/1.1`, "Host: media.test", ...headers]));
      if (!answer) throw new Error("Nothing was answered.");
      return answer;
    };

    for (const good of [`Bearer ${apiKey}`, `bearer ${apiKey}`, `BEARER ${apiKey}`, `Bearer   ${apiKey}  `]) {
      expect((await answerTo(good)).status, good).toBe(200);
    }

    const bad: string[][] = [
      [],
      [""],
      ["Bearer"],
      [apiKey],
      [`Basic ${apiKey}`],
      [`Bearer${apiKey}`],
      [`Bearer "${apiKey}"`],
      [`Bearer ${apiKey} ${apiKey}`],
      [`Bearer ${apiKey}, Bearer ${apiKey}`],
      [`Bearer ${unknown}`],
      [`Bearer ${revoked}`],
      [`Bearer ${newCredential("mi").text}`],
      [`Bearer mi${apiKey.slice(2)}`],
      [`Bearer ${apiKey.toUpperCase()}`],
      [`Bearer ${apiKey.slice(0, -1)}`],
      [`Bearer ${apiKey}A`],
      [`Bearer ${apiKey.slice(0, -43)}${"A".repeat(43)}`],
      [`Bearer ${apiKey}`, `Bearer ${unknown}`],
      [`Bearer ${unknown}`, `Bearer ${apiKey}`],
      [`Bearer ${apiKey}`, `Bearer ${apiKey}`],
    ];
    const seen = new Set<string>();
    for (const authorizations of bad) {
      const { status, headers, body } = await answerTo(...authorizations);
      expect(status, authorizations.join("; ").replaceAll(apiKey, "<key>")).toBe(401);
      const others = [...headers].filter(([name]) => name !== "date" && name !== "x-request-id");
      seen.add(JSON.stringify([{ ...(body as object), request_id: "" }, others]));
    }
    expect([...seen]).toHaveLength(1);
  });

  it("is refused on a connection that has used it, once its revocation is known", async () => {
    const { service, call, lines } = target;
    const key = await target.createKey("demo");
    const connection = await RawConnection.open(service.url);
    const bytes = requestText([...lines().slice(0, 2), `Authorization: Bearer ${key}`]);
    connection.write(bytes);
    expect(await connection.answers(1)).toMatchObject([{ status: 200 }]);
    await revokeApiKey(service.storage.query, key.split("_")[1] ?? "", Date.now());
    // A call with an unknown key makes the service read the keys again.
    await call(tokens, { key: newCredential("mo").text });
    connection.write(bytes);
    expect(await connection.answers(2)).toMatchObject([{ status: 200 }, { status: 401 }]);
    await connection.end();
  });
});

describe("a secret", () => {
  it("appears only in the answers that are meant to contain it, and never in a log", async () => {
    const { send, lines, apiKey, logged, call } = target;
    const { access_token: token } = (await call(tokens)).body as { access_token: string };
    const [head = "", ...headers] = lines();
    for (const secret of [apiKey, newCredential("mo").text, newCredential("mi").text, token]) {
      const escaped = secret.replace("_", "\\u005f").replace("J", "\\u004a");
      const bodies = [
        `{"${secret}":1}`,
        `{"a${escaped}b":1,"${secret}":{"${secret}":1,"${secret}":1}}`,
        `{"role":"${secret}","channel_id":"${secret}","jwt_id":"${secret}","not_before":"${secret}"}`,
        `{"channel_id":"${escaped}@other"}`,
        `"${secret}"`,
        secret,
        `{"${secret}`,
      ];
      const requests = [
        requestText(lines(`/${secret}`)),
        requestText(lines(`/a${secret}/b`)),
        requestText(lines(`${sessions}?key=${secret}`)),
        requestText(lines(`http://${secret}${tokens}`)),
        requestText(lines(`/%zz${secret}`)),
        requestText([`${head} ${secret}`, ...headers]),
        requestText([...lines(), secret]),
        requestText([...lines(), `${secret}: ${secret}`]),
        requestText([...lines(), `X-Request-Id: ${secret}`]),
        requestText([...lines(), `Expect: ${secret}`]),
        requestText([...lines(), `Content-Type: ${secret}`, "Content-Length: 2"], "{}"),
        requestText([...lines(), `Cookie: ${secret}`, `User-Agent: ${secret}`, `Referer: ${secret}`]),
        requestText([head, `Host: ${secret}`, ...headers.slice(1)]),
        requestText([head, "Host: media.test", `Authorization: Basic ${secret}`]),
        ...[tokens, sessions].flatMap((path) =>
          bodies.map((body) => requestText([...lines(path), json, `Content-Length: ${body.length}`], body)),
        ),
      ];
      const hidden = secret.slice(-43);
      for (const bytes of requests) {
        for (const { status, headers, text } of await send(bytes)) {
          expect(JSON.stringify([status, [...headers], text])).not.toContain(hidden);
        }
      }
      expect((await call(pathOf.listApiLogs)).text).not.toContain(hidden);
      expect(logged()).not.toContain(hidden);
    }
    expect(logged()).toContain("[redacted]");
  });
});
