import type { ServerResponse } from "node:http";
import type { WindowEvents } from "./protocol.js";

/** One reader of server-sent events, who may be slow. */
export interface EventStream {
  /** Whether the reader has yet to take what was sent: more would only pile up. */
  readonly isFull: boolean;
  send<Name extends keyof WindowEvents>(name: Name, data: WindowEvents[Name]): void;
  /** Tells each time when it is not full any more. */
  onDrain(listener: () => void): void;
  /** Tells when the reader is gone, or the stream has ended. */
  onClose(listener: () => void): void;
  end(): void;
}

// A reader whom nobody tells anything can't know that the other side is still there.
const HEARTBEAT_MS = 15_000;
// Whoever runs this starts it anew now and then, and looks at the page the next moment.
const RECONNECT_AFTER_MS = 1000;

export function openEventStream(response: ServerResponse): EventStream {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
  response.write(`retry: ${RECONNECT_AFTER_MS}\n\n`);
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(":\n\n");
  }, HEARTBEAT_MS);
  response.on("close", () => clearInterval(heartbeat));
  return {
    get isFull() {
      return response.writableNeedDrain;
    },
    send: (name, data) => {
      response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    onDrain: (listener) => void response.on("drain", listener),
    onClose: (listener) => void response.on("close", listener),
    end: () => void response.end(),
  };
}
