import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { closedPort, json, startServer } from "../../test/http-server.js";
import { createMediaClient, MediaConnectionError, MediaError, MediaNotFoundError, MediaUsageError } from "../index.js";
import { createTokenVerifier, TokenInvalidError, type TokenVerifierOptions } from "./index.js";

const start = Date.parse("2026-04-01T09:30:15.250Z");
const jti = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";

/** A key pair of a project, by which tokens are signed here. */
async function newKey(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair("EdDSA", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: "EdDSA", use: "sig" };
  const sign = (claims: object = {}) =>
    new SignJWT({ iat: Math.floor(start / 1000), jti, ...claims })
      .setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid })
      .sign(privateKey);
  return { kid, jwk, privateKey, sign };
}

const first = await newKey("first");
const second = await newKey("second");

/** A service that publishes keys and revocations, and fails on request; and a verifier of its tokens. */
async function setUp(options: Partial<TokenVerifierOptions> & { revocations?: boolean } = {}) {
  const service = {
    now: start,
    keys: [first.jwk] as object[],
    revocations: [] as object[],
    status: 200,
    revocationsStatus: 200,
    urls: [] as string[],
    headers: [] as object[],
  };
  const { baseUrl } = await startServer((response, request) => {
    const url = request.url ?? "";
    service.urls.push(url);
    service.headers.push(request.headers);
    const isKeys = url.startsWith("/.well-known/");
    const status = isKeys ? service.status : service.revocationsStatus;
    const body = isKeys ? { keys: service.keys } : { revocations: service.revocations };
    json(status === 200 ? body : { status, title: "x", detail: "as the test asks" }, status)(response, request);
  });
  const now = () => service.now;
  const client = createMediaClient({ baseUrl, apiKey: "mo_k1_secret", maxRetries: 0, now });
  const { revocations = false, ...others } = options;
  const verifier = createTokenVerifier({ baseUrl, projectId: "demo", now, ...(revocations && { client }), ...others });
  const callsOf = (path: string) => service.urls.filter((url) => url.startsWith(path)).length;
  return {
    service,
    verifier,
    keyCalls: () => callsOf("/.well-known/jwks.json"),
    revocationCalls: () => callsOf("/projects/list-access-token-revocations"),
  };
}

const MINUTE = 60_000;

/** The same with a good token. */
async function withToken(options: Parameters<typeof setUp>[0] = {}) {
  return { ...(await setUp(options)), token: await first.sign() };
}

describe("a token", () => {
  it("of a published key is good, and its claims are returned", async () => {
    const { verifier, service } = await setUp();
    const token = await first.sign({ channel_id: "a@b@demo", role: "recvonly" });
    const { claims, key, revocations } = await verifier.verify(token);
    expect(claims).toMatchObject({ channel_id: "a@b@demo", role: "recvonly", jti });
    expect(key.kid).toBe("first");
    expect(revocations).toBeUndefined();
    expect(service.urls).toEqual(["/.well-known/jwks.json?project_id=demo"]);
    expect(service.headers[0]).not.toHaveProperty("authorization");
  });

  it("has its project's keys alone, whatever the project's id", async () => {
    const { verifier, service } = await setUp({ projectId: "a&project_id=b" });
    await verifier.verify(await first.sign());
    expect(new URL(service.urls[0] ?? "", "http://media.test").searchParams.getAll("project_id")).toEqual([
      "a&project_id=b",
    ]);
  });

  it.each([
    ["for another project's channel", () => first.sign({ channel_id: "lobby@other" }), "malformed"],
    ["for a channel of no project", () => first.sign({ channel_id: "demo" }), "malformed"],
    ["that has expired", () => first.sign({ exp: start / 1000 - 1 }), "expired"],
    ["that is not valid yet", () => first.sign({ nbf: start / 1000 + 9 }), "not-yet-valid"],
    ["of an unknown key", () => second.sign(), "unknown-key"],
    ["of another key with a known name", async () => (await newKey("first")).sign(), "bad-signature"],
    ["that is cut off", async () => (await first.sign()).slice(0, 90), "malformed"],
    [
      "that was signed with HS256, by the public key",
      () =>
        new SignJWT({ jti })
          .setProtectedHeader({ alg: "HS256", kid: "first" })
          .sign(new TextEncoder().encode(JSON.stringify(first.jwk))),
      "unknown-key",
    ],
  ])("%s is refused", async (_, token, code) => {
    const { verifier } = await setUp();
    const error = await verifier.verify(await token()).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TokenInvalidError);
    expect(error).toMatchObject({ code });
  });

  it("that can't be read costs no call", async () => {
    const { verifier, service } = await setUp({ revocations: true });
    await expect(verifier.verify("abc")).rejects.toMatchObject({ code: "malformed" });
    expect(service.urls).toEqual([]);
  });

  it("may be a bit early or late if the clocks may differ", async () => {
    const { verifier } = await setUp({ clockToleranceSeconds: 5 });
    await expect(verifier.verify(await first.sign({ exp: start / 1000 - 1 }))).resolves.toBeDefined();
  });
});

describe("the keys", () => {
  it("are read once for calls at the same time, and again after a minute", async () => {
    const { verifier, service, keyCalls, token } = await withToken();
    await Promise.all([verifier.verify(token), verifier.verify(token), verifier.verify(token)]);
    service.now += MINUTE - 1;
    await verifier.verify(token);
    expect(keyCalls()).toBe(1);
    service.now += 1;
    await Promise.all([verifier.verify(token), verifier.verify(token)]);
    expect(keyCalls()).toBe(2);
  });

  it("are read again for a key that is not known, at most every 30 seconds", async () => {
    const { verifier, service, keyCalls } = await setUp();
    await verifier.verify(await first.sign());
    service.keys.push(second.jwk);
    const token = await second.sign();
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: "unknown-key" });
    service.now += 30_000;
    await expect(Promise.all([verifier.verify(token), verifier.verify(token)])).resolves.toHaveLength(2);
    expect(keyCalls()).toBe(2);
    const forged = await (await newKey("forged")).sign();
    for (let count = 0; count < 5; count++) {
      service.now += 10_000;
      await expect(verifier.verify(forged)).rejects.toMatchObject({ code: "unknown-key" });
    }
    expect(keyCalls()).toBe(3);
  });

  it("that are no longer published stop verifying after a minute", async () => {
    const { verifier, service, token } = await withToken();
    await verifier.verify(token);
    service.keys = [second.jwk];
    service.now += MINUTE;
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: "unknown-key" });
  });

  it("are not kept for longer by a clock that is set back", async () => {
    const { verifier, service, keyCalls, revocationCalls } = await setUp({ revocations: true });
    const token = await first.sign({ iat: 0 });
    await verifier.verify(token);
    service.now -= 60 * MINUTE;
    await verifier.verify(token);
    expect([keyCalls(), revocationCalls()]).toEqual([2, 2]);
  });

  it("that are known outlast an outage of the service, which costs a call every 30 seconds", async () => {
    const { verifier, service, keyCalls, token } = await withToken();
    await verifier.verify(token);
    service.status = 503;
    service.now += 60 * MINUTE;
    for (const _ of [1, 2, 3]) await expect(verifier.verify(token)).resolves.toBeDefined();
    expect(keyCalls()).toBe(2);
    service.now += 30_000;
    await verifier.verify(token);
    expect(keyCalls()).toBe(3);
    // A key that is not known may be a new one: nothing can be said of its tokens.
    await expect(verifier.verify(await second.sign())).rejects.toMatchObject({ code: "ServiceUnavailable" });
    service.status = 200;
    service.keys.push(second.jwk);
    service.now += 30_000;
    await expect(verifier.verify(await second.sign())).resolves.toBeDefined();
  });

  it("are tried again for each token while there are none", async () => {
    const { verifier, service } = await setUp();
    service.status = 503;
    const token = await first.sign();
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: "ServiceUnavailable" });
    service.status = 200;
    await expect(verifier.verify(token)).resolves.toBeDefined();
  });

  it.each([
    ["a service that is not there", closedPort, MediaConnectionError],
    ["a service that has none", async () => (await startServer(json({}, 404))).baseUrl, MediaNotFoundError],
    ["another server", async () => (await startServer(json({ hello: "world" }))).baseUrl, MediaError],
  ])("of %s are an error that says so", async (_, url, type) => {
    const baseUrl = await url();
    const error = await createTokenVerifier({ baseUrl, projectId: "demo" })
      .verify(await first.sign())
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(type);
    expect(String(error)).toContain(`GET ${baseUrl}/.well-known/jwks.json?project_id=demo`);
  });

  it("are not trusted if a private one was published, also if they were known before", async () => {
    const { verifier, service, token } = await withToken();
    await verifier.verify(token);
    service.keys = [{ ...first.jwk, ...(await exportJWK(first.privateKey)) }];
    service.now += MINUTE;
    for (const _ of [1, 2]) await expect(verifier.verify(token)).rejects.toThrow("Replace the key");
  });

  it("are fetched by the given fetch", async () => {
    const fetch = async () => Response.json({ keys: [first.jwk] });
    const verifier = createTokenVerifier({ baseUrl: "http://media.test", projectId: "demo", fetch, now: () => start });
    await expect(verifier.verify(await first.sign())).resolves.toBeDefined();
  });
});

describe("the revocations", () => {
  it("refuse a token by its id, and the earlier ones of a channel", async () => {
    const { verifier, service } = await setUp({ revocations: true });
    const [one, lobby, hall] = await Promise.all([
      first.sign(),
      first.sign({ jti: "other", channel_id: "lobby@demo" }),
      first.sign({ jti: "other", channel_id: "hall@demo" }),
    ]);
    const revoked_at = "2026-04-01T09:30:16Z";
    service.revocations = [
      { jwt_id: jti, revoked_at },
      { channel_id: "lobby@demo", issued_before: "2026-04-01T09:30:16Z", revoked_at },
    ];
    for (const token of [one, lobby]) await expect(verifier.verify(token)).rejects.toMatchObject({ code: "revoked" });
    const { revocations } = await verifier.verify(hall);
    expect(revocations?.find({ jti: "any", iat: 0 }, "lobby@demo")).toMatchObject({ channel_id: "lobby@demo" });
  });

  it("are read again after 10 seconds, and once for calls at the same time", async () => {
    const { verifier, service, revocationCalls, token } = await withToken({ revocations: true });
    await Promise.all([verifier.verify(token), verifier.verify(token)]);
    service.revocations = [{ jwt_id: jti, revoked_at: "2026-04-01T09:30:16Z" }];
    service.now += 9_999;
    await expect(verifier.verify(token)).resolves.toBeDefined();
    expect(revocationCalls()).toBe(1);
    service.now += 1;
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: "revoked" });
    expect(revocationCalls()).toBe(2);
  });

  it("can be read for each token", async () => {
    const { verifier, revocationCalls, token } = await withToken({ revocations: true, revocationsEveryMs: 0 });
    for (const _ of [1, 2]) await verifier.verify(token);
    expect(revocationCalls()).toBe(2);
  });

  it("that can't be read are an error, never an all-clear, also if some are known", async () => {
    const { verifier, service, token } = await withToken({ revocations: true });
    service.revocationsStatus = 503;
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: "ServiceUnavailable" });
    service.revocationsStatus = 200;
    await expect(verifier.verify(token)).resolves.toBeDefined();
    service.revocationsStatus = 503;
    service.now += 10_000;
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: "ServiceUnavailable" });
  });

  it.each([
    { revoked_at: "2026-04-01T09:30:16Z" },
    { revoked_at: "2026-04-01T09:30:16Z", channel_id: "lobby@demo" },
    { revoked_at: "2026-04-01T09:30:16Z", channel_id: "lobby@demo", issued_before: "soon" },
  ])("are an error if one can't be understood: %j", async (revocation) => {
    const { verifier, service } = await setUp({ revocations: true });
    service.revocations = [revocation];
    await expect(verifier.verify(await first.sign())).rejects.not.toBeInstanceOf(TokenInvalidError);
  });

  it("are of the verifier's project", async () => {
    const bodies: unknown[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      bodies.push(JSON.parse(String(init?.body)));
      return Response.json({ revocations: [] });
    };
    const client = createMediaClient({ baseUrl: "http://media.test", apiKey: "mo_k1_secret", fetch });
    const { verifier } = await setUp({ client });
    await verifier.verify(await first.sign());
    expect(bodies).toEqual([{ project_id: "demo", limit: 1000 }]);
  });
});

describe("wrong options are refused at once:", () => {
  // Untyped, as in a JavaScript program.
  const make = (options: object) => () =>
    createTokenVerifier({ baseUrl: "http://media.test", projectId: "demo", ...options });

  it.each([
    [{ baseUrl: "media.test" }, "baseUrl must be like https://media.example"],
    [{ projectId: "" }, 'projectId must be the id of a project, such as "demo".'],
    [{ projectId: undefined }, 'projectId must be the id of a project, such as "demo".'],
    [{ revocationsEveryMs: -1 }, "revocationsEveryMs must be 0 or more, not -1."],
    [{ revocationsEveryMs: Number.NaN }, "revocationsEveryMs must be 0 or more, not NaN."],
  ])("%j", (options, message) => {
    expect(make(options)).toThrow(MediaUsageError);
    expect(make(options)).toThrow(message);
  });
});
