/** Why a webhook was refused. */
export type WebhookVerificationCode =
  /** A header of Standard Webhooks is missing: it was sent by something else, or a proxy drops it. */
  | "MissingHeader"
  /** `webhook-timestamp` is not in whole seconds since 1970. */
  | "BadTimestamp"
  /** It was sent longer ago than the tolerance: it may be a replay, or this clock is wrong. */
  | "TooOld"
  /** It was sent in the future by more than the tolerance: one of the clocks is wrong. */
  | "TooNew"
  /** None of its signatures is that of a secret: the secret is another, or the body was changed. */
  | "NoMatchingSignature"
  /** The signature is right, but the body is no JSON object. */
  | "NotJson";

/** A webhook was refused; `code` says why. It holds neither a secret nor anything of the body. */
export class WebhookVerificationError extends Error {
  /** Says why; made for `switch`. */
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.code = code;
  }
}

// On the prototype, as JavaScript's own errors have it, so that stack traces begin with the right name.
WebhookVerificationError.prototype.name = "WebhookVerificationError";
