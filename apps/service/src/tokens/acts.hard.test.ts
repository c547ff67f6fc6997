import {
  ed25519ToTokenKey,
  generateEd25519Jwk,
  jwksToTokenKeys,
  readUnverifiedToken,
  signToken,
  verifyToken,
} from "@media-ops/tokens";
import { expect, it } from "vitest";
import { openVault } from "../secrets/open-vault.js";
import { createSigningKey, retireSigningKey, revokeSigningKey } from "./signing-keys.js";
import { connect, idOf, startBoth } from "./test/acts.js";

it("a project that signs with EdDSA publishes its keys; its tokens are verified by them, and admitted, until the key is revoked", async () => {
  const { mint, check, media, service, config } = await startBoth();
  const { query } = service.storage;
  const old = await mint();
  const keyId = await createSigningKey(query, await openVault(config, query), "demo", Date.now());
  const jwks = async () => {
    const response = await fetch(`${service.url}/.well-known/jwks.json?project_id=demo`);
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    return (await response.json()) as { keys: { kid: string }[] };
  };
  await expect.poll(async () => (await jwks()).keys.map(({ kid }) => kid)).toEqual([keyId]);
  const token = await mint({ channel_id: "lobby@demo" });
  const { claims, key } = await verifyToken(token, await jwksToTokenKeys(await jwks()), { now: Date.now() });
  expect([claims.channel_id, key.alg, key.kid]).toEqual(["lobby@demo", "EdDSA", keyId]);
  for (const good of [token, old]) expect(await connect(media, good)).toMatchObject({ allowed: true });

  const forged = await signToken(claims, await ed25519ToTokenKey((await generateEd25519Jwk(keyId)).privateJwk));
  expect(await connect(media, forged)).toMatchObject({ allowed: false });

  await retireSigningKey(query, "demo", Date.now());
  await expect.poll(async () => readUnverifiedToken(await mint()).kid).not.toBe(keyId);
  expect(await connect(media, token)).toMatchObject({ allowed: true });

  await revokeSigningKey(query, keyId, Date.now());
  await expect.poll(async () => (await jwks()).keys).toEqual([]);
  await expect.poll(async () => (await check({ access_token: token })).reason).toBe("revoked-key");
  await expect.poll(() => connect(media, token)).toMatchObject({ allowed: false });
});

it("revoking a channel ends the earlier tokens for it, also those for every channel, and disconnects their clients on request", async () => {
  const { mint, revoke, list, media } = await startBoth();
  const [lobby, every] = [await mint({ channel_id: "lobby@demo" }), await mint()];
  const stage = await mint({ channel_id: "stage@demo" });
  for (const token of [lobby, every]) await connect(media, token);
  await connect(media, stage, "stage@demo");
  await expect.poll(() => Date.now() / 1000 - (readUnverifiedToken(stage).claims.iat ?? 0)).toBeGreaterThan(1);
  const { body } = await revoke({ channel_id: "lobby@demo", disconnect: true });
  expect(body).toMatchObject({ tokens: 1, disconnected: 2, not_disconnected: 0 });
  await media.settle();
  expect(media.connections).toBe(1);
  for (const token of [lobby, every]) expect(await connect(media, token)).toMatchObject({ allowed: false });
  expect(await connect(media, every, "stage@demo")).toMatchObject({ allowed: true });
  expect((await list()).tokens.map(({ jwt_id }) => jwt_id).sort()).toEqual([idOf(every), idOf(stage)].sort());
  // Tokens have whole seconds.
  await expect
    .poll(async () => connect(media, await mint({ channel_id: "lobby@demo" })))
    .toMatchObject({ allowed: true });
});

it("a revoked token has its clients disconnected on request, and no other clients", async () => {
  const { mint, revoke, media } = await startBoth();
  const [bad, good] = [await mint({ channel_id: "lobby@demo" }), await mint()];
  for (const token of [bad, bad, bad, good]) await connect(media, token);
  expect(media.connections).toBe(4);
  const { body } = await revoke({ jwt_id: idOf(bad), disconnect: true });
  expect(body).toMatchObject({ disconnected: 3, not_disconnected: 0 });
  await media.settle();
  expect(media.connections).toBe(1);
});
