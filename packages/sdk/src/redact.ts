import { redactKeys } from "@media-ops/secrets/redact";

export type Redact = (text: string) => string;

/** Takes the client's own key, and keys and tokens of any project, out of what errors and log lines say. */
export function createRedact(apiKey: string): Redact {
  return (text) => redactKeys(text.replaceAll(apiKey, "[redacted]"));
}

/**
 * What lies at the bottom of a foreign error: fetch itself says no more than "fetch failed". It is a new error with
 * message and code only, because the foreign one may carry the request with its headers.
 */
export function rootCause(error: unknown, redact: Redact): Error {
  let root = error as Partial<Error & { code: unknown }> | undefined;
  // Not for ever: an error may be its own cause.
  for (let depth = 0; root?.cause && depth < 9; depth++) root = root.cause;
  return Object.assign(new Error(redact(root?.message || String(root?.code ?? root))), { code: root?.code });
}
