import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { newCredential } from "../keys/credential.js";
import { createLog } from "../log.js";
import { redact, redactBody } from "./redact.js";

const { text: apiKey, keyId } = newCredential("mo");
const { text: intakeKey } = newCredential("mi");
const token = await new SignJWT({ jti: "x" }).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(32));
const secretOf = (key: string): string => key.split("_").slice(2).join("_");

it("a log line contains no secret, in any position, and no path of the intake with a key", () => {
  const lines: string[] = [];
  const log = createLog({ level: "trace", to: { write: (line) => void lines.push(line) } });
  const error = new Error(`cannot use ${apiKey}`, { cause: new Error(`because of ${token}`) });
  log.error({ err: error, url: `/intake/${intakeKey}/auth` }, `key ${apiKey} /intake/correct-horse/auth`);
  for (const secret of [secretOf(apiKey), secretOf(intakeKey), token.slice(20), "correct-horse"]) {
    expect(lines.join("")).not.toContain(secret);
  }
});

describe("a path of the intake", () => {
  const foreign = "correct-horse-battery-staple";

  it.each([
    ["a key in another format", `/intake/${foreign}/event`],
    ["a key behind a host", `http://10.0.0.1:8081/intake/${foreign}/auth`],
    ["a key in an upper-case path", `/INTAKE/${foreign}/session`],
    ["a key at the end", `/intake/${foreign}`],
    ["a key before a query", `/intake/${foreign}?x=1`],
    ["a key that begins like a path", `/intake/auth-${foreign}/event`],
    ["a percent-encoded key", `/intake/${foreign.replaceAll("-", "%2D")}/event`],
    ["half of an own key", `/intake/${intakeKey.slice(0, 30)}/event`],
    ["an own key with one letter encoded", `/intake/${intakeKey.slice(0, 40)}%41${intakeKey.slice(41)}/event`],
  ])("shows nothing of %s", (_, text) => {
    for (const piece of ["horse", "battery", "staple", secretOf(intakeKey).slice(0, 8), intakeKey.slice(-8)]) {
      expect(redact(text)).not.toContain(piece);
    }
    expect(redact(text)).toMatch(/\/intake\//i);
  });

  it.each([
    "/intake/auth",
    "/intake/session",
    "/intake/event",
    "/intake/event?x=1",
    "POST /intake/auth 200",
    '"/intake/auth"',
    "to /intake/auth, /intake/session and /intake/event. Then",
    "to /intake/event.",
  ])("is unchanged if it contains no key: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("shows the id of the service's own keys, also if it is redacted twice", () => {
    const once = redact(`/intake/${intakeKey}/event`);
    expect(once).toBe(`/intake/mi_${intakeKey.split("_")[1]}_[redacted]/event`);
    expect(redact(once)).toBe(once);
  });
});

describe("a received body", () => {
  it("is kept without its secrets, including a key in an intake path", () => {
    const body = JSON.stringify({ access_token: "horse", url: "/intake/correct-battery/event", note: apiKey });
    expect(JSON.parse(redactBody(body))).toEqual({
      access_token: "[redacted]",
      url: "/intake/[redacted]/event",
      note: `mo_${keyId}_[redacted]`,
    });
  });

  it("is redacted in linear time, for any content", () => {
    for (const piece of ["/intake/", "/intake/mo_", "mo_a_", '"token"', "\\", "."]) {
      const text = piece.repeat((4 * 2 ** 20) / piece.length);
      const before = performance.now();
      redactBody(text);
      expect(performance.now() - before, piece).toBeLessThan(5000);
    }
  });
});
