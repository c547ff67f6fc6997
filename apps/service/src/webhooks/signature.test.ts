import { verifyWebhook } from "@media-ops/sdk/webhooks";
import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newWebhookSecret, signatureHeaders } from "./signature.js";

const now = Date.parse("2026-04-01T09:30:15.750Z");
const signed = (over: Partial<Parameters<typeof signatureHeaders>[0]> = {}) =>
  signatureHeaders({ id: "msg_1", timestamp: now, body: '{"type":"a"}', secrets: [newWebhookSecret()], ...over });

// A receiver refuses webhooks that are older than five minutes by its own clock.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now }));
afterEach(() => void vi.useRealTimers());

describe("a secret", () => {
  it("is whsec_ and 32 random bytes in base64", () => {
    const secrets = Array.from({ length: 100 }, newWebhookSecret);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(new Set(secrets).size).toBe(100);
  });

  it.each(["", "whsec_", "whsec_!", "c2VjcmV0"])("that is malformed is not used to sign: %j", (secret) => {
    expect(() => signed({ secrets: [newWebhookSecret(), secret] })).toThrow("newWebhookSecret()");
  });

  it("is required", () => {
    expect(() => signed({ secrets: [] })).toThrow("Pass at least one.");
  });
});

describe("a signature", () => {
  it("matches the test vectors of the Standard Webhooks libraries", () => {
    const headers = signatureHeaders({
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: 1_614_265_330_000,
      body: '{"test": 2432232314}',
      secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    });
    expect(headers).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("is accepted for each secret of a rotation, the newest first, by the Standard Webhooks library and the SDK", async () => {
    const secrets = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    const body = '{"type":"session.created","channel_id":"ünï@demo"}';
    const headers = signed({ body, secrets });
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
      await expect(verifyWebhook({ body: Buffer.from(body), headers, secret })).resolves.toEqual(JSON.parse(body));
    }
    const alone = secrets.map((secret) => signed({ body, secrets: [secret] })["webhook-signature"]);
    expect(headers["webhook-signature"]).toBe(alone.join(" "));
    const changed = verifyWebhook({ body: `${body} `, headers, secret: secrets });
    await expect(changed).rejects.toMatchObject({ code: "NoMatchingSignature" });
  });

  it("is valid for any text, sent as text or as bytes", () => {
    // Any UTF-16 units, including unpaired surrogates.
    const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    const text = fc.oneof(units, fc.string({ unit: "binary" }), fc.json());
    fc.assert(
      fc.property(text, fc.uint8Array({ minLength: 1, maxLength: 64 }), (body, key) => {
        const secret = `whsec_${Buffer.from(key).toString("base64")}`;
        const bytes = Buffer.from(body);
        const headers = signed({ body, secrets: [secret] });
        expect(signed({ body: bytes, secrets: [secret] })).toEqual(headers);
        new Webhook(secret).verify(bytes, headers, { jsonParse: false });
      }),
      { numRuns: 40 },
    );
  });

  it.each<[string, { body?: string; secret?: string; headers?: Record<string, string> }]>([
    ["body", { body: '{"type":"b"}' }],
    ["body by a space", { body: '{"type":"a"} ' }],
    ["id", { headers: { "webhook-id": "msg_2" } }],
    ["time", { headers: { "webhook-timestamp": String(Math.floor(now / 1000) + 1) } }],
    ["secret", { secret: newWebhookSecret() }],
  ])("is not valid for another %s", (_, { body = '{"type":"a"}', secret, headers }) => {
    const ours = newWebhookSecret();
    const receiver = new Webhook(secret ?? ours);
    expect(() => receiver.verify(body, { ...signed({ secrets: [ours] }), ...headers })).toThrow(
      "No matching signature found",
    );
  });
});
