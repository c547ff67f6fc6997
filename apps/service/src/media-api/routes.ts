import type { MediaApiLogEntry } from "../generated/media.js";
import type { ApiCaller } from "../http/api-gate.js";
import { MAX_BODY_BYTES } from "../http/operations.js";
import type { Action, Gate } from "../http/route.js";
import type { NewEntry } from "../logs/log-store.js";
import type { EntryWriter } from "../logs/log-writer.js";
import { unavailable } from "../refusal.js";
import { MediaServer, type MediaServerOptions, type PassedOn } from "./media-server.js";
import { readMediaCall } from "./read-call.js";

/** The path of the proxy to the media server's API. */
export const mediaApiPath = "/media-api";

/** Options of {@link mediaApiRoute}. */
export interface MediaApiOptions extends Pick<MediaServerOptions, "now" | "timeoutMs"> {
  readonly gate: Gate<ApiCaller>;
  /** The URL of the media server's API; without it every call is refused. */
  readonly upstreamUrl: string | undefined;
  /** The operations that are passed on. */
  readonly operations: readonly string[];
  readonly writer: EntryWriter;
}

/** The proxy to the media server's API. */
export interface MediaApiRoute extends Action<ApiCaller> {
  /** Gives up the calls that the media server has not answered yet. They are logged. */
  close(): Promise<void>;
}

// The operator has to act first.
const RETRY_AFTER_SECONDS = 60;

/** The route of the proxy to the media server's API. */
export function mediaApiRoute({ gate, upstreamUrl, operations, writer, ...timing }: MediaApiOptions): MediaApiRoute {
  const onPassedOn = (passedOn: PassedOn): void => writer.record(entryOf(passedOn));
  const mediaServer =
    upstreamUrl === undefined ? undefined : new MediaServer({ url: upstreamUrl, onPassedOn, ...timing });
  return {
    method: "POST",
    path: mediaApiPath,
    maxBytes: MAX_BODY_BYTES,
    gate,
    async answer(call, { key }, bytes) {
      if (!mediaServer) {
        const detail = "This service knows no media server. Its operator has to set MEDIA_UPSTREAM_URL.";
        throw unavailable(detail, RETRY_AFTER_SECONDS);
      }
      const mediaCall = readMediaCall(call, bytes, { projectId: key.projectId, operations });
      const { status, contentType, body } = await mediaServer.pass(mediaCall);
      // Without a type, a browser would guess one.
      const headers = status === 204 ? {} : { "content-type": contentType ?? "application/octet-stream" };
      return { status, headers, body };
    },
    close: async () => mediaServer?.close(),
  };
}

function entryOf({ call, status, startedAt, elapsedMs }: PassedOn): NewEntry {
  const entry: MediaApiLogEntry = {
    timestamp: new Date(startedAt).toISOString(),
    media_target: call.target,
    channel_id: call.channelId,
    status,
    elapsed_time_ms: Math.round(elapsedMs),
  };
  return { projectId: call.projectId, kind: "media-api", timestamp: entry.timestamp, text: JSON.stringify(entry) };
}
