import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { createLog, readConfig, runCli, type Service, startService } from "@media-ops/service";
import { sql } from "kysely";
import { type AtEnd, withTemporaryFolder } from "./storage.js";

interface ServiceDatabase {
  /** The service's database. @default a new one that has the projects below */
  databaseUrl?: string | undefined;
  /** Whether a new database is a file; in memory it is faster. @default false */
  onDisk?: boolean;
  /** @default Date.now */
  now?: () => number;
  /** The projects of a new database on disk. @default those that most tests use */
  names?: readonly string[];
  atEnd: AtEnd;
}

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

const templateOnce = () => {
  template ??= makeTemplate(NAMES);
  return template;
};

/** Starts the real service with its files in a folder; it is stopped at the end. */
export async function startRunningService(
  folder: string,
  { databaseUrl: given, onDisk = false, now, names, atEnd }: ServiceDatabase,
) {
  const file = join(folder, "media.db");
  let apiKeys: ReadonlyMap<string, string>;
  if (given === undefined) {
    const made = await (names ? makeTemplate(names) : templateOnce());
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
  if (databaseUrl === "sqlite::memory:") await copyProjects(service, file);
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

async function copyProjects({ storage: { query } }: Service, file: string): Promise<void> {
  await sql`attach database ${file} as made`.execute(query);
  for (const table of ["project", "api_key"]) {
    await sql`insert into ${sql.table(table)} select * from ${sql.table(`made.${table}`)}`.execute(query);
  }
  await sql`detach database made`.execute(query);
}
