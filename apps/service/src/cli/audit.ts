import { userInfo } from "node:os";
import type { AuditEntry } from "@media-ops/contract";
import { auditStatement, listAudit } from "../audit/audit.js";
import { unhurried } from "../reads/along.js";
import type { Storage } from "../storage/open-storage.js";
import { type Command, printable, readLimit, readTimes, timeOptions, toTable } from "./command.js";

const MAX_LIMIT = 100_000;

/** `audit`. */
export const auditCommand: Command = {
  name: "audit",
  parameters: ["[project]"],
  options: [
    ...timeOptions,
    { name: "action", value: "<action>", summary: "only this action, such as token.revoke" },
    { name: "by", value: "<person>", summary: "only what this person or program has requested" },
    { name: "limit", value: "<number>", summary: "how many, the newest first; 50 by default" },
    { name: "lines", summary: "print each entry as a line of JSON" },
  ],
  summary: "Lists who changed what, in a project or in all, the newest first.",
  help: `Shows what was requested through the API (tokens revoked, events sent again, clients disconnected), with what was refused, and the commands of operators. Entries are kept for a year.
To export all: media-ops audit --lines --limit ${MAX_LIMIT} > audit.jsonl`,
  async run({ open, now }, [projectId], { values, switches }) {
    const { action, by: requestedBy } = values;
    const limit = readLimit(values.limit, { standard: 50, most: MAX_LIMIT });
    const filter = { projectId, action, requestedBy, ...readTimes(values, now()) };
    const { query } = await open(projectId);
    const { rows: found } = await listAudit(query, unhurried, { ...filter, limit });
    const entries = found.map(({ projectId: project, entry }) => ({ project_id: project || null, ...entry }));
    const rows = found.map(({ projectId: project, entry }) => [
      entry.timestamp,
      project || "–",
      entry.requested_by ?? entry.key_id ?? "–",
      entry.action,
      printable(entry.subject ?? "–", 60),
      entry.outcome,
      printable(entry.detail ?? "", 60),
    ]);
    const headings = ["time", "project", "by", "action", "subject", "outcome", "detail"];
    return {
      text: switches.has("lines")
        ? entries.map((entry) => JSON.stringify(entry)).join("\n")
        : toTable(headings, rows, "Nothing was changed."),
      json: entries,
    };
  },
};

/** A command of the operator that has changed something, or has failed to. */
interface RanCommand extends Pick<AuditEntry, "outcome" | "detail"> {
  readonly name: string;
  readonly parameters: readonly string[];
  /** Empty if it concerns the whole service. */
  readonly projectId: string;
  readonly now: number;
}

/** Records a command of the operator in the audit log. */
export async function recordCommand(storage: Storage, ran: RanCommand): Promise<void> {
  const { name, parameters, projectId, outcome, detail, now } = ran;
  const entry: AuditEntry = {
    timestamp: new Date(now).toISOString(),
    action: `operator.${name}`,
    outcome,
    ...(parameters.length > 0 && { subject: parameters.map(withoutQuery).join(" ") }),
    ...(detail !== undefined && { detail }),
    requested_by: `operator:${operatorName()}`,
  };
  await storage.writeAll([auditStatement(storage.query, projectId, entry)]);
}

/** A parameter; if it is a URL, without the query, which may hold a secret. */
const withoutQuery = (parameter: string): string =>
  parameter.replace(/^(https?:\/\/)(?:[^/?#]*@)?([^?#]*).*$/is, "$1$2");

function operatorName(): string {
  try {
    const { username } = userInfo();
    return username.replace(/[^ -~]/g, "?").slice(0, 200);
  } catch {
    // A container's user may have no name.
    return String(process.getuid?.() ?? "unknown");
  }
}
