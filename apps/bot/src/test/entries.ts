import type { WebhookLogEntry } from "@media-ops/sdk";
import type { SharedReads } from "../connections/clients.js";

interface WebhookOptions extends Partial<WebhookLogEntry> {
  minutesAgo?: number;
}

/** A webhook that was sent some minutes ago. */
export function webhook({ minutesAgo = 1, ...given }: WebhookOptions = {}): WebhookLogEntry {
  return {
    timestamp: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    type: "session.created",
    url: "https://hooks.example/media",
    status: 200,
    elapsed_time_ms: 84,
    ...given,
  };
}

/** Reads that no other request shares. */
export const notShared: SharedReads = { counts: (_, read) => read(), pages: (_, read) => read() };
