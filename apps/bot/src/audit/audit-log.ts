import { randomUUID } from "node:crypto";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

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

/** An entry of the audit log. */
export interface AuditEntry {
  readonly id: string;
  readonly teamId: string;
  readonly at: number;
  /** The person in Slack. */
  readonly userId: string;
  readonly action: string;
  /** The conversation in Slack. */
  readonly placeId: string | undefined;
  readonly via: string | undefined;
  readonly projectId: string | undefined;
  /** The id of what was acted on, such as a token's; never a token or a key. */
  readonly subject: string | undefined;
  readonly outcome: string;
  /** Why it was refused or failed, or on which terms it was done. */
  readonly detail: string | undefined;
}

/** An act, before its outcome is known. */
export interface NewAudit extends Pick<AuditEntry, "teamId" | "userId" | "placeId" | "projectId" | "subject"> {
  readonly action: AuditAction;
  readonly via: Via;
}

/** What is known of an act once it is over. */
export interface AuditEnd extends Partial<Pick<AuditEntry, "projectId" | "subject" | "detail">> {
  readonly outcome: Exclude<AuditOutcome, "begun">;
}

/** Which entries to find; the newest first. */
export interface AuditFilter {
  /** Inclusive, in ms since 1970. */
  readonly since?: number | undefined;
  /** Exclusive. */
  readonly until?: number | undefined;
  readonly userId?: string | undefined;
  readonly action?: string | undefined;
  readonly projectId?: string | undefined;
  readonly limit: number;
}

/** Who did what in each workspace, and what came of it. */
export class AuditLog {
  readonly #query;
  readonly #now: () => number;

  constructor({ query }: Pick<Storage, "query">, now: () => number) {
    this.#query = query;
    this.#now = now;
  }

  /** Records that an act begins; it must not begin unless this succeeds. */
  begin(act: NewAudit): Promise<Pick<AuditEntry, "teamId" | "at" | "id">> {
    return this.#add(act, { outcome: "begun" });
  }

  /** Records what came of an act. */
  async end({ teamId, at, id }: Pick<AuditEntry, "teamId" | "at" | "id">, end: AuditEnd): Promise<void> {
    const { outcome, projectId, subject, detail } = end;
    await this.#query
      .updateTable("audit")
      .set({
        outcome,
        ...(projectId !== undefined && { project_id: projectId }),
        ...(subject !== undefined && { subject }),
        ...(detail !== undefined && { detail }),
      })
      .where("team_id", "=", teamId)
      .where("at", "=", at)
      .where("audit_id", "=", id)
      .execute();
  }

  /** Records an act whose outcome is known already. */
  async record(act: NewAudit, end: AuditEnd): Promise<void> {
    await this.#add(act, end);
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
    return rows.map(entryOf);
  }

  async #add(act: NewAudit, end: Omit<AuditEnd, "outcome"> & { outcome: AuditOutcome }) {
    const { teamId, userId, action, placeId, via } = act;
    const { outcome, detail, projectId = act.projectId, subject = act.subject } = end;
    const key = { teamId, at: this.#now(), id: randomUUID() };
    await this.#query
      .insertInto("audit")
      .values({
        team_id: teamId,
        at: key.at,
        audit_id: key.id,
        user_id: userId,
        action,
        place_id: placeId ?? null,
        via,
        project_id: projectId ?? null,
        subject: subject ?? null,
        outcome,
        detail: detail ?? null,
      })
      .execute();
    return key;
  }
}

function entryOf(row: Tables["audit"]): AuditEntry {
  return {
    id: row.audit_id,
    teamId: row.team_id,
    at: row.at,
    userId: row.user_id,
    action: row.action,
    placeId: row.place_id ?? undefined,
    via: row.via ?? undefined,
    projectId: row.project_id ?? undefined,
    subject: row.subject ?? undefined,
    outcome: row.outcome,
    detail: row.detail ?? undefined,
  };
}
