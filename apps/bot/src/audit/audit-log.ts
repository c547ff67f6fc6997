import { randomUUID } from "node:crypto";
import type { Storage } from "../storage/open-storage.js";
import { type Entity, fromRow, type Tables, toRow } from "../storage/tables.js";

/** What the audit log records. */
export type AuditAction =
  | "token.mint"
  | "token.request"
  | "token.approve"
  | "token.deny"
  | "token.revoke"
  | "deliveries.resend"
  | "endpoint.enable"
  | "disconnect.channel"
  | "disconnect.connection"
  | "project.connect"
  | "project.disconnect";

/** What came of an act: `begun` if the bot stopped before it knew, so that it may have happened. */
export type AuditOutcome = "begun" | "done" | "refused" | "failed" | "lapsed";

/** How a person acted; `timer` if nobody did, because time ran out. */
export type Via = "command" | "button" | "window" | "shortcut" | "mention" | "home" | "timer";

/** An entry of the audit log. `subject` is the id of what was acted on, such as a token's; never a token or a key. */
export type AuditEntry = Omit<Entity<Tables["audit"]>, "auditId"> & { readonly id: string };

/** An act, before its outcome is known. */
export interface NewAudit extends Pick<AuditEntry, "teamId" | "userId" | "placeId" | "projectId" | "subject"> {
  readonly action: AuditAction;
  readonly via: Via;
}

/** What is known of an act once it is over; `detail` says why it was refused or failed, or on which terms it was done. */
export interface AuditEnd extends Partial<Pick<AuditEntry, "projectId" | "subject" | "detail">> {
  readonly outcome: Exclude<AuditOutcome, "begun">;
}

/** Which entries to find: from `since` on, and before `until`, in ms since 1970. */
export interface AuditFilter extends Partial<Pick<AuditEntry, "projectId">> {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly userId?: string | undefined;
  readonly action?: string | undefined;
  readonly limit: number;
}

type AuditKey = Pick<AuditEntry, "teamId" | "at" | "id">;

/** Who did what in each workspace, and what came of it. */
export class AuditLog {
  readonly #query;
  readonly #now: () => number;

  constructor({ query }: Pick<Storage, "query">, now: () => number) {
    this.#query = query;
    this.#now = now;
  }

  /** Records that an act begins; it must not begin unless this succeeds. */
  begin(act: NewAudit): Promise<AuditKey> {
    return this.#add({ ...act, outcome: "begun" });
  }

  async end({ teamId, at, id }: AuditKey, end: AuditEnd): Promise<void> {
    await this.#query
      .updateTable("audit")
      .set(toRow(end))
      .where((row) => row.and({ team_id: teamId, at, audit_id: id }))
      .execute();
  }

  async record(act: NewAudit, end: AuditEnd): Promise<void> {
    await this.#add({ ...act, ...end });
  }

  /** The newest entries of a workspace; the newest first. */
  async find(teamId: string, { since, until, userId, action, projectId, limit }: AuditFilter): Promise<AuditEntry[]> {
    let found = this.#query.selectFrom("audit").selectAll().where("team_id", "=", teamId);
    if (since !== undefined) found = found.where("at", ">=", since);
    if (until !== undefined) found = found.where("at", "<", until);
    if (userId !== undefined) found = found.where("user_id", "=", userId);
    if (action !== undefined) found = found.where("action", "=", action);
    if (projectId !== undefined) found = found.where("project_id", "=", projectId);
    const rows = await found.orderBy("at", "desc").orderBy("audit_id", "desc").limit(limit).execute();
    return rows.map(({ audit_id: id, ...row }) => ({ id, ...fromRow(row) }));
  }

  async #add(entry: NewAudit & Omit<AuditEnd, "outcome"> & { outcome: AuditOutcome }): Promise<AuditKey> {
    const key = { teamId: entry.teamId, at: this.#now(), id: randomUUID() };
    const { id: auditId, at } = key;
    await this.#query
      .insertInto("audit")
      .values(toRow({ ...entry, at, auditId }))
      .execute();
    return key;
  }
}
