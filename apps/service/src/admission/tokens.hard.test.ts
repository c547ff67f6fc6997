import { apiKeyToTokenKey, signToken, type TokenClaims, textToTokenKey } from "@media-ops/tokens";
import { expect, it } from "vitest";
import { revokeApiKey } from "../keys/api-keys.js";
import { updateProject } from "../projects/projects.js";
import { startTestIntake } from "../test/intake-harness.js";
import { present } from "../test/media-events.js";

const keyIdOf = (apiKey: string): string => apiKey.split("_")[1] ?? "";
const sign = (apiKey: string, claims: TokenClaims = {}): Promise<string> => signToken(claims, apiKeyToTokenKey(apiKey));

const allowed = { allowed: true };

it("a client with a token is refused within seconds after the key that signed the token is revoked", async () => {
  const test = await startTestIntake();
  const second = await test.createKey("demo");
  const [token, nameless] = [await test.mint(), await signToken({}, textToTokenKey(test.apiKey))];
  expect(await test.ask({ token })).toEqual(allowed);
  await revokeApiKey(test.service.storage.query, keyIdOf(test.apiKey), present);
  const revoked = { allowed: false, reason: expect.stringMatching(/revoked/) };
  await expect.poll(() => test.ask({ token })).toEqual(revoked);
  expect(await test.ask({ token: nameless })).toMatchObject({
    allowed: false,
    reason: expect.stringMatching(/signature/),
  });
  expect(await test.ask({ token: await sign(second) })).toEqual(allowed);
});

it("a client without a token is admitted within seconds after the project allows it, and only in that project", async () => {
  const test = await startTestIntake();
  await test.createKey("other");
  const { query } = test.service.storage;
  expect((await test.ask({})).allowed).toBe(false);
  await updateProject(query, "demo", { allowAnonymous: true });
  await expect.poll(async () => (await test.ask({})).allowed).toBe(true);
  expect((await test.ask({ channelId: "lobby@other" })).allowed).toBe(false);
  // A token that is sent is checked in any case.
  expect(await test.ask({ token: "x" })).toMatchObject({ allowed: false, reason: expect.stringMatching(/token/) });
  await updateProject(query, "demo", { allowAnonymous: false });
  await expect.poll(async () => (await test.ask({})).allowed).toBe(false);
});
