import { type MadeDatabase, makeDatabase, takeServer } from "@media-ops/testing/server";
import { sql } from "kysely";
import { show } from "../service/feeder.js";
import { cpuOfChildren, parentOf } from "./cpu.js";
import type { BenchDatabase } from "./database.js";
import { open } from "./open.js";

/** What a server has used so far; NaN where that cannot be told. */
interface Used {
  /** Seconds of CPU of all its processes. */
  readonly cpu: number;
  /** Bytes written to its WAL. */
  readonly wal: number;
}

/** A PostgreSQL of one measurement. */
export interface PostgresServer {
  /** What it is, for whoever reads the figures. */
  readonly described: string;
  /** Makes a new database, which is gone after the measurement. */
  make(): Promise<BenchDatabase>;
  used(): Promise<Used>;
}

// What is acknowledged is on the disk, and what is much used is in memory: 128 MB, as it is by itself, is for small ones.
const SETTINGS = { fsync: "on", shared_buffers: "1GB" };

/**
 * Does some work with the server that BENCH_POSTGRES_URL names, or else with one that is started for it.
 *
 * @param settings More of those, for one that is started.
 */
export async function withPostgres<T>(
  work: (server: PostgresServer) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const named = { variable: "BENCH_POSTGRES_URL", url: process.env.BENCH_POSTGRES_URL };
  const server = await takeServer({ named, settings: { ...SETTINGS, ...settings } });
  const made: MadeDatabase[] = [];
  const make = async () => {
    const database = await makeDatabase(server.url);
    made.push(database);
    return database.url;
  };
  const own = await open(await make());
  try {
    const { described, mainPid } = await describe(own);
    show(`PostgreSQL ${described}`);
    return await work({
      described,
      async make() {
        const url = await make();
        return { kind: "PostgreSQL", url, bytes: () => bytesOf(url) };
      },
      async used() {
        const { rows } = await sql<{ wal: number }>`
          select (pg_current_wal_insert_lsn() - '0/0')::bigint as wal`.execute(own.query);
        return {
          cpu: mainPid === undefined ? Number.NaN : await cpuOfChildren(mainPid),
          wal: rows[0]?.wal ?? Number.NaN,
        };
      },
    });
  } finally {
    await own.close();
    for (const { drop } of made) await drop();
    await server.release();
  }
}

async function describe({ query }: Awaited<ReturnType<typeof open>>) {
  const { rows } = await sql<{ version: string; fsync: string; buffers: string; host: string | null; pid: number }>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('shared_buffers') as buffers, host(inet_server_addr()) as host, pg_backend_pid() as pid`.execute(
    query,
  );
  const { version = "", fsync = "", buffers = "", host, pid = 0 } = rows[0] ?? {};
  const isHere = host === "127.0.0.1" || host === "::1";
  return {
    described: `${version.split(" ")[0]}, fsync ${fsync}, shared_buffers ${buffers}`,
    mainPid: isHere ? await parentOf(pid) : undefined,
  };
}

async function bytesOf(url: string): Promise<number> {
  const { query, close } = await open(url);
  const { rows } = await sql<{ bytes: number }>`
    select sum(pg_total_relation_size(oid))::bigint as bytes from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'`.execute(query);
  await close();
  return rows[0]?.bytes ?? Number.NaN;
}
