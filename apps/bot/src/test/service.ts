import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { createLog, readConfig, runCli, type Service, startService } from "@media-ops/service";
import { sql } from "kysely";
import { type AtEnd, withTemporaryFolder } from "./storage.js";

interface RunningProject {
  readonly apiKey: string;
  /** Adds entries to one of its logs. */
  add<Kind extends LogKind>(kind: Kind, ...entries: LogEntryOf<Kind>[]): Promise<void>;
}

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
export interface RunningService extends RunningProject {
  readonly url: string;
  /** Another project of the service. */
  project(name: string): RunningProject;
  stop(): Promise<void>;
}

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

/** A service's SQLite file with these projects. */
interface Template {
  readonly bytes: Buffer;
  readonly apiKeys: ReadonlyMap<string, string>;
}

let template: Promise<Template> | undefined;

const templateOnce = (): Promise<Template> => {
  template ??= makeTemplate();
  return template;
};

const makeTemplate = (names: readonly string[] = NAMES): Promise<Template> =>
  withTemporaryFolder(async (folder) => {
    const file = join(folder, "media.db");
    const apiKeys = new Map<string, string>();
    for (const name of names) apiKeys.set(name, await createProject(`sqlite:${file}`, name));
    return { bytes: await readFile(file), apiKeys };
  });

/**
 * Starts the real service; it is stopped at the end.
 *
 * @param folder The folder for its files.
 */
export async function startRunningService(
  folder: string,
  { databaseUrl: given, onDisk = false, now, names, atEnd }: ServiceDatabase,
): Promise<RunningService> {
  const file = join(folder, "media.db");
  const { bytes, apiKeys } =
    given === undefined ? await (names ? makeTemplate(names) : templateOnce()) : await projectsIn(given);
  if (given === undefined) await writeFile(file, bytes);
  const databaseUrl = given ?? (onDisk ? `sqlite:${file}` : "sqlite::memory:");
  const service = await startService({
    config: readConfig(envFor(databaseUrl)),
    log: createLog({ level: "silent" }),
    ...(now && { now }),
  });
  atEnd(() => service.stop());
  if (databaseUrl === "sqlite::memory:") await copyProjects(service, file);
  const project = (name: string): RunningProject => ({
    apiKey: apiKeys.get(name) ?? "",
    add: (kind, ...entries) =>
      service.store.append(
        entries.map((entry) => ({ projectId: name, kind, timestamp: entry.timestamp, text: JSON.stringify(entry) })),
      ),
  });
  return { url: service.url, ...project("demo"), project, stop: () => service.stop() };
}

async function projectsIn(databaseUrl: string): Promise<Template> {
  return { bytes: Buffer.alloc(0), apiKeys: new Map([["demo", await createProject(databaseUrl, "demo")]]) };
}

async function copyProjects({ storage: { query } }: Service, file: string): Promise<void> {
  await sql`attach database ${file} as made`.execute(query);
  for (const table of ["project", "api_key"]) {
    await sql`insert into ${sql.table(table)} select * from ${sql.table(`made.${table}`)}`.execute(query);
  }
  await sql`detach database made`.execute(query);
}
