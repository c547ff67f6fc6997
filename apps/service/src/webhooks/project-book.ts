import type { Kysely } from "kysely";
import { Follower } from "../follower.js";
import { type Project, toProject } from "../projects/projects.js";
import type { Tables } from "../storage/tables.js";
import { type Webhook, type WebhookKind, webhooksOf } from "./webhooks.js";

/** A project with its webhook addresses. */
export interface KnownProject extends Project {
  readonly webhooks: Readonly<Partial<Record<WebhookKind, Webhook>>>;
}

// An operator's change takes effect within this time.
const REFRESH_MS = 1000;
const LOOK_EVERY_MS = 20;

/** All projects, cached in memory, so that events do not wait for a database read. */
export class ProjectBook {
  readonly #projects: ReadonlyMap<string, KnownProject>;
  readonly #follower: Follower<KnownProject>;

  private constructor(projects: ReadonlyMap<string, KnownProject>, follower: Follower<KnownProject>) {
    this.#projects = projects;
    this.#follower = follower;
  }

  /** @param onChange Called with an error when the projects can't be read any more, without one when they can. */
  static async open(query: Kysely<Tables>, onChange: (error: unknown) => void): Promise<ProjectBook> {
    const projects = new Map<string, KnownProject>();
    const follower = await Follower.start<KnownProject>({
      read: (version, limit) => projectsSince(query, version, limit),
      keep: (project) => void projects.set(project.projectId, project),
      everyMs: REFRESH_MS,
      onChange,
    });
    return new ProjectBook(projects, follower);
  }

  known(projectId: string): KnownProject | undefined {
    return this.#projects.get(projectId);
  }

  /** The project with this id, even if it was created a moment ago. */
  async find(projectId: string): Promise<KnownProject | undefined> {
    const known = this.known(projectId);
    if (known) return known;
    // Requests for unknown projects share a few reads of the database.
    await this.#follower.refreshSoon(LOOK_EVERY_MS);
    return this.known(projectId);
  }

  refresh(): Promise<void> {
    return this.#follower.refresh();
  }

  close(): void {
    this.#follower.close();
  }
}

async function projectsSince(query: Kysely<Tables>, since: number, limit: number) {
  const rows = await query
    .selectFrom("project")
    .selectAll()
    .where("version", ">", since)
    .orderBy("version")
    .limit(limit)
    .execute();
  const ids = rows.map(({ project_id }) => project_id);
  const webhooks = ids.length === 0 ? [] : await webhooksOf(query, ids);
  const ofProject = (id: string) => webhooks.filter(({ projectId }) => projectId === id);
  return {
    rows: rows.map((row) => ({
      ...toProject(row),
      webhooks: Object.fromEntries(ofProject(row.project_id).map((webhook) => [webhook.kind, webhook])),
    })),
    version: rows.at(-1)?.version ?? since,
  };
}
