import { askWhy, type WhyCause } from "@media-ops/reports";
import type { MediaClient } from "@media-ops/sdk";

/** Says why connections failed in the last hour, the most likely cause first. */
export async function explainFailures(client: MediaClient, now = Date.now()): Promise<string[]> {
  const since = new Date(now - 60 * 60 * 1000);
  const { counts, causes, complete } = await askWhy(client, { since, until: new Date(now) });
  const summary = `${counts.failed} failed and ${counts.refused} refused of the last hour${complete ? "" : ", or more"}`;
  return [summary, ...causes.map(describe)];
}

function describe({ outcome, reason, detail, count, before, clients, clientCount, nodes }: WhyCause): string {
  const facts = [
    `${count} ${outcome}: ${reason ?? "no reason given"}${detail ? ` (${detail})` : ""}`,
    before !== undefined && `${before} before`,
    clientCount === 1 ? `client ${clients[0]?.name}` : clientCount > 0 && `${clientCount} clients`,
    nodes.length === 1 && `all on ${nodes[0]?.name}`,
  ];
  return facts.filter(Boolean).join(", ");
}
