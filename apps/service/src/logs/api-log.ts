import type { ApiLogEntry } from "../generated/media.js";
import type { Answered } from "../http/create-app.js";
import { operationPaths } from "../http/operations.js";
import { credentialOf } from "../keys/credential.js";
import type { KeyRing } from "../keys/key-ring.js";
import { redact } from "../secrets/redact.js";
import type { LogWriter } from "./log-writer.js";

/** What the API log needs. */
export interface ApiLogOptions {
  keys: KeyRing;
  writer: LogWriter;
  publicUrl: string | undefined;
  now(): number;
}

// The contract's bound.
const MAX_URL = 32_768;

/** Writes each call of an operation into its project's API log, once it has been answered. */
export function createApiLog({ keys, writer, publicUrl, now }: ApiLogOptions): (answered: Answered) => Promise<void> {
  return async (answered) => {
    if (!operationPaths.has(answered.path)) return;
    // Also a call that was refused before its key was looked at, if it had a good one. A wrong key writes into no log.
    const credential = credentialOf(answered.headers.authorization, "mo");
    if (!credential) return;
    // After a 401 the keys have just been read.
    if (answered.status !== 401 && !keys.identify(credential)) await keys.refresh();
    const key = keys.identify(credential);
    if (!key) return;
    const entry = entryOf(answered, publicUrl, now());
    writer.record({ projectId: key.projectId, kind: "api", timestamp: entry.timestamp, text: JSON.stringify(entry) });
  };
}

function entryOf({ url, headers, localHost, status, elapsedMs }: Answered, publicUrl: string | undefined, now: number) {
  const elapsed = Math.round(elapsedMs);
  const base = publicUrl ?? `http://${headers.host ?? localHost}`;
  return {
    timestamp: new Date(now - elapsed).toISOString(),
    url: redact(base + url).slice(0, MAX_URL),
    status,
    elapsed_time_ms: elapsed,
  } satisfies ApiLogEntry;
}
