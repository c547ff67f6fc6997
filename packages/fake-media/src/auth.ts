import { type Answer, isAcknowledged } from "./intake.js";
import { isObject, type Json, parseObject } from "./json.js";

/** The intake's word on a client that wants to connect. */
export type Verdict =
  | { readonly allowed: true; readonly clientId: string | undefined; readonly eventMetadata: Json | undefined }
  | Refusal;

/** The client may not connect. */
export interface Refusal {
  readonly allowed: false;
  /** What the intake gave; where it gave no answer to obey, what was wrong with it. */
  readonly reason: string;
  /** The HTTP status; undefined where there was no answer. */
  readonly status: number | undefined;
}

/** Who is not plainly allowed is refused. */
export function readVerdict(answer: Answer): Verdict {
  const { status } = answer;
  if (status === undefined) return refuse(`No answer from the intake: ${answer.fault}.`);
  if (!isAcknowledged(answer)) return refuse(`The intake answered ${status}.`, status);
  const body = parseObject(answer.text);
  if (body?.allowed === false) {
    return refuse(typeof body.reason === "string" ? body.reason : "The intake gave no reason.", status);
  }
  if (body?.allowed !== true) return refuse("The intake's answer could not be read.", status);
  const { client_id, event_metadata } = body;
  return {
    allowed: true,
    clientId: typeof client_id === "string" ? client_id : undefined,
    eventMetadata: isObject(event_metadata) ? event_metadata : undefined,
  };
}

export function refuse(reason: string, status?: number): Refusal {
  return { allowed: false, reason, status };
}
