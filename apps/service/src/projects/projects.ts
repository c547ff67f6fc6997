import type { Kysely } from "kysely";
import type { Tables } from "../storage/tables.js";
import { nextVersion } from "../storage/version.js";

/** A project as it is kept. */
export interface Project {
  readonly projectId: string;
  readonly createdAt: string;
  /** Whether clients are let in without a token. */
  readonly allowAnonymous: boolean;
}

const COUNTER = "project";

// No "@": a channel's id is split there. Short enough to leave a channel its name.
const PROJECT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** What is wrong with a project's name; undefined where it is right. */
export function projectIdFault(projectId: string): string | undefined {
  if (PROJECT_ID.test(projectId)) return undefined;
  return `"${projectId}" is no name for a project: it has 1 to 63 letters, digits, ".", "_" and "-", and begins with a letter or a digit.`;
}

/** Makes a project; false where there is one of this name. */
export async function createProject(query: Kysely<Tables>, projectId: string, now: number): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto("project")
      .values({
        project_id: projectId,
        created_at: new Date(now).toISOString(),
        version: await nextVersion(transaction, COUNTER),
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  });
}

/** Changes what a project allows; false where there is none of this name. */
export async function updateProject(
  query: Kysely<Tables>,
  projectId: string,
  { allowAnonymous }: Pick<Project, "allowAnonymous">,
): Promise<boolean> {
  return query.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable("project")
      .set({ allow_anonymous: allowAnonymous ? 1 : 0, version: await nextVersion(transaction, COUNTER) })
      .where("project_id", "=", projectId)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  });
}

/** Notes that something of a project has changed: every process then reads it again. */
export async function markChanged(transaction: Kysely<Tables>, projectId: string): Promise<void> {
  await transaction
    .updateTable("project")
    .set({ version: await nextVersion(transaction, COUNTER) })
    .where("project_id", "=", projectId)
    .execute();
}

export async function findProject(query: Kysely<Tables>, projectId: string): Promise<Project | undefined> {
  const row = await query.selectFrom("project").selectAll().where("project_id", "=", projectId).executeTakeFirst();
  return row && toProject(row);
}

export async function listProjects(query: Kysely<Tables>): Promise<Project[]> {
  const rows = await query.selectFrom("project").selectAll().orderBy("project_id").execute();
  return rows.map(toProject);
}

export function toProject(row: { project_id: string; created_at: string; allow_anonymous: number }): Project {
  return { projectId: row.project_id, createdAt: row.created_at, allowAnonymous: row.allow_anonymous === 1 };
}
