import { createVault } from "@media-ops/secrets";
import { expect, it } from "vitest";
import { WebhookSecrets } from "./webhook-secrets.js";
import { purposeOf, type Webhook } from "./webhooks.js";

const now = Date.parse("2026-04-01T09:30:15.250Z");
const vault = createVault(new Uint8Array(32).fill(7));
const seal = (secret: string): Promise<string> => vault.seal(secret, purposeOf("demo", "event"));

async function webhookWith(over: Partial<Webhook> = {}): Promise<Webhook> {
  return {
    projectId: "demo",
    kind: "event",
    url: "https://example.com/hooks",
    secret: await seal("whsec_new"),
    oldSecret: null,
    oldSecretUntil: null,
    setAt: "",
    offAt: null,
    offReason: null,
    ...over,
  };
}

it("the newest secret signs first, and the one before it until its time has come", async () => {
  const secrets = new WebhookSecrets(vault);
  const webhook = await webhookWith({ oldSecret: await seal("whsec_old"), oldSecretUntil: now });
  expect(await secrets.of(webhook, now - 1)).toEqual(["whsec_new", "whsec_old"]);
  expect(await secrets.of(webhook, now)).toEqual(["whsec_new"]);
  expect(await secrets.of(await webhookWith(), now)).toEqual(["whsec_new"]);
});

it("a secret that has been replaced signs no more, though it was known", async () => {
  const secrets = new WebhookSecrets(vault);
  await secrets.of(await webhookWith(), now);
  expect(await secrets.of(await webhookWith({ secret: await seal("whsec_newer") }), now)).toEqual(["whsec_newer"]);
});

it("a secret that was sealed for another address signs nothing", async () => {
  const secrets = new WebhookSecrets(vault);
  await expect(secrets.of(await webhookWith({ projectId: "other" }), now)).rejects.toThrow("not sealed");
});
