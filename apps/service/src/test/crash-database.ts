import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect } from "vitest";
import { type LogKind, logKinds } from "../logs/log-store.js";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { prepareProjects } from "./prepare-projects.js";

/** The database of a service that is killed; opened only while the service is not running, or at the end. */
export interface CrashDatabase {
  /** The environment of a service that works with it. */
  readonly env: Record<string, string>;
  /** Creates projects that admit every client and have an event address. Returns the media server's key. */
  prepare(projects: readonly string[], url: string): Promise<string>;
  /** Checks that a file is intact, and ends the killed service's leases, which would expire after 15 s. */
  checkAfterKill(): Promise<void>;
  /** How many deliveries still wait. */
  waiting(): Promise<number>;
  /** All entries of a log, of all projects. */
  entries(kind: LogKind): Promise<Record<string, string>[]>;
}

export async function crashDatabase(): Promise<CrashDatabase> {
  const env = {
    MEDIA_DATABASE_URL: await databaseUrl(),
    MEDIA_MASTER_KEY: "5".repeat(64),
    MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true",
    MEDIA_MAX_LAG_MS: "0",
  };
  const use = async <T>(work: (query: Storage["query"], kind: Storage["kind"]) => Promise<T>): Promise<T> => {
    const storage = await openStorage(env.MEDIA_DATABASE_URL);
    try {
      return await work(storage.query, storage.kind);
    } finally {
      await storage.close();
    }
  };
  return {
    env,
    prepare: async (projects, url) => (await prepareProjects(env, projects, url)).intakeKey,
    checkAfterKill: () =>
      use(async (query, kind) => {
        if (kind === "sqlite") expect(await faultsOf(query)).toEqual([{ quick_check: "ok" }]);
        await query.updateTable("delivery_queue").set({ owned_until: 0 }).execute();
      }),
    waiting: () =>
      use(async (query) => {
        const waiting = query.selectFrom("delivery").where("state", "=", "waiting");
        const { count } = await waiting.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
        return count;
      }),
    entries: (kind) =>
      use(async (query) => {
        const rows = await query
          .selectFrom("log_entry")
          .select("entry")
          .where("kind", "=", logKinds[kind].number)
          .execute();
        return rows.map(({ entry }) => JSON.parse(entry));
      }),
  };
}

async function faultsOf(query: Storage["query"]): Promise<unknown[]> {
  return (await sql`pragma quick_check`.execute(query)).rows;
}
