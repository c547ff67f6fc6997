import type { EventLogEntry } from "@media-ops/sdk";

/** The time some minutes ago. */
export const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** A webhook that was sent some minutes ago. */
export function delivery(minutes: number, type: string, status: number, elapsed_time_ms: number) {
  return { timestamp: ago(minutes), type, url: "https://hooks.example/media", status, elapsed_time_ms };
}

/** An event in the channel "lobby" some minutes ago. */
export function event(
  minutes: number,
  type: string,
  outcome: EventLogEntry["outcome"],
  more: Partial<EventLogEntry> = {},
): EventLogEntry {
  return { timestamp: ago(minutes), type, channel_id: "lobby@demo", client_id: "camera-7", outcome, ...more };
}
