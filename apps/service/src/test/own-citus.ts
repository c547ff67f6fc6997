import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runIn } from "@media-ops/testing";
import { onTestFinished } from "vitest";
import { type OwnPostgres, startOwnPostgres } from "./own-postgres.js";

export type OwnCitus = Awaited<ReturnType<typeof startOwnCitus>>;

// Each move of a shard needs some of them, for a moment.
const MOVES = "60";
const SHARDS = 8;

/** Starts a coordinator and workers until the test ends; `programs` is the folder of a PostgreSQL with Citus. */
export async function startOwnCitus(programs: string, workers: number) {
  const folder = await mkdtemp(join(tmpdir(), "media-citus-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o755);
  // The servers connect to each other without a password and without TLS.
  const accessFile = join(folder, "access.conf");
  await writeFile(accessFile, "host all all 127.0.0.1/32 trust\n");
  const settings = {
    hba_file: accessFile,
    shared_preload_libraries: "citus",
    "citus.node_conninfo": "sslmode=disable",
    wal_level: "logical",
    max_prepared_transactions: "400",
    max_worker_processes: MOVES,
    max_replication_slots: MOVES,
    max_wal_senders: MOVES,
    max_logical_replication_workers: MOVES,
  };
  const start = async (): Promise<OwnPostgres> => {
    const postgres = await startOwnPostgres({ programs, settings });
    await runIn(postgres.url, "create extension citus");
    return postgres;
  };
  const { url } = await start();
  const { port, pathname } = new URL(url);
  await runIn(url, `select citus_set_coordinator_host('127.0.0.1', ${port})`);
  await runIn(url, `alter database ${pathname.slice(1)} set citus.shard_count = ${SHARDS}`);
  const added: OwnPostgres[] = [];
  const addWorker = async (): Promise<void> => {
    const worker = await start();
    added.push(worker);
    await runIn(url, `select citus_add_node('127.0.0.1', ${new URL(worker.url).port})`);
  };
  for (let nth = 0; nth < workers; nth++) await addWorker();
  const rebalance = () => runIn(url, "select rebalance_table_shards()");
  return { url, workers: added as readonly OwnPostgres[], addWorker, rebalance };
}
