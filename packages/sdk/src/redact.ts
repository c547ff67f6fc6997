import { redactKeys } from "@media-ops/secrets/redact";

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/** Redacts the client's own key, and keys and tokens of any project, in errors and log messages. */
export function createRedact(apiKey: string): Redact {
  return (text) => redactKeys(text.replaceAll(apiKey, "[redacted]"));
}

/**
 * The root cause of a foreign error: fetch itself only says "fetch failed". It is a new error with message and code
 * only, because the foreign one may contain the request with its headers.
 */
export function rootCause(error: unknown, redact: Redact): Error {
  let root = error as Partial<Error & { code: unknown }> | undefined;
  // Bounded: an error may be its own cause.
  for (let depth = 0; root?.cause && depth < 9; depth++) root = root.cause;
  return Object.assign(new Error(redact(root?.message || String(root?.code ?? root))), { code: root?.code });
}
