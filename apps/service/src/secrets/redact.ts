import * as secrets from "@media-ops/secrets";

// A key in a path of the intake, valid or not.
const INTAKE_PATH = /\/intake\/(?!(?:auth|session|event|m[oi]_\w+_\[redacted\])(?![\w%~-]|\.[\w%.~-]))[^/?#"\s]+/gi;
const hideIntakePath = (text: string): string => text.replace(INTAKE_PATH, "/intake/[redacted]");

/** Removes secrets from a text. Every text that leaves the service passes through here, except the token in an answer. */
export const redact = (text: string): string => hideIntakePath(secrets.redact(text));

/** Removes secrets from a received body, including values of members that are named like a secret. */
export const redactBody = (text: string): string => hideIntakePath(secrets.redactBody(text));
