import { oursAtMost, type Result, tell } from "../report.js";
import { Connections } from "../service/connection.js";
import { kinds, listings, measured, projectIds, tokenPath } from "../service/entries.js";
import { show } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";
import { createProject, memoryOf } from "../service/service-process.js";
import { type Served, type Sizes, type Stored, serve } from "./stored.js";

const MAX_MB = 200;
const CONNECTIONS = 16;
const CALLS = 4000;
const IN_THE_WAY = {
  SQLite:
    "V8 takes up to 48 MB for what is young: with --max-semi-space-size=8 it is some 10 MB less, and the intake is slower",
  PostgreSQL: "whole logs that are read come as texts of their size, which stay until all garbage is collected",
} as const;

/** How much memory the service takes after it has listed every log and answered many calls at once. */
export async function measureMemory(sandbox: Sandbox, { few, most }: Sizes): Promise<Result[]> {
  const theirs = await memoryAfterUse(sandbox, few);
  const ours = await memoryAfterUse(sandbox, most);
  if (!ours || !theirs) {
    show("This system does not tell how much memory a process has: /proc is missing.");
    return [];
  }
  const { kind } = most.database;
  const use = `every log listed, plain and gzip, and ${CALLS} calls over ${CONNECTIONS} connections`;
  const row = (measure: string, of: "now" | "peak"): Result =>
    tell(
      {
        name: "growth",
        measure: `${kind}, ${most.count} entries stored: ${measure}`,
        against: `${few.count} entries stored`,
        goal: oursAtMost(MAX_MB, "MB"),
        note: use,
        inTheWay: IN_THE_WAY[kind],
      },
      ours[of],
      theirs[of],
    );
  return [row("memory of the service (RSS), MB", "now"), row("the same at its peak, MB", "peak")];
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
