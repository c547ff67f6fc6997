import type { ProblemError } from "@media-ops/contract";
import { extensionOperations, operations as inContract, resolve } from "@media-ops/openapi/contract";
import { validator } from "@media-ops/openapi/judge";
import fc from "fast-check";
import { jwtVerify } from "jose";
import { afterAll, expect, it } from "vitest";
import { encode, json, rightToken, unlimited } from "../test/arbitraries.js";
import { type Answer, pathOf, startTestService } from "../test/harness.js";
import { expectAnswer, oddClient } from "../test/raw-http.js";

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

const { service, apiKey } = await startTestService({ env: unlimited, atEnd: afterAll });
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
      const nbf = asked.not_before === undefined ? undefined : secondsOf(asked.not_before, "up");
      const exp = asked.expiration_time === undefined ? undefined : secondsOf(asked.expiration_time, "down");
      const { payload, protectedHeader } = await jwtVerify(access_token, encode(apiKey), {
        algorithms: ["HS256"],
        // A time at which the token is valid.
        currentDate: new Date(Number(nbf ?? (exp ?? 1n) - 1n) * 1000),
      });
      expect(protectedHeader.kid).toBe(apiKey.split("_")[1]);
      const { iat, jti, ...claims } = payload;
      expect(iat).toBeTypeOf("number");
      expect(jti).toMatch(asked.jwt_id === undefined ? /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/ : asked.jwt_id);
      const { channel_id, role, max_channel_connections } = asked;
      const expected = { channel_id, role, max_channel_connections, nbf: nbf && Number(nbf), exp: exp && Number(exp) };
      expect(claims).toEqual(expected);
    }),
    { numRuns: 120 },
  );
  expect(minted).toBeGreaterThan(5);
});

/** The seconds since 1970 of an RFC 3339 time, by calendar arithmetic with integers only. */
function secondsOf(text: string, rounding: "up" | "down"): bigint {
  const [, date = "", hours, minutes, seconds, fraction = "", zone = ""] =
    /^(.{10})T(..):(..):(..)(?:\.(\d+))?(.+)$/i.exec(text) ?? [];
  const [year = 0n, month = 0n, day = 0n] = date.split("-").map(BigInt);
  // March counts as the first month, so that a leap day is the last day of the year.
  const y = month > 2n ? year : year - 1n;
  const m = (month + 9n) % 12n;
  const days = 365n * y + y / 4n - y / 100n + y / 400n + (153n * m + 2n) / 5n + day - 1n - 719_468n;
  const [, sign, offsetHours = "0", offsetMinutes = "0"] = /^([+-])(..):(..)$/.exec(zone) ?? [];
  const offset = (BigInt(offsetHours) * 60n + BigInt(offsetMinutes)) * (sign === "-" ? -60n : 60n);
  const whole =
    days * 86_400n + BigInt(hours ?? 0) * 3600n + BigInt(minutes ?? 0) * 60n + BigInt(seconds ?? 0) - offset;
  return rounding === "up" && BigInt(`0${fraction}`) > 0n ? whole + 1n : whole;
}
