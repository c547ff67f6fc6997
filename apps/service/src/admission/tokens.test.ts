import { apiKeyToTokenKey, signToken, type TokenClaims, textToTokenKey } from "@media-ops/tokens";
import { afterAll, describe, expect, it } from "vitest";
import { newCredential } from "../keys/credential.js";
import { startTestIntake } from "../test/intake-harness.js";
import { authRequest, present, type TestAttempt } from "../test/media-events.js";

const seconds = present / 1000;
const keyIdOf = (apiKey: string): string => apiKey.split("_")[1] ?? "";
const secretOf = (apiKey: string): string => apiKey.split("_").slice(2).join("_");
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const sign = (apiKey: string, claims: TokenClaims = {}): Promise<string> => signToken(claims, apiKeyToTokenKey(apiKey));

const allowed = { allowed: true };
const test = await startTestIntake({ atEnd: afterAll });

describe("a client with a token", () => {
  it("is admitted with a token from the operation", async () => {
    const admissions = () => test.metric('media_admissions_total{outcome="allowed"}');
    const before = await admissions();
    expect(await test.ask({ token: await test.mint() })).toEqual(allowed);
    expect(await admissions()).toBe(before + 1);
  });

  it("is admitted with a token that was signed with the API key, without a call", async () => {
    expect(await test.ask({ token: await sign(test.apiKey) })).toEqual(allowed);
    const token = await sign(test.apiKey, { channel_id: "lobby@demo", role: "sendonly" });
    expect(await test.ask({ token, role: "sendonly" })).toEqual(allowed);
  });

  it("may send it in auth_metadata as well", async () => {
    const access_token = await test.mint();
    for (const metadata of [undefined, null, "text", [], {}, { access_token: null }]) {
      const { body } = await test.post("auth", { ...authRequest(), metadata, auth_metadata: { access_token } });
      expect(body, JSON.stringify(metadata)).toEqual(allowed);
    }
  });

  it("is admitted with every key of the project, also if the token names no key", async () => {
    const second = await test.createKey("demo");
    for (const key of [test.apiKey, second]) {
      expect(await test.ask({ token: await test.mint({}, { key }) })).toEqual(allowed);
      expect(await test.ask({ token: await signToken({}, textToTokenKey(key)) })).toEqual(allowed);
    }
  });

  it("is admitted at once if the project and its key are new", async () => {
    const token = await sign(await test.createKey("new"));
    expect(await test.ask({ token, channelId: "lobby@new" })).toEqual(allowed);
  });

  it("is admitted from the second at which the token becomes valid until the second at which it expires", async () => {
    let now = present;
    const { ask, mint } = await startTestIntake({ now: () => now });
    const token = await mint({
      not_before: new Date(present + 10_000).toISOString(),
      expiration_time: new Date(present + 20_000).toISOString(),
    });
    const isAllowed = async (at: number): Promise<boolean> => {
      now = present + at;
      return (await ask({ token })).allowed;
    };
    const found = [await isAllowed(9_999), await isAllowed(10_000), await isAllowed(19_999), await isAllowed(20_000)];
    expect(found).toEqual([false, true, true, false]);
  });

  it("is admitted to a channel with an @ in its name, which still belongs to its project", async () => {
    const token = await test.mint({ channel_id: "a@b@demo" });
    expect(await test.ask({ token, channelId: "a@b@demo" })).toEqual(allowed);
    expect(await test.ask({ token, channelId: "b@demo" })).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/another channel/),
    });
  });

  it("is refused with the token of another project, even if that names the channel", async () => {
    const token = await sign(await test.createKey("other"), { channel_id: "lobby@demo" });
    expect(await test.ask({ token })).toMatchObject({
      allowed: false,
      reason: expect.stringMatching(/another project's/),
    });
  });
});

describe("a client without a token", () => {
  it("is refused with a reason that names the field for the token", async () => {
    const before = await test.seats();
    const without = [undefined, { name: "ann" }, "access_token", ["access_token"], { access_token: null }];
    const body = { allowed: false, reason: expect.stringMatching(/metadata/) };
    for (const metadata of without) {
      const request = { ...authRequest(), ...(metadata !== undefined && { metadata }) };
      expect(await test.post("auth", request), JSON.stringify(metadata)).toMatchObject({ status: 200, body });
    }
    expect(await test.metric('media_admissions_total{outcome="no-token"}')).toBe(without.length);
    expect(await test.seats()).toEqual(before);
  });
});

/** The keys from which the bad tokens are made. */
type Keys = Record<"own" | "second" | "foreign", string>;

const unsigned = (header: object, signature: string): string =>
  `${base64url({ alg: "none", ...header })}.${base64url({ jti: "unsigned-x" })}.${signature}`;
const signAs = (kid: string, text: string): Promise<string> => signToken({}, textToTokenKey(text, { kid }));

type BadToken = readonly [what: string, reason: RegExp, make: (keys: Keys) => unknown, attempt?: Partial<TestAttempt>];

const badTokens: readonly BadToken[] = [
  ["a number", /JWT/, () => 8_675_309_123],
  ["an object", /JWT/, () => ({ value: "correct horse battery staple" })],
  ["an array", /JWT/, () => ["correct horse battery staple"]],
  ["true", /JWT/, () => true],
  ["an empty text", /<header>\.<payload>\.<signature>/, () => ""],
  ["garbage", /<header>\.<payload>\.<signature>/, () => "correct horse battery staple"],
  ["three parts of garbage", /header/, () => "garbagegarbage.garbagegarbage.garbagegarbage"],
  ["too long a text", /longer than 8192/, () => "correct-horse-battery-staple".repeat(300)],
  ["the API key itself", /<header>\.<payload>\.<signature>/, ({ own }) => own],
  ["no signature, by alg none", /<signature>/, () => unsigned({}, "")],
  ["alg none with a signature", /algorithm/, () => unsigned({}, "AAAAAAAA")],
  ["alg none that names the key", /algorithm/, ({ own }) => unsigned({ kid: keyIdOf(own) }, "AAAAAAAA")],
  ["another project's key", /another project's/, ({ foreign }) => sign(foreign)],
  ["an unknown key", /another project's/, () => sign(newCredential("mo").text)],
  ["another project's key under the name of ours", /signature/, ({ own, foreign }) => signAs(keyIdOf(own), foreign)],
  ["a key under the name of the project's other key", /signature/, ({ own, second }) => signAs(keyIdOf(second), own)],
  ["another project's key without a name", /signature/, ({ foreign }) => signToken({}, textToTokenKey(foreign))],
  ["the secret part of the key alone", /signature/, ({ own }) => signAs(keyIdOf(own), secretOf(own))],
  [
    "other claims than were signed",
    /signature/,
    async ({ own }) =>
      (await sign(own, { role: "recvonly" })).replace(/\.[^.]+\./, `.${base64url({ role: "sendrecv" })}.`),
  ],
  ["a token that has expired", /expired 1 s ago/, ({ own }) => sign(own, { exp: seconds - 1 })],
  ["a token that expires now", /expired/, ({ own }) => sign(own, { exp: seconds })],
  ["a token that is not valid yet", /not valid yet/, ({ own }) => sign(own, { nbf: seconds + 5 })],
  ["a token that was issued later than now", /iat is 1000 s ahead/, ({ own }) => sign(own, { iat: seconds + 1000 })],
  ["a token that was issued at no time", /iat is/, ({ own }) => sign(own, { iat: 1e300 })],
  ["another channel", /another channel/, ({ own }) => sign(own, { channel_id: "stage@demo" })],
  ["a channel that only begins the same", /another channel/, ({ own }) => sign(own, { channel_id: "lobby2@demo" })],
  ["another role", /role recvonly/, ({ own }) => sign(own, { role: "recvonly" })],
  ["a role that is to come", /role sendrecv/, ({ own }) => sign(own, { role: "sendrecv" }), { role: "a-role-to-come" }],
  ["no connection at all", /max_channel_connections is 0/, ({ own }) => sign(own, { max_channel_connections: 0 })],
];

it("refuses an invalid token with the rule it breaks, and reveals nothing of it", async () => {
  const before = await test.seats();
  const keys = { own: test.apiKey, second: await test.createKey("demo"), foreign: await test.createKey("other") };
  for (const [what, reason, make, attempt = {}] of badTokens) {
    const token = await make(keys);
    const { status, body, text } = await test.post("auth", authRequest({ token, reported: 0, ...attempt }));
    const refused = { allowed: false, reason: expect.stringMatching(reason) };
    expect({ status, body }, what).toEqual({ status: 200, body: refused });
    const written = typeof token === "string" ? token : JSON.stringify(token);
    const secrets = [...written.split("."), ...Object.values(keys).map(secretOf)].filter((part) => part.length > 8);
    for (const secret of secrets) {
      expect(text, what).not.toContain(secret);
      expect(test.logged(), what).not.toContain(secret);
    }
  }
  expect(await test.seats()).toEqual(before);
});
