import { searchOf, shorten } from "@media-ops/commands";
import { entryLabel, formatCount } from "@media-ops/formatters";
import * as csv from "@media-ops/formatters/csv";
import * as jsonl from "@media-ops/formatters/jsonl";
import { formatTrace, type SlackBlock, type SlackTraceOptions } from "@media-ops/formatters/slack";
import { askTrace, type Trace, type TraceLine, type TraceRequest, type TraceSubject } from "@media-ops/reports";
import { parseTimestamp } from "@media-ops/sdk";
import type { Button, StaticSelect } from "@slack/types";
import { endTracedButton } from "../acts/disconnect.js";
import type { Entry } from "../connections/connections.js";
import { type CommandNamed, language } from "../language.js";
import { backButton, bookmarks, DETAILS, keyAt } from "../logs/listing.js";
import { fillWindow } from "../problem.js";
import { askTogether, projectOverview } from "../projects/open-project.js";
import { projectLabel } from "../projects/words.js";
import { type Actions, type Forms, keep, type Request } from "../request.js";
import { answering, controls, type Opened, type Saved, savedAs, wayBack } from "../saved-command.js";
import {
  type Draft,
  MAX_LABEL,
  MAX_OPTION_VALUE,
  menu,
  optionOf,
  plainSection,
  Refused,
  row,
} from "../slack/answer.js";
import { endText, type FileForm, fileName, sendFile } from "../slack/send-file.js";
import { KEPT, type Modal, showIn, waitingModal } from "../slack/views.js";

/** A trace that can be shown again at any time. */
export type TraceView = Saved<CommandNamed<"trace">> & Paged;

interface Paged {
  /** @default the newest lines */
  readonly page?: TracePage | undefined;
}

type TracePage = Pick<TraceRequest, "order" | "skip"> & {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

const NEWEST = "new";
const DIGITS = String.raw`-|\d{14}(?:\.\d{1,60})?`;
const PAGE = new RegExp(`^([no]),(${DIGITS}),(${DIGITS}),(\\d{1,4})$`);

/** The traces in controls. A page is written in few characters: the options of a menu have room for only some. */
export const traces = savedAs<CommandNamed<"trace">, Paged>({
  name: "trace",
  write({ page }) {
    if (!page) return NEWEST;
    const { order, since, until, skip = 0 } = page;
    return [order === "oldest" ? "o" : "n", pack(since), pack(until), skip].join(",");
  },
  read(word) {
    if (word === NEWEST) return {};
    const [, order, since = "", until = "", skip] = PAGE.exec(word) ?? [];
    if (order === undefined) return undefined;
    const times = { since: unpack(since), until: unpack(until) };
    const isValid = Object.values(times).every((time) => time === undefined || parseTimestamp(time));
    return isValid ? { page: { order: order === "o" ? "oldest" : "newest", skip: Number(skip), ...times } } : undefined;
  },
  endOf: ({ page }, now) => (page ? undefined : now),
});

const pack = (time: string | undefined): string => time?.replaceAll(/[-:TZ]/g, "") ?? "-";

function unpack(digits: string): string | undefined {
  if (digits === "-") return undefined;
  return digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/, "$1-$2-$3T$4:$5:$6").concat("Z");
}

function pageIn({ order, skip, since, until }: TraceRequest): TracePage {
  const text = (time: string | Date | undefined) => (time instanceof Date ? time.toISOString() : time);
  return { order, skip, since: text(since), until: text(until) };
}

interface Subject {
  readonly is: TraceSubject;
  readonly what: string;
}

const subjectFields: readonly (readonly [is: TraceSubject, field: string])[] = [
  ["connection", "connection_id"],
  ["session", "session_id"],
  ["client", "client_id"],
  ["bundle", "bundle_id"],
  ["channel", "channel_id"],
];

/** What an entry is about, the most specific first. */
export function subjectsIn(entry: object): Subject[] {
  const fields = new Map(Object.entries(entry));
  return subjectFields.flatMap(([is, field]) => {
    const what: unknown = fields.get(field);
    return typeof what === "string" && what.trim() !== "" ? [{ is, what }] : [];
  });
}

/** What a field of an entry names; undefined for all other fields. */
export const subjectOf = (field: string): TraceSubject | undefined =>
  subjectFields.find(([, name]) => name === field)?.[0];

/** "connection 0J9V6TQ2M4EXK7C3R8ZB5HW1NA", "channel lobby" */
export function subjectIn({ what, is, in: project = "" }: CommandNamed<"trace">): string {
  const name = is === "channel" && what.endsWith(`@${project}`) ? what.slice(0, -project.length - 1) : what;
  return is === undefined ? name : `${is} ${name}`;
}

/** The trace of something that an entry names; what exists for long is shown from the entry's timestamp on. */
export function traceOf({ is, what }: Subject, project: string, at: string | undefined): TraceView {
  const command = { name: "trace", what, is, in: project } as const;
  const time = parseTimestamp(at ?? "");
  if (is === "connection" || is === "session" || !time) return { command };
  return { command, page: { order: "oldest", since: new Date(time.epochMilliseconds).toISOString() } };
}

/** A button with a trace; undefined if that is too long. */
export const traceButton = (label: string, action: string, view: TraceView): Button | undefined =>
  traces.button(shorten(label, MAX_LABEL), action, view);

/** A trace as it was read; what is saved has the whole id of what it is about. */
interface ReadTrace extends Opened<TraceView> {
  readonly trace: Trace;
  /** Which lines these are, if they are not those that were asked for. */
  readonly note?: string | undefined;
}

const reports = answering(traces, {
  read: readTrace,
  draw: traceDraft,
  share(read, sharedBy) {
    if (read.trace.lines.length === 0) return "Not shared: nothing is found any more.";
    const closer = traces.button("Look closer", controls.trace.closer, { ...pinned(read), back: undefined });
    return drawTrace(read, [sharedBy, ...row(closer)]);
  },
  upload: async (read, form, request) => (read.trace.lines.length === 0 ? undefined : upload(read, form, request)),
});

/** `/media trace`: all that the logs have about something, or all of it as a file. */
export async function trace({ as, ...command }: CommandNamed<"trace">, request: Request): Promise<Draft> {
  if (as !== "csv" && as !== "json") return reports.answer({ command }, request);
  return reports.file({ command }, as, request, "Show it here");
}

/** The most lines of a message: they fit into one, unless their names are unusually long. */
const LINES = 50;

/** Reads the page of a view, as many lines as a message can show; if it has none any more, those at that end. */
async function readTrace(opened: Opened<TraceView>, request: Request): Promise<ReadTrace> {
  const { what } = opened.saved.command;
  if (!/[^….\s]/.test(what)) throw new Refused(`trace takes an id or a channel, not "${what}".`);
  const read = await readFitting(opened, request);
  const { page } = opened.saved;
  if (!page || read.trace.lines.length > 0) return read;
  const isOldest = page.order === "newest";
  const end: TraceView = { ...opened.saved, page: isOldest ? { order: "oldest" } : undefined };
  const note = isOldest ? "No lines are older; these are the oldest." : "No lines are newer; these are the newest.";
  return { ...(await readFitting({ ...opened, saved: end }, request)), note };
}

// If fewer fit, those are read again; of a page of the oldest, they may be others, of which still fewer fit.
const TRIES = 3;

/** Reads a page again if not all of its lines fit into a message, so that the next page begins where it ends. */
async function readFitting(opened: Opened<TraceView>, request: Request): Promise<ReadTrace> {
  const { saved, project, now, timeZone } = opened;
  const { command } = saved;
  let limit = Math.min(command.last ?? LINES, LINES);
  for (let tries = 1; ; tries++) {
    const trace = await askTogether(project, request, (client, options) =>
      askTrace(client, { ...requestOf(saved), limit }, options),
    );
    const { shown } = formatTrace(trace, { now, timeZone });
    if (shown >= trace.lines.length || tries === TRIES) {
      const { subject: is, id: what } = trace;
      // What was found need not be found out again.
      return { ...opened, trace, saved: is === undefined ? saved : { ...saved, command: { ...command, what, is } } };
    }
    limit = shown;
  }
}

/** A page names the whole range, so that the command's own no longer counts. */
function requestOf({ command, page }: TraceView): TraceRequest {
  const { what, is, in: project_id, since, until } = command;
  return { project_id, what, as: is, ...(page ?? searchOf({ kind: "events", filters: [], since, until })) };
}

/** The view of the same lines at any later time: new ones don't displace them. */
function pinned({ saved, trace, now }: ReadTrace): TraceView {
  if (saved.page) return saved;
  const { since, until } = pageIn(requestOf(saved));
  // The media server's clock may be ahead.
  const newest = Math.max(now, Date.parse(trace.lines.at(-1)?.entry.timestamp ?? "") + 1 || now);
  return { ...saved, page: { since, until: until ?? new Date(newest).toISOString() } };
}

function optionsFor({ saved, trace, project, note, now, timeZone }: ReadTrace): SlackTraceOptions & { title: string } {
  const { command, page } = saved;
  const { is, what } = command;
  const { period } = language.phrases(command, { now, timeZone });
  const until = page ? Date.parse(page.until ?? "") : command.until;
  const subject = trace.subject === undefined ? `${is === undefined ? "" : `${is} `}${what}` : subjectIn(command);
  return {
    now,
    timeZone,
    title: `Trace of ${subject}, project ${projectLabel(project.id)}`,
    // Of other pages, the times of their lines say more.
    ...(!page && period !== "" && { when: period }),
    ...(Number.isFinite(until) && { until }),
    ...(note !== undefined && { note }),
  };
}

function drawTrace(read: ReadTrace, below: readonly SlackBlock[]): Draft {
  const { blocks, text } = formatTrace(read.trace, optionsFor(read));
  return { blocks: [...blocks, ...below], text };
}

async function traceDraft(
  read: ReadTrace,
  request: Request,
  { said, isShareable }: { said: SlackBlock[]; isShareable: boolean },
): Promise<Draft> {
  const { trace, saved, project, now } = read;
  const refresh = traces.page("Refresh", "refresh", { ...saved, page: undefined });
  const back = backButton(saved.back, now);
  if (trace.lines.length === 0) {
    return drawTrace(read, [
      ...said,
      ...(await findingBlocks(read, request, controls.trace.page)),
      ...row(refresh, back),
    ]);
  }
  const leaf = (label: string, id: string, to: TraceRequest | undefined) =>
    to && traces.page(label, id, { ...saved, page: pageIn(to) });
  return drawTrace(read, [
    ...said,
    ...row(
      leaf("Older", "older", trace.older),
      leaf("Newer", "newer", trace.newer),
      refresh,
      isShareable ? traces.button("Share here", controls.trace.share, pinned(read)) : undefined,
      traces.button("CSV", controls.trace.csv, pinned(read)),
      await endTracedButton(trace, project.id, request),
      back,
    ),
    ...row(detailsMenu(read), furtherMenu(read)),
  ]);
}

function detailsMenu({ trace, project, now, timeZone }: ReadTrace): StaticSelect | undefined {
  const options = trace.lines.map((line) => {
    const value = entryValue(line, trace.lines, project.id);
    return value === undefined ? undefined : optionOf(value, entryLabel(line.kind, line.entry, { now, timeZone }));
  });
  return menu("Details of…", DETAILS, options);
}

function entryValue({ kind, entry }: TraceLine, lines: readonly TraceLine[], projectId: string): string | undefined {
  // The newest first, as in the log.
  const ofKind = lines.flatMap((line): Entry[] => (line.kind === kind ? [line.entry] : [])).reverse();
  const key = keyAt(ofKind, ofKind.indexOf(entry));
  const command = { name: "logs", kind, filters: [], in: projectId } as const;
  return bookmarks.write({ command, spot: { is: "around", key, before: 0, count: 1 } }, MAX_OPTION_VALUE);
}

/** A menu of what the lines name beside what the trace is about: each leads to a trace of its own. */
function furtherMenu(read: ReadTrace): StaticSelect | undefined {
  const { trace, project } = read;
  const back = wayBack("trace", traces.write({ ...pinned(read), back: undefined }));
  // Some entries repeat the id of a connection as that of its client.
  const named = new Map<string, Subject>();
  for (const subject of trace.lines.flatMap(({ entry }) => subjectsIn(entry))) {
    if (subject.what !== trace.id && !named.has(subject.what)) named.set(subject.what, subject);
  }
  const options = [...named.values()].map((subject) => {
    const further = traceOf(subject, project.id, trace.lines[0]?.entry.timestamp);
    return traces.option(shorten(subjectIn(further.command), MAX_LABEL), { ...further, back });
  });
  return menu("Trace of…", `${controls.trace.page}:further`, options);
}

/** As many as the message names. */
const MOST_CANDIDATES = 20;
const MOST_PROJECTS = 3;

/** How to go on if a trace has no lines: buttons for the several things that a text may name, or for a wider search. */
async function findingBlocks({ trace, saved, project }: ReadTrace, request: Request, action: string) {
  const { command, back } = saved;
  const to = (label: string, id: string, other: TraceView["command"]) =>
    traceButton(label, `${action}:${id}`, { command: other, back });
  if (trace.candidates.length > 0) {
    const commands = trace.candidates.map(({ subject, id }) => ({ ...command, what: id, is: subject }));
    return row(...commands.slice(0, MOST_CANDIDATES).map((one, at) => to(subjectIn(one), `one-${at}`, one)));
  }
  if (trace.lines.length > 0) return [];
  const { is, ...anything } = command;
  const { since, until, ...anyTime } = command;
  const hasTime = since !== undefined || until !== undefined;
  const { connections } = await projectOverview(request);
  const others = connections.map(({ projectId }) => projectId).filter((id) => id !== project.id);
  const words = [
    "It takes the id of a session, connection, client or bundle, or a channel's name; the first characters of an id are enough.",
    "The logs have the last 30 days.",
    trace.missing.includes("events") ? "Without an event log, a session or connection is logged when it ends." : "",
  ];
  return [
    plainSection(words.filter(Boolean).join(" ")),
    ...row(
      hasTime ? to("Without the time", "any-time", anyTime) : undefined,
      is ? to(`Not only as ${is}`, "anything", anything) : undefined,
      ...others
        .slice(0, MOST_PROJECTS)
        .map((id, at) => to(`In ${projectLabel(id)}`, `project-${at}`, { ...command, in: id })),
    ),
  ];
}

// More lines are no trace that people read.
const MOST_LINES = 10_000;
// The contract's limit.
const MOST_AT_ONCE = 1000;

/** Sends all lines of the range to the person as a file, or the newest, and returns a sentence that says where it is. */
async function upload(opened: ReadTrace, form: FileForm, request: Request): Promise<string> {
  const { saved, project, now } = opened;
  // People wait longer for all lines than for a page.
  const patient = { ...request, answerBy: Number.POSITIVE_INFINITY };
  const { ask } = await request.clients.of(project.connection, patient);
  const { last } = saved.command;
  const most = last ?? MOST_LINES;
  // New lines don't belong to the file.
  let asked = { until: new Date(now).toISOString(), ...requestOf({ ...saved, page: undefined }) };
  let read: Trace | undefined;
  do {
    const limit = Math.min(MOST_AT_ONCE, most - (read?.lines.length ?? 0));
    const page: Trace = await ask((client, options) => askTrace(client, { ...asked, limit }, options));
    read = { ...page, lines: [...page.lines, ...(read?.lines ?? [])] };
    asked = { ...asked, ...page.older };
  } while (read.older && read.lines.length < most);
  const { lines, older, complete, searchedTo } = read;
  const end = older ? lines[0]?.entry.timestamp : complete ? undefined : searchedTo;
  // Excel needs the byte order mark to recognize UTF-8.
  const text = form === "csv" ? csv.formatTrace(read, { bom: true }) : jsonl.formatTrace(read);
  return sendFile(
    {
      filename: fileName(`trace-${project.id}`, form, now),
      file: Buffer.from(text),
      amount: `${formatCount(lines.length)} ${lines.length === 1 ? "line" : "lines"}`,
      heading: optionsFor(opened).title,
      end: endText(older && last !== undefined ? undefined : end),
    },
    request,
  );
}

/** The action of a button in a window that shows a trace there. */
export const TRACE_HERE = "trace-here";
const TRACE_WINDOW = "trace-window";
const TITLE = "Trace";

/** Shows a trace in an open window, which makes it a new message, or replaces the one that it was opened from. */
export async function showTraceIn(viewId: string, view: TraceView, request: Request, isNew: boolean): Promise<void> {
  await showIn(request, viewId, waitingModal(TITLE));
  await fillWindow(viewId, TITLE, request, async (): Promise<Modal> => {
    const read = await reports.open(view, request);
    const { blocks } = drawTrace(read, await findingBlocks(read, request, TRACE_HERE));
    const kept = keep(request, { trace: traces.write(read.saved), isNew });
    if (kept.length > KEPT) return { title: TITLE, blocks, keep: keep(request, { isNew }) };
    return { title: TITLE, blocks, callbackId: TRACE_WINDOW, submit: "Show as a message", keep: kept };
  });
}

export const traceActions: Actions = {
  ...reports.actions,
  [TRACE_HERE]: {
    async run(request, { value, view: window }) {
      const view = traces.in(value, request);
      if (window) await showTraceIn(window.id, view, request, window.kept.isNew === true);
      else await request.answer.say(await reports.answer(view, request));
    },
  },
};

export const traceForms: Forms = {
  [TRACE_WINDOW]: {
    async run(request, { kept: { trace: kept, isNew } }) {
      const draft = await reports.answer(traces.in(kept, request), request);
      await (isNew === true ? request.answer.say(draft) : request.answer.replace(draft));
    },
  },
};
