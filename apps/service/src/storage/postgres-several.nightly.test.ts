import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { databaseUrl } from "@media-ops/testing";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { sql } from "kysely";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../cli/test/command-line.js";
import { createApiKey, revokeApiKey } from "../keys/api-keys.js";
import { createIntakeKey, revokeIntakeKey } from "../keys/intake-keys.js";
import { openVault } from "../secrets/open-vault.js";
import { callWithin, pathOf, temporaryFolder, testConfig } from "../test/harness.js";
import { authRequest, newId } from "../test/media-events.js";
import { prepareProjects } from "../test/prepare-projects.js";
import { oddClient } from "../test/raw-http.js";
import { eventOf, idsOf, type Receiver, startReceiver } from "../test/receiver.js";
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

/** Starts services in separate processes that share only a database. */
async function startServices(env: ReturnType<typeof newEnv>, count: number) {
  const cwd = await temporaryFolder();
  const ports = { PATH: process.env.PATH, MEDIA_PORT: "0", MEDIA_INTAKE_PORT: "0" };
  const services = await Promise.all(Array.from({ length: count }, () => serve({ cwd, env: { ...env, ...ports } })));
  const storage = await openStorage(env.MEDIA_DATABASE_URL);
  onTestFinished(() => storage.close());
  return { services, storage };
}

const send = (service: Served, intakeKey: string, event: object) =>
  callWithin(service.internalUrl, "/intake/event", { key: intakeKey, body: event });

const states = async ({ query }: Storage, projects: readonly string[]): Promise<string[]> => {
  const rows = await query.selectFrom("delivery").select("state").where("project_id", "in", projects).execute();
  return rows.map(({ state }) => state);
};

describe("two services on one PostgreSQL", () => {
  let env: ReturnType<typeof newEnv>;
  let services: readonly Supervised[];
  let storage: Storage;
  let before: Receiver;
  let keys: Awaited<ReturnType<typeof prepareProjects>>;
  const projects = Array.from({ length: 8 }, (_, nth) => `p${nth}`);

  const atEnd = closeAfterAll();
  beforeAll(async () => {
    env = newEnv(await databaseUrl({ atEnd }));
    before = await startReceiver(undefined, { atEnd });
    keys = await prepareProjects(env, ["demo", "halls", ...projects], before.url);
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

  it(
    "admit exactly 7 clients to each of 20 channels, when 1000 send requests to both at the same time",
    async () => {
      const [rounds, clients, channels, places] = [10, 100, 2, 7];
      const apiKey = keys.apiKeys.get("halls") ?? "";
      const token = await signToken({ max_channel_connections: places }, apiKeyToTokenKey(apiKey));
      const posts = services.map(({ internalUrl }) => oddClient(internalUrl));
      const headers = { "content-type": "application/json", authorization: `Bearer ${keys.intakeKey}` };
      const letIn: Record<string, string[]> = {};
      for (let round = 0; round < rounds; round++) {
        const asking = Array.from({ length: clients }, async (_, nth) => {
          const [channelId, connectionId] = [`hall-${round}-${nth % channels}@halls`, newId()];
          const body = Buffer.from(JSON.stringify(authRequest({ token, channelId, connectionId })));
          // Each channel's clients are split between the two services.
          const post = posts[Math.floor(nth / channels) % posts.length];
          const answer = await post?.({ method: "POST", path: "/intake/auth", headers, body });
          expect(answer?.status).toBe(200);
          if (JSON.parse(answer?.text ?? "").allowed) letIn[channelId] = [...(letIn[channelId] ?? []), connectionId];
        });
        await Promise.all(asking);
      }
      const counts = Object.values(letIn).map((inside) => inside.length);
      expect(counts).toEqual(Array.from({ length: rounds * channels }, () => places));
      const seats = await storage.query
        .selectFrom("seat")
        .select("connection_id")
        .where("project_id", "=", "halls")
        .execute();
      expect(seats.map(({ connection_id }) => connection_id).sort()).toEqual(Object.values(letIn).flat().sort());
    },
    TIMEOUT_MS,
  );

  it(
    "deliver each event once, whichever service received it, and both do some of the work",
    async () => {
      const sent = Array.from({ length: 400 }, (_, nth) => ({
        ...eventOf(`e${nth}`, { project: projects[nth % projects.length] ?? "", connection: `c${nth % 40}` }),
      }));
      let next = 0;
      const owners = new Set<string>();
      const work = Array.from({ length: 20 }, async (_, worker) => {
        for (let event = sent[next++]; event; event = sent[next++]) {
          const service = services[worker % services.length];
          if (service) expect(await send(service, keys.intakeKey, event)).toMatchObject({ status: 200 });
          const queues = await storage.query
            .selectFrom("delivery_queue")
            .select("owner")
            .where("project_id", "in", projects)
            .execute();
          for (const { owner } of queues) owners.add(owner);
        }
      });
      await Promise.all(work);
      await expect.poll(() => states(storage, projects)).toEqual(sent.map(() => "delivered"));
      const ids = new Set(sent.map(({ id }) => id));
      expect(
        idsOf(before)
          .filter((id) => ids.has(id))
          .sort(),
      ).toEqual([...ids].sort());
      expect(owners.size).toBe(2);
    },
    TIMEOUT_MS,
  );

  it("are still running", () => {
    expect(services.flatMap(({ ended }) => ended)).toEqual([]);
  });

  it(
    "continue each other's deliveries when one was killed, once its lease has expired",
    async () => {
      let isHanging = true;
      const receiver = await startReceiver(() => (isHanging ? "never" : {}));
      const own = newEnv(await databaseUrl());
      const { intakeKey } = await prepareProjects(own, ["demo"], receiver.url);
      const { services: pair, storage: shared } = await startServices(own, 2);
      const [one] = pair;
      const ids = Array.from({ length: 30 }, (_, nth) => `e${nth}`);
      for (const id of ids) if (one) await send(one, intakeKey, eventOf(id, { connection: id }));
      await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
      const underWay = idsOf(receiver);
      const exited = once(one?.child ?? process, "exit");
      one?.child.kill("SIGKILL");
      await exited;
      isHanging = false;
      // Simulates the end of its lease.
      await shared.query.updateTable("delivery_queue").set({ owned_until: 0 }).execute();
      await expect.poll(() => states(shared, ["demo"]), { timeout: 60_000 }).toEqual(ids.map(() => "delivered"));
      // Deliveries that were in flight arrive once more, and the rest once.
      expect([...idsOf(receiver)].sort()).toEqual([...ids, ...underWay].sort());
    },
    TIMEOUT_MS,
  );
});

it(
  "five services that start at once on an empty PostgreSQL all become ready, and none finds half-created tables",
  async () => {
    const { services, storage } = await startServices(newEnv(await databaseUrl()), 5);
    const ready = await Promise.all(
      services.map(async ({ internalUrl }) => (await fetch(`${internalUrl}/readyz`)).status),
    );
    expect(ready).toEqual(services.map(() => 200));
    const exits = services.map(({ child }) => once(child, "exit"));
    for (const { child } of services) child.kill("SIGTERM");
    expect(await Promise.all(exits)).toEqual(services.map(() => [0, null]));
    const faults = services.flatMap(({ lines }) => lines.filter((line) => /"level":"(warn|error|fatal)"/.test(line)));
    expect(faults).toEqual([]);
    const { rows } = await sql<{ count: number }>`select count(*) as count from service_migrations`.execute(
      storage.query,
    );
    expect(rows[0]?.count).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
