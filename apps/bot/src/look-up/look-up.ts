import { shorten } from "@media-ops/commands";
import { logKinds } from "@media-ops/contract";
import type { TraceSubject } from "@media-ops/reports";
import type { LogCounts } from "@media-ops/sdk";
import { redact } from "@media-ops/secrets";
import { isObject, undoEscapes } from "../http/entrance.js";
import { language } from "../language.js";
import { orProblem } from "../problem.js";
import {
  askTogether,
  nothingConnected,
  nothingIfLacking,
  openProject,
  projectOverview,
} from "../projects/open-project.js";
import { projectLabel, typed } from "../projects/words.js";
import { keep, type Request, type Shortcuts, type UsedMessage } from "../request.js";
import { MAX_LABEL, mrkdwnSection, plainSection, Refused, row, smallPrint } from "../slack/answer.js";
import { type Modal, showIn } from "../slack/views.js";
import { showTraceIn, subjectIn, subjectOf, TRACE_HERE, type TraceView, traceButton } from "../trace/trace.js";

/** A part of a message's text. */
export interface Piece {
  readonly text: string;
  /** A code span, or a cell of a table, whose column says what it is. */
  readonly as?: "code" | TraceSubject | undefined;
}

// A message has far fewer characters and levels; more is not one that people read.
const MOST_CHARACTERS = 100_000;
const DEEPEST = 20;

/** The text of a message, in the order in which it is read. Its plain text is last: it repeats that of its blocks. */
export function piecesOf({ text, blocks, attachments }: Pick<UsedMessage, "text" | "blocks" | "attachments">): Piece[] {
  let room = MOST_CHARACTERS;
  const pieces = [...read(blocks, DEEPEST), ...read(attachments, DEEPEST), ...markup(text)];
  return pieces.flatMap((piece) => {
    const kept = piece.text.slice(0, Math.max(0, room));
    room -= piece.text.length;
    return kept === "" ? [] : [{ ...piece, text: kept }];
  });
}

/** The members of blocks and attachments that contain text or further parts, in the order in which they are shown. */
const MEMBERS = ["pretext", "title", "caption", "text", "value", "fields", "rows", "elements", "blocks", "footer"];

function read(part: unknown, depth: number): Piece[] {
  if (depth === 0) return [];
  if (typeof part === "string") return markup(part);
  if (Array.isArray(part)) return part.flatMap((one) => read(one, depth - 1));
  if (!isObject(part)) return [];
  const { type, text, style, rows } = part;
  // Buttons and menus aren't content.
  if (type === "actions") return [];
  if (typeof text === "string" && type === "text") {
    return [{ text, ...(isObject(style) && style.code === true && { as: "code" }) }];
  }
  if (typeof text === "string" && (type === "plain_text" || type === "raw_text" || type === "link")) return [{ text }];
  if (Array.isArray(rows)) return cellsIn(rows, depth - 1);
  return MEMBERS.flatMap((member) => read(part[member], depth - 1));
}

/** Code spans, and the text between them. Code blocks are text: they contain more than one name. */
function markup(text: string): Piece[] {
  return text.split(/(```[\s\S]*?```|`[^`\n]+`)/).flatMap((part): Piece[] => {
    if (part === "") return [];
    const isCode = part.startsWith("`") && !part.startsWith("```");
    return [isCode ? { text: undoEscapes(part.slice(1, -1)), as: "code" } : { text: undoEscapes(part) }];
  });
}

const titles: ReadonlyMap<string, TraceSubject> = new Map(
  Object.values(logKinds).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([field, { title }]): [string, TraceSubject][] => {
      const subject = subjectOf(field);
      return subject === undefined ? [] : [[title, subject]];
    }),
  ),
);

/** The cells of a table, row by row. The first row has the titles. */
function cellsIn([head, ...rows]: readonly unknown[], depth: number): Piece[] {
  const textIn = (cell: unknown): string =>
    read(cell, depth)
      .map(({ text }) => text)
      .join("");
  const subjects = (Array.isArray(head) ? head : []).map((cell) => titles.get(textIn(cell)));
  return rows.flatMap((row) =>
    (Array.isArray(row) ? row : []).map((cell, at): Piece => ({ text: textIn(cell), as: subjects[at] })),
  );
}

/** What a message names, and can be traced. */
export interface FoundSubject {
  readonly what: string;
  readonly is?: TraceSubject | undefined;
  readonly project?: string | undefined;
}

/** Finds ids, channels of projects, cells of tables and names in code, in this order, each once, and at most 50. */
export function findSubjects(pieces: readonly Piece[], projects: readonly string[]): FoundSubject[] {
  const safe = withoutSecrets(pieces);
  const channel = channelPattern(projects);
  const found = [
    ...matching(safe, WHOLE_ID),
    ...matching(safe, SHORTENED_ID),
    ...(channel ? channelsIn(safe, channel) : []),
    ...safe.flatMap(cellIn),
    ...safe.flatMap(codeIn),
  ];
  const distinct: FoundSubject[] = [];
  for (const one of found) {
    if (distinct.length === MOST) break;
    if (!distinct.some((other) => isSame(one.what, other.what))) distinct.push(one);
  }
  return distinct;
}

/** Keys and tokens may look like ids or names, and are never repeated. */
const withoutSecrets = (pieces: readonly Piece[]): Piece[] =>
  pieces.map((piece) => {
    const text = redact(piece.text);
    return text === piece.text ? piece : { text };
  });

/** The words of a message, each once, that may be names of channels and clients. */
export function wordsIn(pieces: readonly Piece[]): string[] {
  const words = withoutSecrets(pieces).flatMap(({ text }) => text.match(WORD) ?? []);
  return [...new Set(words)].filter((word) => word.length <= LONGEST && !/^\d{1,3}$/.test(word)).slice(0, MOST);
}

// A dot or dash at its end belongs to the sentence.
const WORD = /[\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?/gu;

/** More than anyone chooses from. */
const MOST = 50;

// Of letters and digits, as the media server makes them; a word in capitals has no digit.
const WHOLE_ID = /(?<![\w-])(?=[A-Z]*\d)[\dA-Z]{26}(?![\w-])/g;
// As tables show them: ids of the media server, and longer ones that clients chose.
const SHORTENED_ID = /(?<![\w…-])(?:(?=[A-Z]*\d)[\dA-Z]{4,25}(?:…|\.{3})[\dA-Z]*|[\w.:@-]{8}…[\w.:@-]{4})(?![\w…-])/g;

function matching(pieces: readonly Piece[], pattern: RegExp): FoundSubject[] {
  return pieces.flatMap(({ text, as }) =>
    [...text.matchAll(pattern)].map(([what]) => ({
      what: what.replace("...", "…"),
      ...(as !== "code" && as && { is: as }),
    })),
  );
}

/** A name ends at a blank, a quote, a bracket or a separator; an address goes on behind the project. */
const EDGES = String.raw`\s"'\x60()[\]{}<>:=,;…`;

function channelPattern(projects: readonly string[]): RegExp | undefined {
  const names = projects.map((name) => name.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)).join("|");
  if (names === "") return undefined;
  return new RegExp(`(?<![^${EDGES}])[^${EDGES}]{1,200}@(${names})(?![\\w-]|[.@]\\w)`, "g");
}

const channelsIn = (pieces: readonly Piece[], pattern: RegExp): FoundSubject[] =>
  pieces.flatMap(({ text }) =>
    [...text.matchAll(pattern)].map(([what, project]): FoundSubject => ({ what, is: "channel", project })),
  );

/** A cell without a value has only a dash. */
const NAME = /[\p{L}\p{N}]/u;
const LONGEST = 255;

function cellIn({ text, as }: Piece): FoundSubject[] {
  const what = text.trim();
  return as === undefined || as === "code" || !isName(what) ? [] : [{ what, is: as }];
}

/** One word that is neither a command or a path, nor an address, nor the status of a request. */
function codeIn({ text, as }: Piece): FoundSubject[] {
  const what = text.trim();
  const isNone = /^[/-]|:\/\/|\s|^\d{1,3}$/.test(what);
  return as !== "code" || isNone || !isName(what) ? [] : [{ what }];
}

const isName = (text: string): boolean => text.length <= LONGEST && NAME.test(text);

/** Whether one of two is the other, or its shortened form. */
function isSame(one: string, other: string): boolean {
  const [start = "", end] = other.split("…");
  const [ownStart = "", ownEnd] = one.split("…");
  if (end !== undefined && ownEnd === undefined) return one.startsWith(start) && one.endsWith(end);
  if (ownEnd !== undefined && end === undefined) return other.startsWith(ownStart) && other.endsWith(ownEnd);
  return one === other;
}

const TITLE = "Look up";

/** The shortcut in the menu of a message. */
export const lookUpShortcuts: Shortcuts = { look_up: lookUp };

/** Shows the trace of what a message names, in a window: only the person sees it, also where the bot is not. */
async function lookUp(request: Request, message?: UsedMessage): Promise<void> {
  const viewId = await request.openWindow(TITLE);
  let only: TraceView | undefined;
  const modal = await orProblem(TITLE, request, async () => {
    const views = await viewsFor(message, request);
    [only] = views.length === 1 ? views : [];
    return views.length === 0 ? nothingModal(request) : choiceModal(views, request);
  });
  await (only ? showTraceIn(viewId, only, request, true) : showIn(request, viewId, modal));
}

/** The traces of what a message names; in each project, if it names none and none is in use. */
async function viewsFor(message: UsedMessage | undefined, request: Request): Promise<TraceView[]> {
  const { connections, here } = await projectOverview(request);
  if (connections.length === 0) throw new Refused(await nothingConnected(request));
  const projects = connections.map(({ projectId }) => projectId);
  const places = here ? [here.projectId] : projects;
  const pieces = message ? piecesOf(message) : [];
  const found = findSubjects(pieces, projects);
  if (found.length === 0) {
    const words = wordsIn(pieces);
    const known = places.slice(0, MOST_PROJECTS).map((place) => knownIn(place, words, request));
    return (await Promise.all(known)).flat();
  }
  return found.flatMap((one) =>
    (one.project === undefined ? places : [one.project]).map((place) => viewOf(one, place)),
  );
}

const viewOf = ({ what, is }: FoundSubject, place: string): TraceView => ({
  command: { name: "trace", what, ...(is && { is }), in: place },
});

const MOST_PROJECTS = 5;
const DAY_MS = 86_400_000;

/** The traces of channels and clients that had events in the last day, and whose names are among the words. */
async function knownIn(place: string, words: string[], request: Request): Promise<TraceView[]> {
  if (words.length === 0) return [];
  const project = await openProject(place, request, () => language.write({ name: "status", in: place }));
  const since = new Date(request.now() - DAY_MS).toISOString();
  const named = { eq: words };
  const asked = askTogether(project, request, (client, options) => {
    const question = { project_id: place, since };
    return Promise.all([
      client.logs.count("events", { ...question, where: { channel: named }, by: ["channel_id"] }, options),
      client.logs.count("events", { ...question, where: { client_id: named }, by: ["client_id"] }, options),
    ]);
  });
  // A service without an event log knows no names.
  const [channels, clients] = (await asked.catch(nothingIfLacking)) ?? [];
  const viewsOf = (counts: LogCounts | undefined, field: "channel_id" | "client_id", is: TraceSubject): TraceView[] =>
    (counts?.groups ?? []).flatMap(({ by: { [field]: what } }) =>
      typeof what === "string" ? viewOf({ what, is }, place) : [],
    );
  return [...viewsOf(channels, "channel_id", "channel"), ...viewsOf(clients, "client_id", "client")];
}

/** As many as are read at a glance. */
const MOST_BUTTONS = 15;

function choiceModal(views: readonly TraceView[], request: Request): Modal {
  const isOneProject = new Set(views.map(({ command }) => command.in)).size === 1;
  const buttons = views.slice(0, MOST_BUTTONS).map((view, at) => {
    const { command } = view;
    const place = isOneProject || command.in === undefined ? "" : ` in ${projectLabel(command.in)}`;
    return traceButton(`${shorten(subjectIn(command), MAX_LABEL - place.length)}${place}`, `${TRACE_HERE}:${at}`, view);
  });
  return {
    title: TITLE,
    blocks: [
      plainSection("This message names several things. Which one do you mean?"),
      ...row(...buttons),
      ...(views.length > MOST_BUTTONS ? [smallPrint(`Only the first ${MOST_BUTTONS} are listed.`)] : []),
    ],
    keep: keep(request, { isNew: true }),
  };
}

function nothingModal({ prefix }: Request): Modal {
  const words = [
    "No id, no channel and no client was found in this message. This looks for:",
    "• ids, whole or as tables show them, such as `0J9V6TQ2…W1NA`",
    "• channels with their project, such as `lobby@demo`",
    "• names of clients and channels in code spans, and in tables that were shared here",
    "• if there is none of these, names of clients and channels with events in the last day",
    `To look for anything else, type ${typed(prefix, "trace lobby")}.`,
  ];
  return { title: TITLE, blocks: [mrkdwnSection(words.join("\n"))] };
}
