import { isUtf8 } from "node:buffer";
import { readJson } from "../http/json-body.js";
import { badInput, Refusal } from "../http/refusal.js";
import type { IntakeKeyRing } from "../keys/intake-keys.js";
import type { Metrics } from "../metrics.js";
import type { Intake, WebhookBody } from "./intake.js";
import type { IntakeKind } from "./kind-names.js";
import type { Quarantine } from "./quarantine.js";

export { type IntakeKind, intakeKinds } from "./kind-names.js";

/** What the routes of the intake need. */
export interface IntakeOptions {
  readonly intake: Intake;
  readonly keys: IntakeKeyRing;
  readonly quarantine: Quarantine;
  readonly metrics: Metrics;
  now(): number;
}

// The end of a session may name thousands of connections.
export const MAX_INTAKE_BYTES: number = 4 * 1024 * 1024;

/** A webhook that was sent with a valid key. */
interface ReceivedWebhook {
  readonly kind: IntakeKind;
  readonly body: Buffer;
  readonly keyId: string;
}

/** Handles a webhook of the media server, and returns the answer. Puts a body that is refused into the quarantine. */
export async function takeIn({ kind, body, keyId }: ReceivedWebhook, options: IntakeOptions): Promise<object> {
  const { intake, metrics, quarantine, now } = options;
  try {
    const answer = await intake[kind](readBody(body));
    metrics.intake.inc(kind, "taken");
    return answer;
  } catch (error) {
    const isFaulty = error instanceof Refusal && error.kind === "bad-request";
    metrics.intake.inc(kind, isFaulty ? "quarantined" : "failed");
    if (isFaulty) {
      const at = new Date(now()).toISOString();
      await quarantine.add({ at, path: `/intake/${kind}`, keyId, reason: reasonOf(error), body: body.toString() });
    }
    throw error;
  }
}

function readBody(body: Buffer): WebhookBody {
  if (!isUtf8(body)) throw badInput([{ pointer: "", detail: "Must be JSON in UTF-8, but has other bytes." }]);
  const text = body.toString();
  return { text, value: readJson(text) };
}

function reasonOf({ message, errors = [] }: Refusal): string {
  if (errors.length < 2) return message;
  return errors.map(({ pointer, detail }) => `${pointer || "the body"}: ${detail}`).join(" ");
}
