import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyChannelId, roles } from "../test/claims.js";
import { type NewTokenClaims, type TokenRequest, TokenRequestError, TokenUsageError, toClaims } from "./index.js";

const now = Date.parse("2026-04-01T09:30:15.250Z");
const jti = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";

function claimsOf(request: TokenRequest): NewTokenClaims {
  return toClaims(request, { now, newJwtId: () => jti });
}

const members = ["channel_id", "role", "max_channel_connections", "not_before", "expiration_time", "jwt_id"];

/** The faults of a request that may be of any type, as in JavaScript and JSON. */
function faultsOf(request: unknown): readonly { pointer: string; detail: string }[] {
  try {
    Reflect.apply(toClaims, undefined, [request, { now }]);
    return [];
  } catch (error) {
    if (error instanceof TokenRequestError) return error.faults;
    throw error;
  }
}

describe("toClaims", () => {
  it("creates a token without limits for a request without members, or with undefined ones", () => {
    expect(claimsOf({})).toStrictEqual({ iat: 1775035815, jti });
    expect(claimsOf(Object.fromEntries(members.map((name) => [name, undefined])))).toStrictEqual({
      iat: 1775035815,
      jti,
    });
  });

  it("converts every member of a request into claims", () => {
    const jwt_id = "0199A3C2-6f0e-7c61-b9a6-0c2f6f0a9d11";
    const request: TokenRequest = {
      channel_id: "ann@home@demo",
      role: "sendrecv",
      max_channel_connections: 2,
      not_before: "2026-04-01T12:00:00+09:00",
      expiration_time: "2026-04-01T03:10:00.250Z",
      jwt_id,
    };
    expect(claimsOf(request)).toStrictEqual({
      iat: 1775035815,
      jti: jwt_id,
      nbf: Date.parse("2026-04-01T03:00:00Z") / 1000,
      exp: Date.parse("2026-04-01T03:10:00Z") / 1000,
      channel_id: "ann@home@demo",
      role: "sendrecv",
      max_channel_connections: 2,
    });
  });

  it("accepts an expiration_time in the past", () => {
    expect(claimsOf({ expiration_time: "1970-01-01T00:00:00Z" }).exp).toBe(0);
  });

  it.each([
    { at: "2026-04-01T09:30:15Z", nbf: 1775035815, exp: 1775035815 },
    { at: "2026-04-01T09:30:15.000000001Z", nbf: 1775035816, exp: 1775035815 },
    { at: "2026-04-01T09:30:15.999Z", nbf: 1775035816, exp: 1775035815 },
    { at: "2016-12-31T23:59:59.5Z", nbf: 1483228800, exp: 1483228799 },
    { at: "2016-12-31T23:59:60Z", nbf: 1483228800, exp: 1483228800 },
    { at: "2016-12-31T23:59:60.5Z", nbf: 1483228801, exp: 1483228800 },
    { at: "2017-01-01T00:00:00.5Z", nbf: 1483228801, exp: 1483228800 },
  ])("rounds $at up for the start and down for the end", ({ at, nbf, exp }) => {
    expect(claimsOf({ not_before: at }).nbf).toBe(nbf);
    expect(claimsOf({ expiration_time: at }).exp).toBe(exp);
  });

  it("never creates a token that is valid outside of the requested period, for any time, offset and fraction", () => {
    const secondsOfDay = fc.integer({ min: 0, max: 86_399 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_932_000 }),
        secondsOfDay,
        fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 30 }),
        fc.integer({ min: -1439, max: 1439 }),
        (day, second, fraction, offset) => {
          const local = new Date((day * 86_400 + second) * 1000).toISOString().slice(0, 19);
          const size = Math.abs(offset);
          const twoDigits = (number: number): string => String(number).padStart(2, "0");
          const zone = `${offset < 0 ? "-" : "+"}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
          const at = `${local}.${fraction}${zone}`;

          // In units of 10^-30 s, most of which a double would lose.
          const unit = 10n ** 30n;
          const whole = BigInt(day) * 86_400n + BigInt(second) - BigInt(offset) * 60n;
          const exact = whole * unit + BigInt(fraction.padEnd(30, "0"));
          const nbf = BigInt(claimsOf({ not_before: at }).nbf ?? Number.NaN) * unit;
          const exp = BigInt(claimsOf({ expiration_time: at }).exp ?? Number.NaN) * unit;
          expect(nbf >= exact && nbf - exact < unit).toBe(true);
          expect(exp <= exact && exact - exp < unit).toBe(true);
        },
      ),
    );
  });

  it("rounds the current time down for iat", () => {
    expect(toClaims({}, { now: 1999 }).iat).toBe(1);
    expect(toClaims({}, { now: 2000 }).iat).toBe(2);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses a current time that is %s", (now) => {
    expect(() => toClaims({}, { now })).toThrow(TokenUsageError);
  });
});

describe("according to the specification", () => {
  it("when jwt_id is not given, a UUID is generated and put in the jti claim", () => {
    const [first, second] = [toClaims({}, { now }), toClaims({}, { now })];
    expect(first.jti).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(second.jti).not.toBe(first.jti);
  });

  it("the channel name is any string", () => {
    fc.assert(fc.property(anyChannelId, (channel_id) => claimsOf({ channel_id }).channel_id === channel_id));
  });

  it("role is sendrecv, sendonly or recvonly, and max_channel_connections is 0 to 5000", () => {
    for (const role of roles) expect(claimsOf({ role }).role).toBe(role);
    for (const most of [0, 1, 5000]) {
      expect(claimsOf({ max_channel_connections: most }).max_channel_connections).toBe(most);
    }
  });
});

const notOne = (wanted: string, given: string): string => `Must be ${wanted}; ${given} is not one.`;
const channelId = "<channel_name>@<project_id>, such as lobby@demo";
const role = "one of sendrecv, sendonly, recvonly";
const whole = "a whole number from 0 to 5000";
const dateTime = "an RFC 3339 date-time with Z or an offset, such as 2026-04-01T03:10:00Z";
const uuid = "a UUID, such as 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";
const object = 'a JSON object, such as {"role":"recvonly"}';
const beyond = (rounded: string): string =>
  `Must lie in the years 1970 to 9999 in UTC, rounded ${rounded} to the second.`;
const unknown = `Is not known. Known are: ${members.join(", ")}.`;

describe("toClaims refuses, and shows the expected value:", () => {
  it.each([
    ["channel_id", "lobby", notOne(channelId, "this string")],
    ["channel_id", "lobby@", notOne(channelId, "this string")],
    ["channel_id", 7, notOne(channelId, "this number")],
    ["channel_id", ["lobby@demo"], notOne(channelId, "an array")],
    ["channel_id", `${"é".repeat(126)}@demo`, "Must have at most 255 bytes in UTF-8, but has 257."],
    ["channel_id", "\ud83c@demo", "Must be well-formed Unicode; this string has half of a surrogate pair."],
    ["role", "admin", notOne(role, "this string")],
    ["role", "SENDRECV", notOne(role, "this string")],
    ["role", null, notOne(role, "null")],
    ["max_channel_connections", "5", notOne(whole, "this string")],
    ["max_channel_connections", 1.5, notOne(whole, "this number")],
    ["max_channel_connections", Number.NaN, notOne(whole, "this number")],
    ["max_channel_connections", -1, notOne(whole, "this number")],
    ["max_channel_connections", 5001, notOne(whole, "this number")],
    ["not_before", 1775035815, notOne(dateTime, "this number")],
    ["not_before", new Date(0), notOne(dateTime, "this object")],
    ["expiration_time", "2026-04-01", notOne(dateTime, "this string")],
    ["expiration_time", null, notOne(dateTime, "null")],
    ["not_before", "1969-12-31T23:59:59Z", beyond("up")],
    ["not_before", "9999-12-31T23:59:59.1Z", beyond("up")],
    ["expiration_time", "1970-01-01T00:00:00+00:01", beyond("down")],
    ["expiration_time", "9999-12-31T23:59:60Z", beyond("down")],
    ["jwt_id", "visitor-7", notOne(uuid, "this string")],
    ["jwt_id", 7, notOne(uuid, "this number")],
    ["expiration_tme", "2026-04-01T03:10:00Z", unknown],
    ["exp", undefined, unknown],
    ["constructor", 1, unknown],
  ])("the member %s with %j", (member, value, detail) => {
    expect(faultsOf({ [member]: value })).toEqual([{ pointer: `/${member}`, detail }]);
  });

  it.each([
    [JSON.parse('{"__proto__":{"role":"recvonly"}}'), "/__proto__", unknown],
    [{ "a/b~c": 1 }, "/a~1b~0c", unknown],
    [null, "", notOne(object, "null")],
    [undefined, "", notOne(object, "this undefined")],
    ["recvonly", "", notOne(object, "this string")],
    [[], "", notOne(object, "an array")],
    [new Map([["expiration_time", "2026-04-01T03:10:00Z"]]), "", notOne(object, "this object")],
  ])("%j", (request, pointer, detail) => {
    expect(faultsOf(request)).toEqual([{ pointer, detail }]);
  });

  const order = "Must be at least a second after not_before, which is rounded up to the second, and this down.";
  it.each([
    ["an end before the start", "2026-04-01T12:00:00Z", "2026-04-01T11:00:00Z"],
    ["an end at the start", "2026-04-01T12:00:00Z", "2026-04-01T14:00:00+02:00"],
    ["an end in the same second", "2026-04-01T12:00:00.1Z", "2026-04-01T12:00:00.9Z"],
    ["an end so close that no whole second remains", "2026-04-01T12:00:00.1Z", "2026-04-01T12:00:01.9Z"],
    ["a leap second up to the midnight after it, of the same number", "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"],
  ])("%s", (_, not_before, expiration_time) => {
    expect(faultsOf({ not_before, expiration_time })).toEqual([{ pointer: "/expiration_time", detail: order }]);
  });

  it("but accepts an end one second after the start", () => {
    expect(claimsOf({ not_before: "2026-04-01T12:00:00.1Z", expiration_time: "2026-04-01T12:00:02Z" })).toMatchObject({
      nbf: Date.parse("2026-04-01T12:00:01Z") / 1000,
      exp: Date.parse("2026-04-01T12:00:02Z") / 1000,
    });
  });

  it("all faults together, each once", () => {
    const request = Object.fromEntries([...members, "lifetime"].map((name) => [name, "wrong"]));
    expect(faultsOf(request).map(({ pointer }) => pointer)).toEqual(Object.keys(request).map((name) => `/${name}`));
  });

  it("a fault in addition to an end before the start", () => {
    const times = { not_before: "2026-04-01T12:00:00Z", expiration_time: "2026-04-01T11:00:00Z" };
    expect(faultsOf({ ...times, role: "admin" }).map(({ pointer }) => pointer)).toEqual(["/role", "/expiration_time"]);
  });

  it("but reads a getter only once, so that its value cannot change", () => {
    let asked = 0;
    const request = {
      get expiration_time() {
        return asked++ === 0 ? "2026-04-01T03:10:00Z" : "never";
      },
    };
    expect(claimsOf(request).exp).toBe(Date.parse("2026-04-01T03:10:00Z") / 1000);
    expect(asked).toBe(1);
  });
});

describe("toClaims never throws an unexpected error for", () => {
  it("any JSON: it returns claims or lists the faults", () => {
    fc.assert(fc.property(fc.jsonValue(), (json) => void faultsOf(json)));
  });

  it("any value in any member", () => {
    const anyMember = fc.oneof(fc.constantFrom(...members), fc.string());
    fc.assert(fc.property(fc.dictionary(anyMember, fc.anything()), (request) => void faultsOf(request)));
  });

  it("an object of another realm or without a prototype", () => {
    expect(faultsOf(Object.assign(Object.create(null), { role: "recvonly" }))).toEqual([]);
  });
});
