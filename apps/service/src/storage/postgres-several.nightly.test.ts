import { randomUUID } from "node:crypto";
import { postgresUrl } from "@media-ops/testing";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it } from "vitest";
import type { serve } from "../cli/test/command-line.js";
import { createApiKey, revokeApiKey } from "../keys/api-keys.js";
import { createIntakeKey, revokeIntakeKey } from "../keys/intake-keys.js";
import { openVault } from "../secrets/open-vault.js";
import { callWithin, pathOf, testConfig } from "../test/harness.js";
import { prepareProjects } from "../test/prepare-projects.js";
import { eventOf, type Receiver, startReceiver } from "../test/receiver.js";
import { type Supervised, supervise } from "../test/supervised.js";
import { setWebhook } from "../webhooks/webhooks.js";
import { openStorage, type Storage } from "./open-storage.js";

// Each test starts processes, which takes time on a busy machine.
const TIMEOUT_MS = 120_000;

type Served = Pick<Awaited<ReturnType<typeof serve>>, "url" | "internalUrl">;

const newEnv = (url: string) => ({
  MEDIA_DATABASE_URL: url,
  MEDIA_MASTER_KEY: "5".repeat(64),
  MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true",
  MEDIA_MAX_LAG_MS: "0",
});

const send = (service: Served, intakeKey: string, event: object) =>
  callWithin(service.internalUrl, "/intake/event", { key: intakeKey, body: event });

describe("two services on one PostgreSQL", () => {
  let env: ReturnType<typeof newEnv>;
  let services: readonly Supervised[];
  let storage: Storage;
  let before: Receiver;
  let keys: Awaited<ReturnType<typeof prepareProjects>>;

  const atEnd = closeAfterAll();
  beforeAll(async () => {
    env = newEnv(await postgresUrl({ atEnd }));
    before = await startReceiver(undefined, { atEnd });
    keys = await prepareProjects(env, ["demo"], before.url);
    storage = await openStorage(env.MEDIA_DATABASE_URL);
    atEnd(() => storage.close());
    services = await Promise.all([supervise(env, { atEnd }), supervise(env, { atEnd })]);
    await Promise.all(services.map((service) => service.ready()));
  }, TIMEOUT_MS);

  it(
    "both notice new and revoked keys, and a project's changed address, within seconds",
    async () => {
      const after = await startReceiver();
      const { query } = storage;
      const vault = await openVault(testConfig(env), query);
      const [apiKey, intakeKey] = [
        await createApiKey(query, vault, "demo", Date.now()),
        await createIntakeKey(query, "second", Date.now()),
      ];
      const mint = async (service: Served): Promise<number> =>
        (await callWithin(service.url, pathOf.createAccessToken, { key: apiKey.text })).status;
      const tell = async (service: Served, key = intakeKey.text): Promise<number> =>
        (await send(service, key, eventOf(randomUUID()))).status;
      const atBoth = (ask: (service: Served) => Promise<number>) => Promise.all(services.map(ask));
      // New keys are valid at once.
      expect(await atBoth(mint)).toEqual([200, 200]);
      expect(await atBoth((service) => tell(service))).toEqual([200, 200]);
      await expect.poll(() => before.received.length).toBe(2);

      await revokeApiKey(query, apiKey.keyId, Date.now());
      await revokeIntakeKey(query, intakeKey.keyId, Date.now());
      await setWebhook(query, vault, { projectId: "demo", kind: "event", url: after.url, now: Date.now() });
      await Promise.all([
        expect.poll(() => atBoth(mint)).toEqual([401, 401]),
        expect.poll(() => atBoth((service) => tell(service))).toEqual([401, 401]),
      ]);
      const [sentBefore, other] = [before.received.length, keys.intakeKey];
      expect(await atBoth((service) => tell(service, other))).toEqual([200, 200]);
      await expect.poll(() => after.received.length).toBeGreaterThan(1);
      expect(before.received).toHaveLength(sentBefore);
    },
    TIMEOUT_MS,
  );

  it("are still running", () => {
    expect(services.flatMap(({ ended }) => ended)).toEqual([]);
  });
});
