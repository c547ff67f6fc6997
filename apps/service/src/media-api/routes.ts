import type { FastifyRequest } from "fastify";
import type { MediaApiLogEntry } from "../generated/media.js";
import type { App } from "../http/create-app.js";
import type { AskedGate } from "../http/gate.js";
import { uncompressed } from "../http/json-body.js";
import { behind, mediaApiPath, passedBy } from "../http/operations.js";
import { type Refusal, unavailable } from "../http/refusal.js";
import type { NewEntry } from "../logs/log-store.js";
import type { EntryWriter } from "../logs/log-writer.js";
import { MediaServer, type MediaServerOptions, type PassedOn } from "./media-server.js";
import { readMediaCall } from "./read-call.js";

/** Options of {@link registerMediaApi}. */
export interface MediaApiOptions extends Pick<MediaServerOptions, "now" | "timeoutMs"> {
  readonly gate: AskedGate;
  /** Where the media server's API is; without it every call is refused. */
  readonly upstreamUrl: string | undefined;
  /** The operations that are passed on. */
  readonly operations: readonly string[];
  readonly writer: EntryWriter;
}

// The operator has to act first.
const RETRY_AFTER_SECONDS = 60;

/** Puts the way to the media server's API on its address. */
export async function registerMediaApi(
  app: App,
  { gate, upstreamUrl, operations, writer, ...timing }: MediaApiOptions,
): Promise<void> {
  const onPassedOn = (passedOn: PassedOn): void => writer.record(entryOf(passedOn));
  const mediaServer =
    upstreamUrl === undefined ? undefined : new MediaServer({ url: upstreamUrl, onPassedOn, ...timing });
  await app.register(async (scope) => {
    // Comes when the callers have their answers or are cut off, and while entries can still be written.
    scope.addHook("onClose", async () => mediaServer?.close());
    scope.removeContentTypeParser("application/json");
    // The bytes go on as they came: who reads big numbers and writes them again writes others.
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "buffer" },
      async ({ headers }: FastifyRequest, body: Buffer) => uncompressed(headers, body),
    );
    scope.route({
      method: "POST",
      url: mediaApiPath,
      onRequest: behind(gate),
      handler: async (request, reply) => {
        if (!mediaServer) throw noMediaServer();
        const call = readMediaCall(request, { projectId: passedBy(request).key.projectId, operations });
        const { status, contentType, body } = await mediaServer.pass(call);
        // One that has no type gets the one that says nothing: a browser would otherwise guess.
        return reply
          .code(status)
          .type(contentType ?? "application/octet-stream")
          .send(body);
      },
    });
  });
}

function noMediaServer(): Refusal {
  const detail = "This service knows no media server. Its operator has to set MEDIA_UPSTREAM_URL.";
  return unavailable(detail, RETRY_AFTER_SECONDS);
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
