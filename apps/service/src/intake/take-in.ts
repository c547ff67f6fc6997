import { isUtf8 } from "node:buffer";
import { readJson } from "../http/json-body.js";
import type { IntakeKeyRing } from "../keys/intake-key-ring.js";
import type { Metrics } from "../metrics.js";
import { badInput, Refusal } from "../refusal.js";
import type { Intake, Sent } from "./intake.js";
import type { Quarantine } from "./quarantine.js";

/** What the intake's addresses need. */
export interface IntakeOptions {
  readonly intake: Intake;
  readonly keys: IntakeKeyRing;
  readonly quarantine: Quarantine;
  readonly metrics: Metrics;
  now(): number;
}

/** What the media server sends: the last part of the address. */
export const intakeKinds = ["auth", "session", "event"] as const;

export type IntakeKind = (typeof intakeKinds)[number];

// A session that ends may tell of thousands of connections.
export const MAX_INTAKE_BYTES: number = 4 * 1024 * 1024;

/** A body that has come with a good key. */
interface Come {
  readonly kind: IntakeKind;
  readonly body: Buffer;
  readonly keyId: string;
}

/** Takes in a body, and gives what is answered. One that is refused goes into the quarantine. */
export async function takeIn({ kind, body, keyId }: Come, options: IntakeOptions): Promise<object> {
  const { intake, metrics, quarantine, now } = options;
  try {
    const answer = await handle(intake, kind, readSent(body));
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

function handle(intake: Intake, kind: IntakeKind, sent: Sent): Promise<object> {
  switch (kind) {
    case "auth":
      return intake.auth(sent);
    case "session":
      return intake.session(sent);
    case "event":
      return intake.event(sent);
  }
}

function readSent(body: Buffer): Sent {
  if (!isUtf8(body)) throw badInput([{ pointer: "", detail: "Must be JSON in UTF-8, but has other bytes." }]);
  const text = body.toString();
  return { text, value: readJson(text) };
}

function reasonOf({ message, errors = [] }: Refusal): string {
  if (errors.length < 2) return message;
  return errors.map(({ pointer, detail }) => `${pointer || "the body"}: ${detail}`).join(" ");
}
