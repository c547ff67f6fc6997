import type { MediaClient } from "@media-ops/sdk";

/** Reports every failing webhook as it happens, until the signal is aborted. */
export async function watchWebhooks(
  client: MediaClient,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for await (const { entry, gap } of client.logs.follow("webhooks", { intervalMs: 2_000, signal })) {
    if (gap) report("too many new entries: some deliveries are missing here");
    if (entry.status >= 400 || entry.status === 0)
      report(`${entry.timestamp} ${entry.type} ${entry.status} ${entry.url}`);
  }
}
