import { validator } from "@media-ops/openapi/judge";
import { createVault } from "@media-ops/secrets";
import * as fc from "fast-check";
import { Webhook as Verifier } from "standardwebhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { startReceiver } from "../test/receiver.js";
import { isSuccess, WebhookSecrets, WebhookSender } from "./sender.js";
import { newWebhookSecret } from "./signature.js";
import { purposeOf, type Webhook } from "./webhooks.js";

const vault = createVault(new Uint8Array(32).fill(7));
const isEntry = validator("WebhookLogEntry");

const seal = (secret: string): Promise<string> => vault.seal(secret, purposeOf("demo", "event"));

const webhookWith = async (over: Partial<Webhook> = {}): Promise<Webhook> => ({
  ...{ projectId: "demo", kind: "event", url: "https://example.com/hooks", secret: await seal("whsec_new"), setAt: "" },
  ...{ oldSecret: null, oldSecretUntil: null, offAt: null, offReason: null, failingSince: null },
  ...over,
});

async function open() {
  const receiver = await startReceiver();
  const sender = new WebhookSender({ vault, allowPrivate: true });
  onTestFinished(() => sender.close());
  const secret = newWebhookSecret();
  const webhook = await webhookWith({ url: receiver.url, secret: await seal(secret) });
  const send = (over: { id?: string; type?: string; body?: string; url?: string; sealed?: string } = {}) => {
    const { type = "connection.created", body = '{"type":"connection.created"}', id = "e1" } = over;
    const { url = receiver.url, sealed = webhook.secret } = over;
    return sender.send({ webhook: { ...webhook, url, secret: sealed }, id, type, body, timeoutMs: 5000 });
  };
  return { receiver, secret, send };
}

it("sends the message unchanged, signed for the address", async () => {
  const { receiver, secret, send } = await open();
  const { receipt, entry } = await send();
  expect(receipt.status).toBe(200);
  const [webhook] = receiver.received;
  const verified = new Verifier(secret).verify(webhook?.bytes ?? "", webhook?.headers as Record<string, string>);
  expect(verified).toEqual({ type: "connection.created" });
  expect(webhook?.id).toBe("e1");
  expect(entry).toMatchObject({ projectId: "demo", kind: "webhooks" });
  expect(JSON.parse(entry.text)).toEqual({
    timestamp: entry.timestamp,
    type: "connection.created",
    url: receiver.url,
    status: 200,
    elapsed_time_ms: Math.round(receipt.elapsedMs),
  });
});

it("sends a hash for an id that is not allowed in a header", async () => {
  const { receiver, secret, send } = await open();
  for (const id of ["a✓", "a✓", "b\r\nx: y"]) await send({ id });
  const ids = receiver.received.map((webhook) => webhook.id);
  expect(ids).toEqual([ids[0], ids[0], expect.stringMatching(/^sha256-[0-9a-f]{64}$/)]);
  expect(new Set(ids).size).toBe(2);
  for (const { bytes, headers } of receiver.received) {
    new Verifier(secret).verify(bytes, headers as Record<string, string>);
  }
});

it("sends nothing that it cannot sign, and reports why", async () => {
  const { receiver, send } = await open();
  const { receipt, entry } = await send({ sealed: "of another master key" });
  expect(receipt).toMatchObject({ status: 0, fault: expect.stringContaining("signing secret cannot be decrypted") });
  expect(isEntry(JSON.parse(entry.text))).toBe(true);
  expect(receiver.received).toEqual([]);
});

describe("the entry of a try", () => {
  it("has status 0 if the receiver did not answer", async () => {
    const { receiver, send } = await open();
    await receiver.close();
    const { receipt, entry } = await send();
    expect(receipt).toMatchObject({ status: 0, fault: "the connection was refused" });
    expect(JSON.parse(entry.text)).toMatchObject({ status: 0, url: receiver.url });
  });

  it("contains no secret that is part of the address", async () => {
    const { receiver, send } = await open();
    const hook = await send({ url: `${receiver.url}/response/T0-CorrectHorse8battery` });
    expect(JSON.parse(hook.entry.text)).toMatchObject({ url: `${receiver.url}/response/[redacted]` });
    const key = `mo_4f1d_${"x".repeat(43)}`;
    const { receipt, entry } = await send({ url: `${receiver.url}?key=${key}` });
    expect(receipt.status).toBe(200);
    expect(entry.text).toContain("mo_4f1d_[redacted]");
    expect(entry.text).not.toContain("xxx");
  });

  it("is within the contract for any type that the media server sends", async () => {
    const { send } = await open();
    const type = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 255 }),
      fc.stringMatching(/^[.a-b]{1,8}$/),
      fc.string({ unit: fc.constantFrom("\u{1f600}", "."), minLength: 200, maxLength: 255 }),
    );
    await fc.assert(
      fc.asyncProperty(type, async (text) => {
        const entry = JSON.parse((await send({ type: text })).entry.text);
        expect(isEntry(entry), JSON.stringify([text, isEntry.errors])).toBe(true);
        if (/^[a-z]+\.[a-z]+$/.test(text)) expect(entry.type).toBe(text);
      }),
      { numRuns: 100 },
    );
  });
});

it("a status from 200 to 299 is a success, and no other", () => {
  const isOk = (status: number) => isSuccess({ status, startedAt: 0, elapsedMs: 0, body: Buffer.alloc(0) });
  expect([0, 101, 199, 200, 204, 299, 300, 410].filter(isOk)).toEqual([200, 204, 299]);
});

describe("the signing secrets of a webhook", () => {
  const now = Date.parse("2026-04-01T09:30:15.250Z");

  it("start with the newest, and include the old one until it expires", async () => {
    const secrets = new WebhookSecrets(vault);
    const webhook = await webhookWith({ oldSecret: await seal("whsec_old"), oldSecretUntil: now });
    expect(await secrets.of(webhook, now - 1)).toEqual(["whsec_new", "whsec_old"]);
    expect(await secrets.of(webhook, now)).toEqual(["whsec_new"]);
    expect(await secrets.of(await webhookWith(), now)).toEqual(["whsec_new"]);
  });

  it("leave out a replaced one, even if it was cached", async () => {
    const secrets = new WebhookSecrets(vault);
    await secrets.of(await webhookWith(), now);
    expect(await secrets.of(await webhookWith({ secret: await seal("whsec_newer") }), now)).toEqual(["whsec_newer"]);
  });

  it.each([{ projectId: "other" }, { kind: "auth" }] as const)(
    "refuse one that was encrypted for another: %j",
    async (other) => {
      const secrets = new WebhookSecrets(vault);
      await expect(secrets.of(await webhookWith(other), now)).rejects.toThrow("not sealed");
    },
  );
});
