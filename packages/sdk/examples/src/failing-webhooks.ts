import type { MediaClient } from "@media-ops/sdk";
import { isCapped } from "@media-ops/sdk";

/** Counts the failed webhooks by status and receiver, most frequent first. */
export async function failingWebhooks(client: MediaClient): Promise<string[]> {
  const entries = await client.logs.webhooks();
  const counts = new Map<string, number>();
  for (const { url, status } of entries) {
    if (status >= 200 && status < 300) continue;
    const failure = `${status || "no answer"} from ${url}`;
    counts.set(failure, (counts.get(failure) ?? 0) + 1);
  }
  const lines = [...counts].sort(([, a], [, b]) => b - a).map(([failure, count]) => `${count} × ${failure}`);
  return isCapped(entries) ? [...lines, "(the newest 1000 deliveries; there may be older ones)"] : lines;
}
