import { shorten } from "@media-ops/commands";
import { entryLabel } from "@media-ops/formatters";
import type { TraceLine } from "@media-ops/sdk";
import type { PlainTextOption, StaticSelect } from "@slack/types";
import type { Entry } from "../connections/clients.js";
import { keyAt, writeBookmark } from "../logs/bookmark.js";
import { DETAILS } from "../logs/message.js";
import { OPTION, TRACE_PAGE, wayBack } from "../saved-command.js";
import { MAX_LABEL, menu, optionOf } from "../slack/blocks.js";
import { type OpenedTrace, pinned, subjectIn } from "./open-trace.js";
import { type Subject, subjectsIn, traceOf } from "./subjects.js";
import { writeTraceView } from "./view.js";

/** A menu of the lines: each leads to its entry's window. */
export function detailsMenu({ trace, project, now, timeZone }: OpenedTrace): StaticSelect | undefined {
  const options = trace.lines.map((line): PlainTextOption | undefined => {
    const value = entryValue(line, trace.lines, project.id);
    return value === undefined ? undefined : optionOf(value, entryLabel(line.kind, line.entry, { now, timeZone }));
  });
  return menu("Details of…", DETAILS, options);
}

/** A bookmark of a line's entry in its own log. */
function entryValue({ kind, entry }: TraceLine, lines: readonly TraceLine[], projectId: string): string | undefined {
  // The newest first, as in the log.
  const ofKind = lines.filter((line) => line.kind === kind).reverse();
  const key = keyAt(
    ofKind.map((line): Entry => line.entry),
    ofKind.findIndex((line) => line.entry === entry),
  );
  const command = { name: "logs", kind, filters: [], in: projectId } as const;
  return writeBookmark({ command, spot: { is: "around", key, before: 0, count: 1 } }, OPTION);
}

/** A menu of what the lines name beside what the trace is about: each leads to a trace of its own. */
export function furtherMenu(opened: OpenedTrace): StaticSelect | undefined {
  const { trace, project } = opened;
  const back = wayBack(TRACE_PAGE, writeTraceView({ ...pinned(opened), back: undefined }));
  const at = trace.lines[0]?.entry.timestamp;
  // Some entries repeat the id of a connection as that of its client.
  const named = new Map<string, Subject>();
  for (const subject of trace.lines.flatMap(({ entry }) => subjectsIn(entry))) {
    if (subject.what !== trace.id && !named.has(subject.what)) named.set(subject.what, subject);
  }
  const options = [...named.values()].map((subject): PlainTextOption | undefined => {
    const further = traceOf(subject, project.id, at);
    const value = writeTraceView({ ...further, back }, OPTION);
    return value === undefined ? undefined : optionOf(value, shorten(subjectIn(further.command), MAX_LABEL));
  });
  return menu("Trace of…", `${TRACE_PAGE}:further`, options);
}
