import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { inject, onTestFinished } from "vitest";

/** Creates an empty database on a server; if the server's own one is distributed by Citus, another such one. */
export async function makeDatabase(serverUrl: string): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const { servers, workers } = await clusterOf(serverUrl);
  const isDistributed = workers.length > 0;
  if (isDistributed) await Promise.all(servers.map(makeTemplate));
  const { url, drop } = await createOn(servers, isDistributed ? CITUS_TEMPLATE : undefined);
  if (isDistributed) await addWorkers(url, workers);
  return { url, drop };
}

/**
 * Creates a database without Citus. `addCitus` adds it later, with the workers of the server's own database; it returns
 * false if the server has none.
 */
export async function plainPostgres(): Promise<{ readonly url: string; addCitus(): Promise<boolean> }> {
  const { servers, workers } = await clusterOf(serverOf());
  const { url, drop } = await createOn(servers);
  onTestFinished(drop);
  const addCitus = async () => {
    if (workers.length === 0) return false;
    const { pathname } = new URL(url);
    for (const one of servers) await runIn(changed(one, { pathname }), "create extension citus");
    await addWorkers(url, workers);
    return true;
  };
  return { url, addCitus };
}

/** Creates a database with the same new name on servers. Returns its URL on the first. */
async function createOn(servers: readonly string[], template?: string) {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await Promise.all(servers.map((one) => create(one, name, template)));
  const drop = async (): Promise<void> => {
    // By force: a killed process may still seem to be connected.
    await Promise.all(servers.map((one) => runIn(one, `drop database ${name} with (force)`)));
  };
  return { url: changed(servers[0] ?? "", { pathname: name }), drop };
}

type Worker = { readonly host: string; readonly port: number };

/** The servers of the cluster to which a server's database belongs, itself first, and which of them are workers. */
async function clusterOf(serverUrl: string): Promise<{ servers: string[]; workers: readonly Worker[] }> {
  let workers: readonly Worker[] = [];
  await connected(serverUrl, async (client) => {
    const { rowCount } = await client.query("select from pg_extension where extname = 'citus'");
    if (rowCount === 0) return;
    const { rows } = await client.query<Worker>(
      "select nodename as host, nodeport as port from pg_dist_node where groupid > 0 and isactive order by nodeid",
    );
    workers = rows;
  });
  const servers = workers.map(({ host, port }) => changed(serverUrl, { hostname: host, port: `${port}` }));
  return { servers: [serverUrl, ...servers], workers };
}

async function create(serverUrl: string, name: string, template = "template0"): Promise<void> {
  await connected(serverUrl, async (client) => {
    const { rows } = await client.query("select current_setting('server_version_num')::integer as version");
    // By far the faster strategy, and the only one before PostgreSQL 15.
    const strategy = rows[0].version >= 150000 ? "strategy file_copy" : "";
    // template0 is always empty, even if the server adds objects to new databases.
    await client.query(`create database ${name} template ${template} ${strategy}`);
  });
}

const CITUS_TEMPLATE = "media_ops_test_template";

/** Makes a server's template of a database with Citus, which is created ten times as fast as the extension. */
async function makeTemplate(serverUrl: string): Promise<void> {
  await connected(serverUrl, async (client) => {
    await client.query("select pg_advisory_lock(7206414915)");
    const { rowCount } = await client.query("select from pg_database where datname = $1", [CITUS_TEMPLATE]);
    if (rowCount !== 0) return;
    await create(serverUrl, CITUS_TEMPLATE);
    await runIn(changed(serverUrl, { pathname: CITUS_TEMPLATE }), "create extension citus");
    // A database that someone is connected to, such as Citus itself, cannot be copied.
    await client.query(`alter database ${CITUS_TEMPLATE} allow_connections false`);
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [CITUS_TEMPLATE]);
  });
}

/** Makes a database the coordinator of those with the same name on the workers. */
async function addWorkers(url: string, workers: readonly Worker[]): Promise<void> {
  await connected(url, async (client) => {
    // Fewer shards than a cluster needs, but more than one for each worker: each test makes them anew.
    await client.query(`alter database ${new URL(url).pathname.slice(1)} set citus.shard_count = 4`);
    const { hostname, port } = new URL(url);
    await client.query("select citus_set_coordinator_host($1, $2)", [hostname, Number(port)]);
    for (const { host, port } of workers) {
      const add = () => client.query("select citus_add_node($1, $2)", [host, port]);
      // Citus' own work in a new database may get in its way.
      await add().catch(add).catch(add);
    }
  });
}

function changed(url: string, parts: { hostname?: string; port?: string; pathname?: string }): string {
  return Object.assign(new URL(url), parts).href;
}

/** Runs a statement in a database of PostgreSQL. */
export const runIn = (url: string, statement: string): Promise<void> =>
  connected(url, (client) => client.query(statement));

/** Runs work on a connection to a database of PostgreSQL. */
export async function connected(serverUrl: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

interface Options {
  /** Registers the clean-up. In `beforeAll`, pass `afterAll`. @default onTestFinished */
  atEnd?: (clear: () => Promise<void>) => void;
  /** Whether SQLite may be in memory, which is faster, but cannot be opened twice. */
  memory?: boolean;
  /** The file of an SQLite database. @default a temporary file */
  file?: string;
}

/** A new, empty database of the kind that this project's tests use; removed after the test. */
export async function databaseUrl({ memory = false, file, atEnd = onTestFinished }: Options = {}): Promise<string> {
  if (inject("database") === "postgres") return postgresUrl({ atEnd });
  if (memory) return "sqlite::memory:";
  if (file !== undefined) return `sqlite:${file}`;
  const folder = await mkdtemp(join(tmpdir(), "media-database-"));
  atEnd(() => rm(folder, { recursive: true }));
  return `sqlite:${join(folder, "test.db")}`;
}

/** A new, empty database in PostgreSQL, in any project; removed after the test. */
export async function postgresUrl({ atEnd = onTestFinished }: Pick<Options, "atEnd"> = {}): Promise<string> {
  const { url, drop } = await makeDatabase(serverOf());
  atEnd(drop);
  return url;
}

/** Whether this project's tests have a PostgreSQL. */
export const hasPostgres = (): boolean => Boolean(inject("postgresUrl"));

function serverOf(): string {
  const server = inject("postgresUrl");
  if (!server) throw new Error("This project of vitest.config.ts has no globalSetup that starts PostgreSQL.");
  return server;
}
