import type { Statement } from "@media-ops/database";
import type { Kysely } from "kysely";
import { nextVersion, nextVersionStatement } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

/** A stored project; `allowAnonymous` says whether clients may connect without a token. */
export type Project = ReturnType<typeof toProject>;

const COUNTER = "project";

// Without "@", at which a channel's id is split, and short enough to leave room for a channel's name.
const PROJECT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** The fault of a project's name; undefined if it is valid. */
export function projectIdFault(projectId: string): string | undefined {
  if (PROJECT_ID.test(projectId)) return undefined;
  return `Invalid project name "${projectId}": must be 1 to 63 letters, digits, ".", "_" or "-", and begin with a letter or a digit.`;
}

/** Creates a project. Returns false if the name is taken. */
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

/** Changes what a project allows. Returns false if the project does not exist. */
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

/** Marks a project as changed, so that every process reads it again. */
export async function markChanged(transaction: Kysely<Tables>, projectId: string): Promise<void> {
  await transaction
    .updateTable("project")
    .set({ version: await nextVersion(transaction, COUNTER) })
    .where("project_id", "=", projectId)
    .execute();
}

/** What `markChanged` does, in statements for another thread. */
export function markChangedStatements(query: Kysely<Tables>, projectId: string): Statement[] {
  const { count, version } = nextVersionStatement(query, COUNTER);
  const mark = query.updateTable("project").set({ version }).where("project_id", "=", projectId);
  return [count, mark.compile()];
}

/** The project with a name, if it exists. */
export async function findProject(query: Kysely<Tables>, projectId: string): Promise<Project | undefined> {
  const row = await query.selectFrom("project").selectAll().where("project_id", "=", projectId).executeTakeFirst();
  return row && toProject(row);
}

/** All projects, sorted by name. */
export async function listProjects(query: Kysely<Tables>): Promise<Project[]> {
  const rows = await query.selectFrom("project").selectAll().orderBy("project_id").execute();
  return rows.map(toProject);
}

/** Converts a row of the table `project`. */
export const toProject = (row: { project_id: string; created_at: string; allow_anonymous: number }) => ({
  projectId: row.project_id,
  createdAt: row.created_at,
  allowAnonymous: row.allow_anonymous === 1,
});
