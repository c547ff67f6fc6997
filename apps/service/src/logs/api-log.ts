import { LRUCache } from "lru-cache";
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
// An operation is called by few names; looking for secrets in them each time would take longer than writing the entry.
const MAX_KNOWN_URLS = 200;

/** Writes each call of an operation into its project's API log, once it has been answered. */
export function createApiLog(options: ApiLogOptions): (answered: Answered) => void | Promise<void> {
  const { keys, writer, publicUrl, now } = options;
  const shownAs = new LRUCache<string, string>({
    max: MAX_KNOWN_URLS,
    memoMethod: (url) => redact(url).slice(0, MAX_URL),
  });
  const record = ({ projectId }: ApiKey, answered: Answered): void => {
    const elapsed = Math.round(answered.elapsedMs);
    const entry = {
      timestamp: new Date(now() - elapsed).toISOString(),
      url: shownAs.memo(urlOf(answered, publicUrl)),
      status: answered.status,
      elapsed_time_ms: elapsed,
    } satisfies ApiLogEntry;
    writer.record({ projectId, kind: "api", timestamp: entry.timestamp, text: JSON.stringify(entry) });
  };
  return (answered) => {
    if (!operationPaths.has(answered.path)) return;
    const caller = answered.caller ?? callerOf(answered.request);
    if (caller) return record(caller.key, answered);
    return keyOfRefused(answered, keys).then((key) => key && record(key, answered));
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

function urlOf({ url, request: { headers, socket } }: Answered, publicUrl: string | undefined): string {
  // HTTP/1.0 need not name a host.
  return (publicUrl ?? `http://${headers.host ?? `${socket.localAddress}:${socket.localPort}`}`) + url;
}
