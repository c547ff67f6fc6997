import { databaseUrl } from "@media-ops/testing";
import { sql } from "kysely";
import { expect } from "vitest";
import type { LogKind } from "../logs/log-store.js";
import { openStorage, type Storage } from "../storage/open-storage.js";
import { entriesIn } from "./chaos.js";
import { prepareProjects, sharedEnv } from "./prepare-projects.js";

/** The database of a service that is killed; opened only while the service is not running, or at the end. */
export async function crashDatabase() {
  const { MEDIA_PORT, MEDIA_INTAKE_PORT, ...env } = sharedEnv(await databaseUrl());
  const use = async <T>(work: (storage: Storage) => Promise<T>): Promise<T> => {
    const storage = await openStorage(env.MEDIA_DATABASE_URL);
    return work(storage).finally(() => storage.close());
  };
  return {
    env,
    /** Creates projects that admit every client and have an event address. Returns the media server's key. */
    prepare: async (projects: readonly string[], url: string) => (await prepareProjects(env, projects, url)).intakeKey,
    /** Checks that a file is intact, and ends the killed service's leases, which would expire after 15 s. */
    checkAfterKill: () =>
      use(async ({ query, kind }) => {
        if (kind === "sqlite")
          expect((await sql`pragma quick_check`.execute(query)).rows).toEqual([{ quick_check: "ok" }]);
        await query.updateTable("delivery_queue").set({ owned_until: 0 }).execute();
      }),
    waiting: () =>
      use(async ({ query }) => {
        return (await query.selectFrom("delivery").select("event_id").where("state", "=", "waiting").execute()).length;
      }),
    entries: (kind: LogKind) => use(({ query }) => entriesIn(query, kind)),
  };
}
