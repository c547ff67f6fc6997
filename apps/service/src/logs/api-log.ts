import type { ApiLogEntry } from "../generated/media.js";
import type { Answered } from "../http/create-app.js";
import { callerOf, operationPaths } from "../http/operations.js";
import type { ApiKey } from "../keys/api-keys.js";
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
    const key = callerOf(answered.request)?.key ?? (await keyOfRefused(answered, keys));
    if (!key) return;
    const entry = entryOf(answered, publicUrl, now());
    writer.record({ projectId: key.projectId, kind: "api", timestamp: entry.timestamp, text: JSON.stringify(entry) });
  };
}

/** A call may be refused before its key is looked at, or for it. With a wrong key it stands in no log. */
async function keyOfRefused({ request, status }: Answered, keys: KeyRing): Promise<ApiKey | undefined> {
  const credential = credentialOf(request.headers.authorization, "mo");
  if (!credential) return undefined;
  // After a 401 the keys have just been read.
  if (status !== 401 && !keys.identify(credential)) await keys.refresh();
  return keys.identify(credential);
}

function entryOf({ url, request, status, elapsedMs }: Answered, publicUrl: string | undefined, now: number) {
  const elapsed = Math.round(elapsedMs);
  const { headers, socket } = request;
  // HTTP/1.0 need not name a host.
  const base = publicUrl ?? `http://${headers.host ?? `${socket.localAddress}:${socket.localPort}`}`;
  return {
    timestamp: new Date(now - elapsed).toISOString(),
    url: redact(base + url).slice(0, MAX_URL),
    status,
    elapsed_time_ms: elapsed,
  } satisfies ApiLogEntry;
}
