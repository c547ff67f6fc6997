import { decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { pathOf, startTestService, type TestService } from "../test/harness.js";

const path = pathOf.createAccessToken;
const now = Date.parse("2026-04-01T03:00:00.500Z");

const service = await startTestService({ now: () => now, atEnd: afterAll });

/** The claims of a token, as jose reads them with the project's API key. */
async function claimsOf({ call, apiKey }: TestService, body?: object): Promise<JWTPayload> {
  const answer = await call(path, { body });
  expect(answer.status).toBe(200);
  const { access_token } = answer.body as { access_token: string };
  expect(Object.keys(answer.body as object)).toEqual(["access_token"]);
  const key = new TextEncoder().encode(apiKey);
  const options = { algorithms: ["HS256"], typ: "JWT", currentDate: new Date(now + 600_000) };
  return (await jwtVerify(access_token, key, options)).payload;
}

const errorsOf = ({ body }: { body: unknown }) => (body as { errors?: { pointer: string; detail: string }[] }).errors;

describe("the specification: create access token", () => {
  it("When jwt_id is given, it must be a UUID.", async () => {
    const jwt_id = "5F0C8A52-3F5E-1F0B-9D9A-3A4B8F7F2C11";
    expect((await claimsOf(service, { jwt_id })).jti).toBe(jwt_id);
    const refused = await service.call(path, { body: { jwt_id: "demo" } });
    expect(refused.status).toBe(400);
    expect(errorsOf(refused)).toEqual([{ pointer: "/jwt_id", detail: expect.stringContaining("UUID") }]);
  });

  it("When jwt_id is not given, the service generates a UUID and puts it in the jti claim of the JWT.", async () => {
    const [a, b] = [await claimsOf(service), await claimsOf(service, {})];
    expect(a.jti).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(a.jti).not.toBe(b.jti);
  });

  it("not_before and expiration_time are RFC 3339 strings, including a time-zone offset form.", async () => {
    const claims = await claimsOf(service, {
      not_before: "2026-04-01T12:00:00.000001+09:00",
      expiration_time: "2026-04-01t03:20:00.999999z",
    });
    expect(claims.nbf).toBe(Date.parse("2026-04-01T03:00:01Z") / 1000);
    expect(claims.exp).toBe(Date.parse("2026-04-01T03:20:00Z") / 1000);
  });

  it("numeric values are not accepted, nor are invalid date-times", async () => {
    const invalid = [1_775_035_815, "1775035815", "2026-04-01", "2026-04-01T03:00:00", "2026-04-01T03:00:00Z ", null];
    for (const time of [...invalid, "2026-04-01 03:00:00Z"]) {
      const refused = await service.call(path, { body: { not_before: time, expiration_time: time } });
      expect(refused.status).toBe(400);
      const detail = "Must be an RFC 3339 date-time such as 2026-04-01T03:10:00Z.";
      const pointers = ["/not_before", "/expiration_time"];
      expect(errorsOf(refused), String(time)).toEqual(pointers.map((pointer) => ({ pointer, detail })));
    }
  });

  it("creates a JWT for the project that owns the API key, signed with that key", async () => {
    const kid = service.apiKey.split("_")[1];
    expect(decodeProtectedHeader(await service.mint())).toEqual({ alg: "HS256", typ: "JWT", kid });
    expect(await claimsOf(service)).toEqual({ iat: Math.floor(now / 1000), jti: expect.any(String) });
  });

  it("All token parameters are optional, and all can be given.", async () => {
    const asked = {
      channel_id: "a@b 🎥@demo",
      role: "recvonly",
      max_channel_connections: 5000,
      not_before: "2026-04-01T03:00:01Z",
      expiration_time: "2026-04-01T04:00:00+00:00",
      jwt_id: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11",
    };
    const { not_before, expiration_time, jwt_id: jti, ...same } = asked;
    const [nbf, exp] = [not_before, expiration_time].map((time) => Date.parse(time) / 1000);
    expect(await claimsOf(service, asked)).toEqual({ iat: Math.floor(now / 1000), jti, nbf, exp, ...same });
    expect(await claimsOf(service, { max_channel_connections: 0 })).toMatchObject({ max_channel_connections: 0 });
  });
});

describe("a token request", () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };

  it.each([
    ["no body", {}],
    ["an empty body", { body: "" }],
    ["{}", { body: {} }],
    ["an empty form, as curl -d '' sends", { body: "", headers: form }],
  ])("of %s means no options", async (_, options) => {
    expect((await service.call(path, options)).status).toBe(200);
  });

  it.each([" ", "\r\n", "\ufeff"])("with a blank body creates no token: %j", async (body) => {
    const refused = await service.call(path, { body });
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringContaining("Send {} or no body") } });
  });

  it("that names another project's channel is refused, whatever precedes the last @", async () => {
    for (const channel_id of ["lobby@other", "lobby@demo@other", "lobby@Demo", "lobby@demo "]) {
      const refused = await service.call(path, { body: { channel_id } });
      expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining("<channel_name>@demo") } });
    }
    expect((await service.call(path, { body: { channel_id: "lobby@other@demo" } })).status).toBe(200);
  });

  it("with several faults is refused with all of them, each once", async () => {
    const body = { expiration_tme: "x", role: "admin", max_channel_connections: 5001, jwt_id: 1, channel_id: "lobby" };
    const refused = await service.call(path, { body });
    const unknown = "Is not a known field. Did you mean expiration_time?";
    const detail = `The request body has 5 faults, the first at /expiration_tme: ${unknown}`;
    expect(refused.body).toMatchObject({ detail });
    expect(errorsOf(refused)).toEqual([
      { pointer: "/expiration_tme", detail: unknown },
      { pointer: "/channel_id", detail: "Must be <channel_name>@<project_id>." },
      { pointer: "/role", detail: "Must be one of sendrecv, sendonly, recvonly." },
      { pointer: "/max_channel_connections", detail: "Must be a whole number from 0 to 5000." },
      { pointer: "/jwt_id", detail: expect.stringContaining("Must be a UUID") },
    ]);
  });

  it("leaves no trace except its entry in the API log", async () => {
    const { mint, service } = await startTestService();
    const token = await mint({ jwt_id: "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11" });
    await service.writer.flush();
    const rows = await service.storage.query.selectFrom("log_entry").select("entry").execute();
    expect(rows).toHaveLength(1);
    for (const secret of [token.slice(-20), "5f0c8a52"]) expect(JSON.stringify(rows)).not.toContain(secret);
  });
});
