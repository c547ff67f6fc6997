import { columns } from "@media-ops/formatters";
import { formatLogDetail } from "@media-ops/formatters/slack";
import type { LogKind } from "@media-ops/sdk";
import { keep } from "../features.js";
import type { CommandNamed } from "../language.js";
import { problemDraft } from "../problem.js";
import type { Request } from "../request.js";
import { plainSection } from "../slack/blocks.js";
import { type Modal, showIn } from "../slack/views.js";
import { type Bookmark, type Listing, openListing, writeBookmark } from "./bookmark.js";
import { NEWEST, positionOf } from "./page.js";

/** The window of an entry that belongs to others. */
export const RELATED = "log-related";

/** Shows an entry with every field. The window is opened before it is looked for: Slack allows 3 s for that. */
export async function showDetails(bookmark: Bookmark, request: Request): Promise<void> {
  const title = titleOf(bookmark);
  const viewId = await request.openWindow(title);
  await showIn(request, viewId, await detailModal(bookmark, request, title));
}

async function detailModal(bookmark: Bookmark, request: Request, title: string): Promise<Modal> {
  try {
    const listing = await openListing(bookmark, request);
    return entryModal(listing, request, title);
  } catch (error) {
    // The person waits for the window, so the problem is shown there, without buttons.
    const blocks = problemDraft(error, request).blocks.filter(({ type }) => type !== "actions");
    return { title, blocks };
  }
}

/** The window of the entry that a bookmark points to. */
function entryModal(listing: Listing, request: Request, title: string): Modal {
  const { entries, bookmark, command, project, now, timeZone } = listing;
  const { spot } = bookmark;
  const place = spot.is === "around" ? positionOf(entries, spot.key) : undefined;
  if (!place?.isThere) return { title, blocks: [plainSection(GONE)] };
  const entry = entries[place.at];
  const { blocks } = formatLogDetail(command.kind, entry, { now, timeZone });
  const to = relatedTo(command.kind, entry, project.id);
  const value = to && writeBookmark({ command: to.command, spot: NEWEST, back: writeBookmark(bookmark) });
  const kept = keep(request, { related: value });
  if (!to || value === undefined || kept.length > KEPT) return { title, blocks };
  return { title, blocks, callbackId: RELATED, submit: to.label, keep: kept };
}

const GONE = "This entry is no longer listed. The service keeps entries for 30 days and lists the newest 1,000.";
/** The most data that Slack keeps with a window. */
const KEPT = 3000;

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

/** "Webhook", "API call". */
function titleOf({ command }: Bookmark): string {
  const { one } = columns[command.kind];
  return one.charAt(0).toUpperCase() + one.slice(1);
}
