import type { MediaClient } from "@media-ops/sdk";

/** Reports every failing webhook as it happens, until the signal is aborted. `saved` resumes an earlier watch. */
export async function watchWebhooks(
  client: MediaClient,
  report: (line: string, cursor: string | undefined) => void,
  { signal, saved }: { signal: AbortSignal; saved?: string },
): Promise<void> {
  const failures = client.logs.follow("webhooks", { where: { failed: true }, cursor: saved, signal });
  for await (const { entry, cursor } of failures) {
    report(`${entry.timestamp} ${entry.type} ${entry.status} ${entry.url}`, cursor);
  }
}
