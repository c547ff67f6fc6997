import { METHODS } from "node:http";
import type { ProblemError } from "@media-ops/contract";
import { extensionOperations, operations as inContract, resolve } from "@media-ops/openapi/contract";
import { validator } from "@media-ops/openapi/judge";
import { toClaims } from "@media-ops/tokens";
import fc from "fast-check";
import { jwtVerify } from "jose";
import { afterAll, expect, it } from "vitest";
import { encode, json, rightToken, unlimited } from "../test/arbitraries.js";
import { type Answer, pathOf, startTestService } from "../test/harness.js";
import { expectAnswer, oddClient, type RawAnswer, RawConnection, requestText } from "../test/raw-http.js";

const operations = Object.values(pathOf);
const tokensAsOften = operations.map(() => pathOf.createAccessToken);
function schemaOf(path: string) {
  const described = [...inContract, ...extensionOperations].find((one) => one.path === path)?.operation;
  return validator(resolve(described?.requestBody ?? {}).content?.["application/json"]?.schema ?? {});
}

// Rules that the contract's schemas cannot express, or that the service applies more strictly than their formats.
const beyondTheSchema =
  /^(?:\/(?:channel_id|not_before|expiration_time|issued_before|since|until|type|kind|cursor|wait_s|where\/timestamp\/.*))?$/;

/** Checks the answer to a call with a good key against the contract's rules for its body. */
function expectRight(path: string, body: Uint8Array, { status, body: answered }: Answer): void {
  const value = parse(body);
  const isValid = value.isJson && schemaOf(path)(value.json);
  if (status === 200 || status === 403) {
    expect(isValid, "only what is valid gets so far").toBe(true);
    const { project_id = "demo", channel_id = "@demo" } = value.json as { project_id?: string; channel_id?: string };
    expect(status).toBe(project_id === "demo" && channel_id.endsWith("@demo") ? 200 : 403);
    return;
  }
  expect(status).toBe(400);
  const { errors = [] } = answered as { errors?: ProblemError[] };
  expect(errors.length).toBeGreaterThan(0);
  for (const { pointer, detail } of errors) {
    expect(detail).toMatch(/^[A-Z].*[.?]$/s);
    if (isValid) expect(pointer).toMatch(beyondTheSchema);
    const at = detail === "Is required." ? pointer.replace(/\/[^/]*$/, "") : pointer;
    if (value.isJson) expect(leadsSomewhere(value.json, at), pointer).toBe(true);
    else expect(pointer).toBe("");
  }
}

function parse(body: Uint8Array): { isJson: true; json: unknown } | { isJson: false; json?: undefined } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return { isJson: true, json: body.length === 0 ? {} : JSON.parse(text) };
  } catch {
    return { isJson: false };
  }
}

/** Whether a JSON pointer (RFC 6901) points to a part of a value. */
function leadsSomewhere(value: unknown, pointer: string): boolean {
  const [first, ...names] = pointer.split("/");
  let at = value;
  for (const escaped of names) {
    const name = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return false;
    at = Object.entries(at).find(([member]) => member === name)?.[1];
  }
  return first === "";
}

const { service, apiKey, logged } = await startTestService({ env: unlimited, atEnd: afterAll });
const send = oddClient(service.url, afterAll);

async function post(path: string, body: Uint8Array): Promise<Answer> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return expectAnswer(path, await send({ method: "POST", path, headers, body }));
}

it("for any JSON, the answer is the one that the contract defines", async () => {
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...operations, ...tokensAsOften), json, async (path, text) => {
      const body = encode(text);
      const answer = await post(path, body);
      expectRight(path, body, answer);
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
    }),
    // Without one of each status, the test would prove nothing.
    {
      numRuns: 120,
      examples: ["{}", "[]", '{"channel_id":"lobby@other"}'].map((text) => [pathOf.createAccessToken, text]),
    },
  );
  for (const status of [200, 400, 403]) expect(seen.get(status), String(status)).toBeGreaterThan(0);
});

it("for any bytes sent as JSON, the answer is the one that the contract defines", async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 100 }),
    fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0e1 \t\nrole') }).map(encode),
    fc.tuple(json, fc.nat(), fc.uint8Array({ maxLength: 3 })).map(([text, at, inserted]) => {
      const whole = encode(text);
      const split = at % (whole.length + 1);
      return Buffer.concat([whole.subarray(0, split), inserted, whole.subarray(split + (at % 3))]);
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...operations, ...tokensAsOften), bytes, async (path, body) => {
      expectRight(path, body, await post(path, body));
    }),
    { numRuns: 120 },
  );
});

it("every token allows exactly what was requested", async () => {
  let minted = 0;
  await fc.assert(
    fc.asyncProperty(rightToken, async (asked) => {
      const { status, body } = await post(pathOf.createAccessToken, encode(JSON.stringify(asked)));
      if (status !== 200) return;
      minted += 1;
      const { access_token } = body as { access_token: string };
      // How times are rounded is tested where they are read.
      const { nbf, exp } = toClaims(asked, { now: Date.now() });
      const { payload, protectedHeader } = await jwtVerify(access_token, encode(apiKey), {
        algorithms: ["HS256"],
        // A time at which the token is valid.
        currentDate: new Date((nbf ?? (exp ?? 1) - 1) * 1000),
      });
      expect(protectedHeader.kid).toBe(apiKey.split("_")[1]);
      const { iat, jti, ...claims } = payload;
      expect(iat).toBeTypeOf("number");
      expect(jti).toMatch(asked.jwt_id === undefined ? /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/ : asked.jwt_id);
      const { channel_id, role, max_channel_connections } = asked;
      expect(claims).toEqual({ channel_id, role, max_channel_connections, nbf, exp });
    }),
    { numRuns: 120 },
  );
  expect(minted).toBeGreaterThan(5);
});

// Values with a meaning, and others that HTTP allows.
const token = fc.stringMatching(/^[\w!#$%&'*+.^`|~-]{1,20}$/);
const headerValue = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,40}$/);
const meaningful = {
  "content-type": [
    "application/json",
    "application/json; charset=utf-16",
    "text/plain",
    "application/x-www-form-urlencoded",
    "a",
    "",
  ],
  "accept-encoding": ["gzip", "gzip;q=0", "*", "br, gzip;q=0.5", "identity;q=0", ";;q=,", "gzip;q=x"],
  "content-encoding": ["gzip", "identity", "deflate, gzip", ""],
  "transfer-encoding": ["chunked"],
  expect: ["100-continue", "something"],
  host: ["", "[::1]", "a b", "x".repeat(300), "\xff"],
  "x-request-id": ["mine", "x".repeat(200), "\xe9"],
  connection: ["close", "keep-alive", "upgrade"],
  upgrade: ["websocket"],
  accept: ["text/html", "application/xml;q=0.1"],
  "if-none-match": ["*"],
};
const headers = fc
  .tuple(
    fc.record(
      Object.fromEntries(
        Object.entries(meaningful).map(([name, values]) => [name, fc.oneof(fc.constantFrom(...values), headerValue)]),
      ),
      { requiredKeys: [] },
    ),
    fc.dictionary(token, headerValue, { maxKeys: 3 }),
    fc.constantFrom("good", "good", "none", "bad"),
    headerValue,
  )
  .map(([known, others, key, value]) => ({ ...others, ...known, key, value }));

// CONNECT does not speak HTTP afterwards, so it is tested through a raw socket.
const method = fc.oneof(
  { weight: 3, arbitrary: fc.constant("POST") },
  { weight: 1, arbitrary: fc.constantFrom(...METHODS.filter((name) => name !== "CONNECT")) },
);
const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...operations) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...operations), fc.stringMatching(/^[?#;/%.][!-~]{0,30}$/))
      .map(([path, rest]) => path + rest),
  },
  { weight: 1, arbitrary: fc.stringMatching(/^\/[!-~]{0,60}$/) },
);
const framing = new Set(["content-length", "transfer-encoding", "connection", "upgrade", "trailer", "keep-alive"]);

it("any request that HTTP allows is answered within the contract, and without a fault of the service", async () => {
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      headers,
      fc.oneof(json.map(encode), fc.uint8Array({ maxLength: 200 })),
      async (method, path, { key, value, ...others }, body) => {
        // Framing headers are kept only with values that do not contradict the body.
        const given = Object.entries(others).filter(
          ([name, text]) =>
            !framing.has(name.toLowerCase()) || ["chunked", "close", "keep-alive"].includes(String(text)),
        );
        const authorization = { good: `Bearer ${apiKey}`, none: undefined, bad: value }[key];
        const answer = await send({
          method,
          path,
          headers: { ...Object.fromEntries(given), ...(authorization !== undefined && { authorization }) },
          body,
        });
        expect(answer.status).toBeLessThan(500);
        if (method !== "HEAD") expectAnswer(path.split(/[?#]/, 1)[0] ?? "", answer);
        if (key !== "good") expect(answer.status).not.toBe(200);
      },
    ),
    { numRuns: 150 },
  );
  expect(logged()).not.toMatch(/"level":"(warn|error|fatal)"/);
});

/** A change to a valid request. */
type Edit = readonly [at: number, removed: number, inserted: string];

const troubles = [
  "\r\n",
  "\n",
  "\r",
  "\0",
  " ",
  ":",
  "\x80",
  "\xff",
  "\r\n\r\n",
  "Content-Length: 5\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Connection: close\r\n",
  "Expect: 100-continue\r\n",
  "Host: b\r\n",
  "CONNECT ",
  "HTTP/1.0",
  "%",
  "#",
  '"',
  "0\r\n\r\n",
];
const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.nat({ max: 500 }),
  fc.nat({ max: 3 }),
  fc.oneof(
    fc.constantFrom(...troubles),
    fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  ),
);

function edited(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, [at, removed, inserted]) => {
    const split = at % (before.length + 1);
    return before.slice(0, split) + inserted + before.slice(split + removed);
  }, text);
}

it("for any bytes sent over a connection, the answer is HTTP and within the contract", async () => {
  // Short, for requests that never end; timed-out requests are answered as well.
  const limits = { headersTimeoutMs: 60, requestTimeoutMs: 60, checkEveryMs: 10 };
  const { service, apiKey, call, logged } = await startTestService({ env: unlimited, limits });
  const head = (path: string): string[] => [`POST ${path} HTTP/1.1`, "Host: a", `Authorization: Bearer ${apiKey}`];
  const body = '{"role":"recvonly","channel_id":"lobby@demo"}';
  const right = [
    requestText([...head(pathOf.listSessionLogs)]),
    requestText([...head(pathOf.createAccessToken), "Content-Type: application/json", "Content-Length: 45"], body),
    requestText(
      [...head(pathOf.createAccessToken), "Content-Type: application/json", "Transfer-Encoding: chunked"],
      `2d\r\n${body}\r\n0\r\n\r\n`,
    ),
  ];
  const bytes = fc.oneof(
    {
      weight: 9,
      arbitrary: fc
        .tuple(fc.array(fc.constantFrom(...right), { minLength: 1, maxLength: 3 }), fc.array(edit, { maxLength: 4 }))
        .map(([requests, edits]) => edited(requests.join(""), edits)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }).map((all) => Buffer.from(all).toString("latin1")) },
  );
  let answered = 0;
  await fc.assert(
    // Many run at once, so that requests that never end time out together.
    fc.asyncProperty(fc.array(bytes, { minLength: 20, maxLength: 20, size: "max" }), async (all) => {
      const answers = await Promise.all(
        all.map(async (text): Promise<RawAnswer[]> => {
          const connection = await RawConnection.open(service.url);
          connection.write(text);
          await connection.answers(1);
          await connection.end();
          return connection.answers(0);
        }),
      );
      for (const answer of answers.flat()) {
        expect(answer.status).toBeLessThan(500);
        if (answer.status === 100) continue;
        expectAnswer(answer.text.startsWith("[") ? pathOf.listSessionLogs : pathOf.createAccessToken, answer);
        answered += 1;
      }
    }),
    { numRuns: 8 },
  );
  // Retried, because the short timeouts may abort a valid call.
  await expect.poll(async () => (await call(pathOf.createAccessToken)).status).toBe(200);
  expect(answered).toBeGreaterThan(100);
  expect(logged()).not.toMatch(/"level":"(warn|error|fatal)"/);
});
