import type { Result } from "../report.js";
import { Connections } from "../service/connection.js";
import { kinds, listings, measured, projectIds, tokenPath } from "../service/entries.js";
import { show } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";
import { createProject, memoryOf } from "../service/service-process.js";
import { type Pair, type Served, type Stored, serve } from "./stored.js";

const MAX_MB = 200;
const CONNECTIONS = 16;
const CALLS = 8000;

/** How much memory the service takes after it has listed every log and answered many calls at once. */
export async function measureMemory(sandbox: Sandbox, { few, many }: Pair): Promise<Result[]> {
  const theirs = await memoryAfterUse(sandbox, few);
  const ours = await memoryAfterUse(sandbox, many);
  if (!ours || !theirs) {
    show("This system does not tell how much memory a process has: /proc is missing.");
    return [];
  }
  const row = (measure: string, own: number, other: number, note: string): Result => ({
    name: "growth",
    measure: `${many.database.kind}: ${measure}`,
    against: `${few.count} entries stored`,
    ours: own,
    theirs: other,
    ratio: own / other,
    goal: `ours ≤ ${MAX_MB}`,
    met: own <= MAX_MB,
    note,
  });
  const note = `every log listed, plain and gzip, and ${CALLS} calls over ${CONNECTIONS} connections`;
  return [
    row("memory of the service (RSS), MB", ours.now, theirs.now, note),
    row("the same at its peak, MB", ours.peak, theirs.peak, note),
  ];
}

async function memoryAfterUse(sandbox: Sandbox, stored: Stored) {
  const served = await serve(sandbox, stored);
  await useAll(served);
  const memory = await memoryOf(served.service);
  await served.stop();
  return memory;
}

async function useAll({ service, stored: { database, apiKey } }: Served): Promise<void> {
  const others = projectIds.filter((projectId) => projectId !== measured.projectId);
  const apiKeys = [apiKey];
  for (const projectId of others) apiKeys.push(await createProject(database.url, projectId));
  const calls = apiKeys.flatMap((key) => [
    ...kinds.map((kind) => ({ path: listings[kind], apiKey: key })),
    ...kinds.map((kind) => ({ path: listings[kind], apiKey: key, headers: { "accept-encoding": "gzip" } })),
    { path: tokenPath, apiKey: key },
  ]);
  const connections = new Connections(service.url, CONNECTIONS);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < CALLS) {
      const call = calls[next++ % calls.length];
      if (call) await connections.call(call);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  connections.close();
}
