import { createHmac, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { MediaUsageError } from "../index.js";
import { type VerifyWebhookInput, verifyWebhook, type WebhookEvent, WebhookVerificationError } from "./index.js";

const now = Date.parse("2026-04-01T09:30:15.750Z");
const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;
const secret = newSecret();
const body = '{"type":"session.created","id":"1","channel_id":"ünï@demo","session_id":"S"}';

/** Signs as in the standard, with another implementation of HMAC. */
function sign(text: string | Buffer, { id = "msg_1", at = now, secrets = [secret] } = {}) {
  const seconds = String(Math.floor(at / 1000));
  const signatures = secrets.map((one) => {
    const hmac = createHmac("sha256", Buffer.from(one.slice("whsec_".length), "base64"));
    return `v1,${hmac.update(`${id}.${seconds}.`).update(text).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": signatures.join(" ") };
}

const verify = (input: object): Promise<WebhookEvent> =>
  Reflect.apply(verifyWebhook, undefined, [{ body, headers: sign(body), secret, now, ...input }]);

/** The headers with some of them changed. */
const changed = (headers: Record<string, string | string[] | undefined>) => ({
  headers: { ...sign(body), ...headers },
});
const noMatch = "NoMatchingSignature";
const signature = sign(body)["webhook-signature"];
const nextSecond = String(Math.floor(now / 1000) + 1);
const upperCase = Object.fromEntries(Object.entries(sign(body)).map(([name, value]) => [name.toUpperCase(), value]));

describe("verifyWebhook", () => {
  it("accepts the test vector of the Standard Webhooks libraries", async () => {
    const event = await verifyWebhook({
      body: '{"test": 2432232314}',
      headers: {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      },
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      now: 1_614_265_330_000,
    });
    expect(event).toEqual({ test: 2432232314 });
  });

  it.each<[string, Partial<VerifyWebhookInput>]>([
    ["text", {}],
    ["bytes", { body: Buffer.from(body) }],
    ["an ArrayBuffer", { body: new Uint8Array(Buffer.from(body)).buffer }],
    ["a Headers", { headers: new Headers(sign(body)) }],
    ["headers in any case", { headers: upperCase }],
    ["headers in Node's form for repeated ones", changed({ "webhook-id": ["msg_1"] })],
    ["several secrets", { secret: [newSecret(), secret] }],
    ["several signatures", { headers: sign(body, { secrets: [newSecret(), secret] }) }],
    ["signatures of other versions", changed({ "webhook-signature": `v1a,x v2 ${signature}` })],
    ["a webhook of the maximum age", { now: now + 299_000 }],
    ["a webhook at the maximum distance in the future", { now: now - 299_000 }],
    ["a custom tolerance", { now: now + 3_600_000, toleranceMs: 3_601_000 }],
  ])("accepts %s", async (_, input) => {
    await expect(verify(input)).resolves.toEqual(JSON.parse(body));
  });

  it("uses the current time by default", async () => {
    const headers = sign(body, { at: Date.now() });
    await expect(verifyWebhook({ body, headers, secret })).resolves.toMatchObject({ id: "1" });
    await expect(verifyWebhook({ body, headers: sign(body, { at: 0 }), secret })).rejects.toMatchObject({
      code: "TooOld",
    });
  });

  it.each<[string, string, RegExp, object]>([
    ["a missing id", "MissingHeader", /^The header webhook-id is missing\./, changed({ "webhook-id": undefined })],
    ["a missing signature", "MissingHeader", /webhook-signature/, changed({ "webhook-signature": "" })],
    ["a Headers without an id", "MissingHeader", /webhook-id/, { headers: new Headers() }],
    ["no headers", "MissingHeader", /webhook-id/, { headers: {} }],
    ["an invalid time", "BadTimestamp", /whole seconds/, changed({ "webhook-timestamp": "2026-04-01" })],
    ["a time that is too large", "BadTimestamp", /whole seconds/, changed({ "webhook-timestamp": "9".repeat(400) })],
    ["a webhook that is too old", "TooOld", /sent 302 s ago; 300 s are allowed\./, { now: now + 301_000 }],
    ["a webhook from the future", "TooNew", /sent 301 s from now; 300 s are allowed\./, { now: now - 302_000 }],
    ["another body", noMatch, /body as it was received/, { body: `${body} ` }],
    ["another id", noMatch, /secret/, changed({ "webhook-id": "msg_2" })],
    ["another time", noMatch, /secret/, changed({ "webhook-timestamp": nextSecond })],
    ["another secret", noMatch, /secret/, { secret: [newSecret(), newSecret()] }],
    ["a signature without its version", noMatch, /./, changed({ "webhook-signature": signature.slice(3) })],
    ["a truncated signature", noMatch, /secret/, changed({ "webhook-signature": signature.slice(0, -1) })],
    ["a body that is not JSON", "NotJson", /not a JSON object/, { body: "{", headers: sign("{") }],
    ["a body that is not an object", "NotJson", /not a JSON object/, { body: "[]", headers: sign("[]") }],
  ])("refuses %s", async (_, code, message, input) => {
    const error = await verify(input).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(error).toMatchObject({ name: "WebhookVerificationError", code, message: expect.stringMatching(message) });
    for (const hidden of [secret, secret.slice(6, 20), "ünï"]) {
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(hidden);
    }
  });

  it.each([
    ["no secret", { secret: undefined }, "secret must be given"],
    ["an empty list of secrets", { secret: [] }, "secret must be given"],
    ["a secret without its prefix", { secret: secret.slice(6) }, "secret must be whsec_"],
    ["a secret with a line break", { secret: `${secret}\n` }, "secret must be whsec_"],
    ["a truncated secret", { secret: secret.slice(0, 20) }, "secret must be whsec_"],
    ["a secret of an impossible length", { secret: `whsec_${"A".repeat(33)}` }, "secret must be whsec_"],
    ["one invalid secret beside a valid one", { secret: [secret, "whsec_"] }, "secret must be whsec_"],
    ["a body that was parsed", { body: JSON.parse(body) }, "body must be the text or the bytes"],
    ["an invalid tolerance", { toleranceMs: Number.NaN }, "toleranceMs must be"],
    ["an invalid current time", { now: Number.NaN }, "now must be"],
  ])("cannot be used with %s", async (_, input, message) => {
    const error = await verify(input).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(MediaUsageError);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain(secret.slice(6, 20));
  });

  it("accepts any signed text, and no other", async () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
    await fc.assert(
      fc.asyncProperty(
        fc.json().map((text) => Buffer.from(`{"a":${text}}`)),
        bytes,
        async (text, other) => {
          await expect(verify({ body: text, headers: sign(text) })).resolves.toEqual(JSON.parse(String(text)));
          if (text.equals(other)) return;
          await expect(verify({ body: other, headers: sign(text) })).rejects.toMatchObject({
            code: "NoMatchingSignature",
          });
        },
      ),
    );
  });

  it("returns events that are typed by their type", async () => {
    const event = await verify({});
    if (event.type === "session.created") expectTypeOf(event.channel_id).toEqualTypeOf<string>();
    else if (event.type === "connection.destroyed") expectTypeOf(event.data.total_sent_bytes).toEqualTypeOf<number>();
    else if (event.type === "webhook.test") expectTypeOf(event.project_id).toEqualTypeOf<string>();
    else if (event.type === undefined) expectTypeOf(event.connection_id).toEqualTypeOf<string>();
    else expectTypeOf(event.type).toExtend<string>();
    expect(event.type).toBe("session.created");
  });
});
