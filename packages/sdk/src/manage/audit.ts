import type { AuditEntry, AuditLog, ListAuditLogRequest } from "@media-ops/contract";
import { managePaths, type Timed } from "../operations.js";
import type { Send } from "../transport.js";
import { createList, isPageOf, type ListPages } from "./pages.js";

/** The audit log. A service without it is a `MediaNotFoundError`. */
export interface AuditApi {
  /**
   * Lists who changed what in the project. Entries are kept for a year.
   *
   * @example for await (const entry of client.audit.list.all({ action: "token.revoke" })) console.log(entry.subject);
   */
  list: ListPages<Timed<ListAuditLogRequest>, AuditLog, AuditEntry>;
}

/** Creates the audit part of a client. */
export function createAudit(send: Send): AuditApi {
  return {
    list: createList(send, { path: managePaths.listAudit, isPage: isAuditLog, itemsOf: (page) => page.entries }),
  };
}

function isAuditLog(body: unknown): body is AuditLog {
  return isPageOf(body, "entries", "action");
}
