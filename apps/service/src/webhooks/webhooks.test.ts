import { createVault } from "@media-ops/secrets";
import { databaseUrl } from "@media-ops/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProject } from "../projects/projects.js";
import { openStorage } from "../storage/open-storage.js";
import { purposeOf, removeWebhook, rotateSecret, setWebhook, switchOff, type Webhook, webhooksOf } from "./webhooks.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const now = Date.parse("2026-04-01T09:30:15.250Z");
const url = "https://example.com/hooks";

async function open() {
  const storage = await openStorage(await databaseUrl({ memory: true }));
  onTestFinished(() => storage.close());
  const { query } = storage;
  for (const projectId of ["demo", "other"]) await createProject(query, projectId, now);
  const vault = createVault(new Uint8Array(32).fill(7));
  const set = (over: Partial<Pick<Webhook, "projectId" | "kind" | "url"> & { now: number }> = {}) =>
    setWebhook(query, vault, { projectId: "demo", kind: "event", url, now, ...over });
  const find = async (projectId = "demo"): Promise<Webhook> => {
    const [webhook] = await webhooksOf(query, [projectId]);
    if (!webhook) throw new Error("There is no webhook.");
    return webhook;
  };
  const openSecret = (sealed: string | null) => vault.open(sealed ?? "", purposeOf("demo", "event"));
  const version = async (): Promise<number> =>
    (await query.selectFrom("project").select("version").where("project_id", "=", "demo").executeTakeFirstOrThrow())
      .version;
  return { query, vault, set, find, openSecret, version };
}

describe("an address", () => {
  it("gets a secret when it is first set, and the secret is shown only once", async () => {
    const { set, find, openSecret } = await open();
    const secret = await set();
    expect(secret).toMatch(/^whsec_/);
    expect(await set({ url: "https://example.com/others", now: now + 1000 })).toBeUndefined();
    const webhook = await find();
    expect(webhook).toEqual({
      projectId: "demo",
      kind: "event",
      url: "https://example.com/others",
      secret: webhook.secret,
      oldSecret: null,
      oldSecretUntil: null,
      setAt: "2026-04-01T09:30:16.250Z",
      offAt: null,
      offReason: null,
      failingSince: null,
    });
    expect(await openSecret(webhook.secret)).toBe(secret);
  });

  it("is one for each kind of each project, each with a separate secret", async () => {
    const { query, set } = await open();
    const secrets = [
      await set(),
      await set({ kind: "auth" }),
      await set({ kind: "session" }),
      await set({ projectId: "other" }),
    ];
    expect(new Set(secrets).size).toBe(4);
    const found = await webhooksOf(query, ["demo", "other"]);
    expect(found.map(({ projectId, kind }) => `${projectId} ${kind}`)).toEqual([
      "demo auth",
      "demo event",
      "demo session",
      "other event",
    ]);
    expect(await webhooksOf(query, ["nobody"])).toEqual([]);
  });

  it("can't be set for a project that does not exist", async () => {
    const { set } = await open();
    await expect(set({ projectId: "nobody" })).rejects.toThrow();
  });

  it("is deleted with its secret when it is removed", async () => {
    const { query, set } = await open();
    const secret = await set();
    expect(await removeWebhook(query, "demo", "event")).toBe(true);
    expect(await removeWebhook(query, "demo", "event")).toBe(false);
    expect(await webhooksOf(query, ["demo"])).toEqual([]);
    const another = await set();
    expect(another).toMatch(/^whsec_/);
    expect(another).not.toBe(secret);
  });
});

describe("a rotation", () => {
  it("creates a new secret, and keeps the previous one for a day", async () => {
    const { query, vault, set, find, openSecret } = await open();
    const secrets = [await set()];
    for (const at of [now, now + 1000]) {
      const rotated = await rotateSecret(query, vault, { projectId: "demo", kind: "event", now: at });
      expect(rotated?.oldSecretUntil).toBe(at + DAY_MS);
      secrets.push(rotated?.secret);
      const webhook = await find();
      expect(webhook).toMatchObject({ url, oldSecretUntil: at + DAY_MS });
      expect(await openSecret(webhook.secret)).toBe(secrets.at(-1));
      expect(await openSecret(webhook.oldSecret)).toBe(secrets.at(-2));
    }
    expect(new Set(secrets).size).toBe(3);
  });

  it("returns undefined if the project has no address", async () => {
    const { query, vault } = await open();
    expect(await rotateSecret(query, vault, { projectId: "demo", kind: "event", now })).toBeUndefined();
  });
});

describe("an address that is switched off", () => {
  it("shows when and why, and is on again once it is set again, with the same secret", async () => {
    const { query, set, find } = await open();
    await set();
    const { secret } = await find();
    const off = { projectId: "demo", kind: "event", url, reason: "it is gone", now } as const;
    await switchOff(query, off);
    await switchOff(query, { ...off, reason: "another", now: now + 1000 });
    expect(await find()).toMatchObject({ offAt: "2026-04-01T09:30:15.250Z", offReason: "it is gone" });
    await set();
    expect(await find()).toMatchObject({ offAt: null, offReason: null, secret });
  });

  it("is never one that was changed meanwhile, nor of another kind or project", async () => {
    const { query, set, find } = await open();
    await set({ url: "https://example.com/new" });
    await set({ projectId: "other" });
    await switchOff(query, { projectId: "demo", kind: "event", url, reason: "it is gone", now });
    await switchOff(query, { projectId: "other", kind: "auth", url, reason: "it is gone", now });
    expect([await find(), await find("other")]).toMatchObject([{ offAt: null }, { offAt: null }]);
  });
});

it("every change updates the project's version, so that all processes read it again", async () => {
  const { query, vault, set, version } = await open();
  const changes = [
    () => set(),
    () => rotateSecret(query, vault, { projectId: "demo", kind: "event", now }),
    () => switchOff(query, { projectId: "demo", kind: "event", url, reason: "it is gone", now }),
    () => set(),
    () => removeWebhook(query, "demo", "event"),
  ];
  for (const change of changes) {
    const before = await version();
    await change();
    expect(await version()).toBeGreaterThan(before);
  }
});
