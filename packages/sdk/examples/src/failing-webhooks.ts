import { type MediaClient, MediaNotFoundError } from "@media-ops/sdk";

/** Counts the failed webhooks of the last day by status and receiver, most frequent first. */
export async function failingWebhooks(client: MediaClient, now = Date.now()): Promise<string[]> {
  const request = { since: new Date(now - 24 * 60 * 60 * 1000), where: { failed: true } };
  try {
    const { groups, complete, since } = await client.logs.count("webhooks", { ...request, by: ["status", "url"] });
    const lines = groups.map(({ by, count }) => `${count} × ${by.status || "no answer"} from ${by.url}`);
    return complete ? lines : [`(only since ${since})`, ...lines];
  } catch (error) {
    if (!(error instanceof MediaNotFoundError)) throw error;
  }

  // This service has the six operations only: the newest 1000 entries are counted here.
  const { data, complete, searchedTo } = await client.logs.webhooks(request).withResponse();
  const counts = new Map<string, number>();
  for (const { url, status } of data) {
    const failure = `${status || "no answer"} from ${url}`;
    counts.set(failure, (counts.get(failure) ?? 0) + 1);
  }
  const lines = [...counts].sort(([, a], [, b]) => b - a).map(([failure, count]) => `${count} × ${failure}`);
  return complete ? lines : [`(only since ${searchedTo})`, ...lines];
}
