import { randomUUID } from "node:crypto";
import { METHODS } from "node:http";
import type { ApiLogEntry } from "@media-ops/contract";
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

describe("a method", () => {
  const others = METHODS.filter((method) => !["POST", "CONNECT", "HEAD"].includes(method));

  it("other than POST is refused on an operation with 405 and Allow: POST, regardless of the body", async () => {
    const { send, lines } = target;
    for (const method of others) {
      for (const [type, body] of [
        ["text/plain", "hello"],
        ["application/json", "{"],
      ]) {
        const [, ...headers] = lines();
        const extra = [`Content-Type: ${type}`, `Content-Length: ${body?.length}`];
        const [answer] = await send(requestText([`${method} ${tokens} HTTP/1.1`, ...headers, ...extra], body));
        expect([method, answer?.status, answer?.headers.get("allow")]).toEqual([method, 405, "POST"]);
      }
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

  it("in the absolute form of a proxy is refused with 405 if the method is not POST", async () => {
    const { send, lines } = target;
    const [answer] = await send(requestText([`GET http://media.test${tokens} HTTP/1.1`, ...lines().slice(1)]));
    expect(answer?.status).toBe(405);
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
