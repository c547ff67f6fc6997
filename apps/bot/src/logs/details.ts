import { capital } from "@media-ops/commands";
import { logKinds } from "@media-ops/contract";
import { formatLogDetail, type SlackBlock } from "@media-ops/formatters/slack";
import type { LogKind } from "@media-ops/sdk";
import { mayDo } from "../acts/act.js";
import { resendButton } from "../acts/deliveries.js";
import { endButton } from "../acts/disconnect.js";
import { keep } from "../features.js";
import type { CommandNamed } from "../language.js";
import { openFilled } from "../problem.js";
import type { Request } from "../request.js";
import { plainSection, row } from "../slack/blocks.js";
import { KEPT, type Modal } from "../slack/views.js";
import { traceButton } from "../trace/trace.js";
import { subjectsIn, traceOf } from "../trace/view.js";
import { TRACE_HERE } from "../trace/window.js";
import { type Bookmark, NEWEST, positionOf, writeBookmark } from "./bookmark.js";
import { type Listing, openListing } from "./find.js";

/** The window of an entry with a related log, which its submit button shows. */
export const RELATED = "log-related";

/** Shows an entry with every field in a window. */
export async function showDetails(bookmark: Bookmark, request: Request): Promise<void> {
  // "Webhook", "API call".
  const title = capital(logKinds[bookmark.command.kind].one);
  await openFilled(title, request, async () => entryModal(await openListing(bookmark, request), request, title));
}

/** The window for a bookmark's entry. */
async function entryModal(listing: Listing, request: Request, title: string): Promise<Modal> {
  const { entries, bookmark, command, project, now, timeZone } = listing;
  const { spot } = bookmark;
  const place = spot.is === "around" ? positionOf(entries, spot.key) : undefined;
  if (!place?.isThere) return { title, blocks: [plainSection(GONE)] };
  const entry = entries[place.at];
  const detail = formatLogDetail(command.kind, entry, { now, timeZone });
  const blocks = [
    ...detail.blocks,
    ...traceButtons(entry, project.id, writeBookmark(bookmark)),
    ...row(await actOn(command.kind, entry, project.id, request)),
  ];
  const to = relatedTo(command.kind, entry, project.id);
  const value = to && writeBookmark({ command: to.command, spot: NEWEST, back: writeBookmark(bookmark) });
  const kept = keep(request, { related: value });
  if (!to || value === undefined || kept.length > KEPT) return { title, blocks, keep: keep(request) };
  return { title, blocks, callbackId: RELATED, submit: to.label, keep: kept };
}

/** A button for each of the things that an entry names: the window then shows its trace. */
function traceButtons(entry: unknown, projectId: string, back: string | undefined): SlackBlock[] {
  if (typeof entry !== "object" || entry === null) return [];
  const at = "timestamp" in entry && typeof entry.timestamp === "string" ? entry.timestamp : undefined;
  const buttons = subjectsIn(entry).map((subject) =>
    traceButton(`Trace ${subject.is}`, `${TRACE_HERE}:${subject.is}`, { ...traceOf(subject, projectId, at), back }),
  );
  return row(...buttons);
}

/** A button that sends a failed webhook again, or ends a connection that may not be over, for those who may. */
async function actOn(kind: LogKind, entry: unknown, projectId: string, request: Request) {
  if (typeof entry !== "object" || entry === null) return undefined;
  if (kind === "events" || kind === "connections") return endButton(entry, projectId, request);
  if (kind !== "webhooks" || !("status" in entry)) return undefined;
  const isFailed = !(Number(entry.status) >= 200 && Number(entry.status) < 300);
  return isFailed && (await mayDo("resend", request)) ? resendButton(entry, projectId) : undefined;
}

const GONE = "This entry is no longer listed. The service keeps entries for 30 days.";

type Logs = CommandNamed<"logs">;

/** The log that belongs to a session or a connection. */
function relatedTo(kind: LogKind, entry: unknown, projectId: string): { label: string; command: Logs } | undefined {
  const found = related[kind];
  if (!found || typeof entry !== "object" || entry === null || !("session_id" in entry)) return undefined;
  const { session_id: id } = entry;
  if (typeof id !== "string" || id === "") return undefined;
  const filter = { field: "session", negated: false, test: { is: "like", any: [[id]] } } as const;
  return { label: found.label, command: { name: "logs", kind: found.kind, filters: [filter], in: projectId } };
}

const related: { readonly [Kind in LogKind]?: { readonly label: string; readonly kind: LogKind } } = {
  sessions: { label: "Show its connections", kind: "connections" },
  connections: { label: "Show its session", kind: "sessions" },
};
