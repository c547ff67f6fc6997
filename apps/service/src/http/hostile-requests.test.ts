import { afterAll, describe, expect, it } from "vitest";
import { pathOf } from "../test/harness.js";
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

  it("is refused also after valid requests", async () => {
    const { service, lines, expectUnharmed } = target;
    const connection = await RawConnection.open(service.url);
    connection.write(requestText(lines()));
    expect((await connection.answers(1)).map(({ status }) => status)).toEqual([200]);
    connection.write("hello\r\n\r\n");
    expect((await connection.answers(Number.POSITIVE_INFINITY)).map(({ status }) => status)).toEqual([200, 400]);
    await expectUnharmed();
  });
});

describe("on one connection", () => {
  it("pipelined requests are answered in their order", async () => {
    const { send, lines } = target;
    const call = (id: number, extra: string[], path: string, body = ""): string =>
      requestText([...lines(path), `X-Request-Id: call-${id}`, ...extra, `Content-Length: ${body.length}`], body);
    const answers = await send(
      [
        call(1, [json], tokens, '{"role":"recvonly"}'),
        call(2, [json], sessions, '{"project_id":"other"}'),
        call(3, [], "/nowhere"),
        call(4, [], sessions),
        call(5, ["Expect: 100-continue", json], tokens, "{}"),
        call(6, ["Connection: close"], sessions),
      ].join(""),
      untilClosed,
    );
    expect(answers.map(({ status, headers }) => [status, headers.get("x-request-id")])).toEqual([
      [200, "call-1"],
      [403, "call-2"],
      [404, "call-3"],
      [200, "call-4"],
      [100, null],
      [200, "call-5"],
      [200, "call-6"],
    ]);
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

  it("a body that is declared too large is refused before it is sent", async () => {
    const { send, lines } = target;
    const [answer] = await send(requestText([...lines(), json, "Content-Length: 65537"]));
    expect(answer?.status).toBe(413);
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
