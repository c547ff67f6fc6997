import type { AuditEntry } from "@media-ops/contract";
import type { Statement } from "@media-ops/database";
import type { Kysely } from "kysely";
import { type Page, readAlong } from "../reads/along.js";
import type { Work } from "../reads/pace.js";
import { redact } from "../secrets/redact.js";
import { firstIdAt, idBounds, newSortedId } from "../storage/sorted-ids.js";
import type { Tables } from "../storage/tables.js";

/** Which entries of the audit log to list. */
export interface AuditFilter {
  /** All projects, and what concerns the whole service, if left out. */
  readonly projectId?: string | undefined;
  readonly action?: string | undefined;
  readonly requestedBy?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly before?: string | undefined;
}

/** An entry of the audit log, with the project and the id by which the listing goes on. */
export interface StoredAuditEntry {
  readonly projectId: string;
  readonly auditId: string;
  readonly entry: AuditEntry;
}

const YEAR_MS = 366 * 24 * 60 * 60 * 1000;
// The contract's limits.
const MAX_TEXT = 1024;

/** The statement that writes an entry, without secrets; the project's id is empty for the whole service. */
export function auditStatement(query: Kysely<Tables>, projectId: string, entry: AuditEntry): Statement {
  const { subject, detail } = entry;
  const shown: AuditEntry = {
    ...entry,
    ...(subject !== undefined && { subject: cut(redact(subject)) }),
    ...(detail !== undefined && { detail: cut(redact(detail)) }),
  };
  const { sql, parameters } = query
    .insertInto("audit_entry")
    .values({
      project_id: projectId,
      audit_id: newSortedId(Date.parse(entry.timestamp)),
      action: entry.action,
      requested_by: entry.requested_by ?? null,
      entry: JSON.stringify(shown),
    })
    .compile();
  return { sql, parameters };
}

const cut = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…` : text;

/** A page of the matching entries, the newest first; `next` is for `before`. */
export async function listAudit(
  query: Kysely<Tables>,
  work: Work,
  { projectId, action, requestedBy, since, until, before, limit }: AuditFilter & { readonly limit: number },
): Promise<Page<StoredAuditEntry>> {
  const between = (after: string | undefined, upTo?: string) =>
    query
      .selectFrom("audit_entry")
      .$if(projectId !== undefined, (found) => found.where("project_id", "=", projectId ?? ""))
      .where(({ and, eb }) =>
        and(idBounds({ order: "newest", since, until, after, upTo }).map(([is, id]) => eb("audit_id", is, id))),
      )
      .orderBy("audit_id", "desc");
  return readAlong<StoredAuditEntry>(work, {
    after: before,
    limit,
    keyOf: ({ auditId }) => auditId,
    async border(after, count) {
      const last = between(after)
        .select("audit_id")
        .offset(count - 1);
      return (await last.limit(1).executeTakeFirst())?.audit_id;
    },
    async read(after, upTo, most) {
      const rows = await between(after, upTo)
        .select(["project_id", "audit_id", "entry"])
        .$if(action !== undefined, (found) => found.where("action", "=", action ?? ""))
        .$if(requestedBy !== undefined, (found) => found.where("requested_by", "=", requestedBy ?? ""))
        .limit(most)
        .execute();
      return rows.map((row) => ({ projectId: row.project_id, auditId: row.audit_id, entry: JSON.parse(row.entry) }));
    },
  });
}

/** Deletes the entries that were written more than a year before a time, in ms since 1970. */
export async function sweepAudit(query: Kysely<Tables>, time: number): Promise<void> {
  await query
    .deleteFrom("audit_entry")
    .where("audit_id", "<", firstIdAt(time - YEAR_MS))
    .execute();
}
