import type { Kysely } from "kysely";
import type { Tables } from "../storage/tables.js";

/** A project as it is kept. */
export interface Project {
  readonly projectId: string;
  readonly createdAt: string;
}

// No "@": a channel's id is split there. Short enough to leave a channel its name.
const PROJECT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** What is wrong with a project's name; undefined where it is right. */
export function projectIdFault(projectId: string): string | undefined {
  if (PROJECT_ID.test(projectId)) return undefined;
  return `"${projectId}" is no name for a project: it has 1 to 63 letters, digits, ".", "_" and "-", and begins with a letter or a digit.`;
}

/** Makes a project; false where there is one of this name. */
export async function createProject(query: Kysely<Tables>, projectId: string, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await query
    .insertInto("project")
    .values({ project_id: projectId, created_at: new Date(now).toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function projectExists(query: Kysely<Tables>, projectId: string): Promise<boolean> {
  const found = await query
    .selectFrom("project")
    .select("project_id")
    .where("project_id", "=", projectId)
    .executeTakeFirst();
  return found !== undefined;
}

export async function listProjects(query: Kysely<Tables>): Promise<Project[]> {
  const rows = await query.selectFrom("project").selectAll().orderBy("project_id").execute();
  return rows.map(({ project_id, created_at }) => ({ projectId: project_id, createdAt: created_at }));
}
