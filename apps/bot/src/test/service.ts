import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { createLog, readConfig, runCli, startService } from "@media-ops/service";
import { sql } from "kysely";
import { type AtEnd, withTemporaryFolder } from "./storage.js";

/** A service in its operator's usual setup, with its project "demo". */
export type RunningService = Awaited<ReturnType<typeof startRunningService>>;

const envFor = (databaseUrl: string) => ({
  MEDIA_DATABASE_URL: databaseUrl,
  MEDIA_MASTER_KEY: "7".repeat(64),
  MEDIA_PORT: "0",
  MEDIA_INTAKE_PORT: "0",
  // A busy machine lags, too, and these tests don't measure that.
  MEDIA_MAX_LAG_MS: "0",
});

/** Creates a project with the operator's command, and returns its API key. */
async function createProject(databaseUrl: string, name: string): Promise<string> {
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  const args = ["projects", "create", name, "--json"];
  await runCli(args, { env: envFor(databaseUrl), now: Date.now, write, complain: write });
  return (JSON.parse(written.join("")) as { api_key: string }).api_key;
}

// Every project that tests use. Created once and copied, because that takes longer than starting a service.
const NAMES = ["demo", "other", "third", "garden", "planted"] as const;

let template: ReturnType<typeof makeTemplate> | undefined;

/** A service's SQLite file with these projects, and their API keys. */
const makeTemplate = (names: readonly string[]) =>
  withTemporaryFolder(async (folder) => {
    const file = join(folder, "media.db");
    const apiKeys = new Map<string, string>();
    for (const name of names) apiKeys.set(name, await createProject(`sqlite:${file}`, name));
    return { bytes: await readFile(file), apiKeys };
  });

/** Starts the real service with its files in a folder, by default on a new database in memory with the usual projects. */
export async function startRunningService(
  folder: string,
  {
    databaseUrl: given,
    onDisk = false,
    now,
    names,
    atEnd,
  }: {
    databaseUrl?: string | undefined;
    onDisk?: boolean;
    now?: () => number;
    names?: readonly string[];
    atEnd: AtEnd;
  },
) {
  const file = join(folder, "media.db");
  let apiKeys: ReadonlyMap<string, string>;
  if (given === undefined) {
    template ??= makeTemplate(NAMES);
    const made = await (names ? makeTemplate(names) : template);
    await writeFile(file, made.bytes);
    apiKeys = made.apiKeys;
  } else {
    apiKeys = new Map([["demo", await createProject(given, "demo")]]);
  }
  const databaseUrl = given ?? (onDisk ? `sqlite:${file}` : "sqlite::memory:");
  const service = await startService({
    config: readConfig(envFor(databaseUrl)),
    log: createLog({ level: "silent" }),
    ...(now && { now }),
  });
  atEnd(() => service.stop());
  if (databaseUrl === "sqlite::memory:") {
    const { query } = service.storage;
    await sql`attach database ${file} as made`.execute(query);
    for (const table of ["project", "api_key"]) {
      await sql`insert into ${sql.table(table)} select * from ${sql.table(`made.${table}`)}`.execute(query);
    }
    await sql`detach database made`.execute(query);
  }
  const project = (name: string) => ({
    apiKey: apiKeys.get(name) ?? "",
    /** Adds entries to one of its logs. */
    add: <Kind extends LogKind>(kind: Kind, ...entries: LogEntryOf<Kind>[]): Promise<void> =>
      service.store.append(
        entries.map((entry) => ({ projectId: name, kind, timestamp: entry.timestamp, text: JSON.stringify(entry) })),
      ),
  });
  return { url: service.url, ...project("demo"), project, stop: () => service.stop() };
}
