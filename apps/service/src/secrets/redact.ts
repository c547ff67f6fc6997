import * as secrets from "@media-ops/secrets";

// A key in the path of the intake, however it is written.
const INTAKE_PATH = /\/intake\/(?!(?:auth|session|event|m[oi]_\w+_\[redacted\])(?![\w%.~-]))[^/?#"\s]+/gi;
const hideIntakePath = (text: string): string => text.replace(INTAKE_PATH, "/intake/[redacted]");

/** Takes secrets out of a text. Every text that leaves the service but for an answer's token goes through here. */
export const redact = (text: string): string => hideIntakePath(secrets.redact(text));

/** Takes secrets out of a body that others have sent: also what stands under the name of one. */
export const redactBody = (text: string): string => hideIntakePath(secrets.redactBody(text));
