import { type Filter, shorten, whyDefaults } from "@media-ops/commands";
import { formatCount, reasonWords } from "@media-ops/formatters";
import { formatWhy, type SlackBlock } from "@media-ops/formatters/slack";
import { askWhy, type Why, type WhyCause } from "@media-ops/reports";
import type { Button } from "@slack/types";
import type { Project } from "../connections/clients.js";
import { type Actions, actionOn, ONCE_MS } from "../features.js";
import { type CommandNamed, language } from "../language.js";
import { NEWEST } from "../logs/bookmark.js";
import { periodOf } from "../logs/find.js";
import { bookmarkButton, canShare } from "../logs/message.js";
import { askTogether } from "../projects/ask-together.js";
import { openProject, unlessLacking } from "../projects/open-project.js";
import { projectLabel } from "../projects/words.js";
import type { Request } from "../request.js";
import {
  LOG_PAGE,
  readSaved,
  type SavedCommand,
  savedButton,
  TRACE_PAGE,
  WHY_PAGE,
  wayBack,
  writeSaved,
} from "../saved-command.js";
import { type Draft, MAX_LABEL, Refused, row, runButton, smallPrint } from "../slack/blocks.js";
import { subjectIn } from "../trace/open-trace.js";
import { traceButton } from "../trace/trace.js";
import type { TraceView } from "../trace/view.js";

const LOOK_CLOSER = "why-closer";
const SHARE = "why-share";

/** An explanation as it was read for a view. */
interface OpenedWhy {
  project: Project;
  why: Why;
  /** The view with its project. */
  view: WhyView;
  /** When it was read, and the time zone for its times. */
  now: number;
  timeZone: string;
}

/** An explanation that can be shown again at any time: the whole state of a control. */
interface WhyView {
  /** The command with its project. */
  readonly command: CommandNamed<"why">;
  /** The length of a period that the heading describes as "last 2 hours". */
  readonly periodMs?: number | undefined;
  /** When such a period, or the default one, ended. @default now */
  readonly at?: number | undefined;
}

const NOW = "now";

/** Serializes a view for {@link whyViewIn}. */
const savedWhy = ({ at, ...view }: WhyView): SavedCommand => ({ ...view, view: at?.toString() ?? NOW });

/**
 * The view that a control contains.
 *
 * @throws {Refused} if it can't be parsed: a message may be older than the bot.
 */
function whyViewIn(value: string, { now, prefix }: Pick<Request, "now" | "prefix">): WhyView {
  const { view = "", command, periodMs } = readSaved(value, now()) ?? {};
  const isTime = /^\d{1,15}$/.test(view);
  if (command?.name !== "why" || (view !== NOW && !isTime)) {
    throw new Refused(`This message is too old to use. ${prefix} why shows a new one.`);
  }
  return { command, periodMs, at: isTime ? Number(view) : undefined };
}

/** The period of a view, in ms since 1970. */
function periodIn({ command, periodMs, at }: WhyView, now: number): { since: number; until: number } {
  const until = command.until ?? at ?? now;
  const start = periodMs === undefined ? command.since : until - periodMs;
  return { since: start ?? until - whyDefaults.periodMs, until };
}

/** `/media why`: why connections failed or were refused. */
export async function why(command: CommandNamed<"why">, request: Request): Promise<Draft> {
  return whyDraft(await open({ command }, request), request);
}

async function open(view: WhyView, request: Request): Promise<OpenedWhy> {
  const { command } = view;
  const { timeZone } = request;
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  const now = request.now();
  const [since, until] = Object.values(periodIn(view, now)).map((ms) => new Date(ms).toISOString());
  const question = { project_id: project.id, channel: command.channel, since, until };
  const asked = askTogether(project, request, (client, options) => askWhy(client, question, options));
  const read = await unlessLacking(asked, "why", project);
  const periodMs = view.periodMs ?? periodOf(command, { now, timeZone });
  return { project, why: read, view: { ...view, command: { ...command, in: project.id }, periodMs }, now, timeZone };
}

/** The explanation for one person, with its controls. */
async function whyDraft(opened: OpenedWhy, request: Request, isShared = false): Promise<Draft> {
  const { why, view } = opened;
  const isShareable = !isShared && (await canShare(request));
  const longer = language.write({ ...view.command, since: opened.now - DAY_MS });
  return drawWhy(opened, (shown) => [
    ...(isShared ? [smallPrint("Shared with everyone here.")] : []),
    ...causeButtons(opened, shown),
    ...row(
      whyButton("Refresh", WHY_PAGE, { ...view, at: undefined }),
      why.causes.length === 0 ? runButton("Last 24 hours", longer, { id: "longer" }) : undefined,
      isShareable ? whyButton("Share here", SHARE, pinned(opened)) : undefined,
    ),
  ]);
}

const DAY_MS = 24 * 60 * 60_000;

/** Words and figures, with further blocks below them. */
function drawWhy({ why, view, project, now, timeZone }: OpenedWhy, below: (shown: number) => SlackBlock[]): Draft {
  const { command, at } = view;
  const { channel } = command;
  const { since } = periodIn(view, now);
  // A period that ended before now is named by its times below.
  const period = at === undefined ? language.phrases({ ...command, since }, { now, timeZone }).period : "";
  const title = [
    "Why connections failed",
    channel === undefined ? "" : `in ${channel}`,
    `${period}, project ${projectLabel(project.id)}`,
  ];
  const { blocks, text, shown } = formatWhy(why, {
    now,
    timeZone,
    title: title.filter(Boolean).join(" ").replace(/ ,/, ","),
  });
  return { blocks: [...blocks, ...below(shown)], text };
}

/** For each cause a button that lists its events, and for the worst clients and channels one that shows their trace. */
function causeButtons(opened: OpenedWhy, shown: number): SlackBlock[] {
  const { why, project } = opened;
  const back = wayBack(WHY_PAGE, writeSaved(savedWhy(pinned(opened))));
  const causes = why.causes.slice(0, shown);
  const lines = causes.map((cause, at): Button | undefined => {
    const command = linesOf(cause, why, project.id);
    const label = shorten(causeLabel(cause), MAX_LABEL);
    return command && bookmarkButton(label, `${LOG_PAGE}:cause-${at}`, { command, spot: NEWEST, back });
  });
  const worst = causes.flatMap((cause) => worstOf(cause, why, project.id) ?? []);
  const distinct = new Map(worst.map((view) => [subjectIn(view.command), view]));
  const traces = [...distinct].slice(0, MOST_TRACES).map(([subject, view], at) => {
    return traceButton(`Trace ${subject}`, `${TRACE_PAGE}:worst-${at}`, { ...view, back });
  });
  return [...row(...lines), ...row(...traces)];
}

/** As many as are compared at a glance. */
const MOST_TRACES = 5;

const whyButton = (label: string, action: string, view: WhyView): Button | undefined =>
  savedButton(label, action, savedWhy(view));

/** The view of the same period at any later time. */
const pinned = ({ view, now }: OpenedWhy): WhyView => ({ ...view, at: view.at ?? now });

const withView = actionOn(whyViewIn);

export const whyActions: Actions = {
  [WHY_PAGE]: withView(async (view, request) => {
    await request.answer.replace(await whyDraft(await open(view, request), request));
  }),
  [LOOK_CLOSER]: withView(async (view, request) => {
    await request.answer.say(await whyDraft(await open(view, request), request));
  }),
  [SHARE]: { ...withView(share), onceForMs: ONCE_MS },
};

/** Shares the explanation with everyone in the channel, and confirms it to the person. */
async function share(view: WhyView, request: Request): Promise<void> {
  const opened = await open(view, request);
  const below = [smallPrint(`Shared by <@${request.userId}>`), ...row(whyButton("Look closer", LOOK_CLOSER, view))];
  // Readers may be in other time zones.
  await request.answer.share(drawWhy({ ...opened, timeZone: "UTC" }, () => below));
  await request.answer.replace(await whyDraft(opened, request, true));
}

/** The filters' names of the fields in a cause's condition. */
const fieldNames = new Map([
  ["type", "type"],
  ["outcome", "outcome"],
  ["reason", "reason"],
  ["media_reason", "media-reason"],
  ["channel", "channel"],
  ["channel_id", "channel"],
]);

/** The command that lists a cause's events in the period; undefined if its condition can't be typed. */
export function linesOf(
  { where }: Pick<WhyCause, "where">,
  { since, until }: Pick<Why, "since" | "until">,
  project: string,
): CommandNamed<"logs"> | undefined {
  const filters = Object.entries(where).map(([field, test]) => filterOf(fieldNames.get(field), test));
  const typed = filters.filter((filter) => filter !== undefined);
  if (typed.length < filters.length) return undefined;
  const period = { since: Date.parse(since), until: Date.parse(until) };
  return { name: "logs", kind: "events", filters: typed, ...period, in: project };
}

function filterOf(field: string | undefined, test: unknown): Filter | undefined {
  if (field === undefined || typeof test !== "object" || test === null) return undefined;
  const like = (negated: boolean, ...pattern: string[]): Filter => ({
    field,
    negated,
    test: { is: "like", any: [pattern] },
  });
  if ("eq" in test && typeof test.eq === "string") return like(false, test.eq);
  if ("starts_with" in test && typeof test.starts_with === "string") return like(false, test.starts_with, "");
  const isAbsent = "not" in test && JSON.stringify(test.not) === '{"like":"*"}';
  return isAbsent ? like(true, "", "") : undefined;
}

/** "ICE timeout (45)" */
export const causeLabel = ({ reason, mediaReason, count }: WhyCause): string =>
  `${reasonWords(reason, { mediaReason })} (${formatCount(count)})`;

/** One of those that a cause concerns is worth a look if it has so much of it. */
const MUCH = 0.5;

/** The trace of the client or channel that a cause mostly concerns, in the period; undefined if it concerns none mostly. */
export function worstOf(
  { count, clients: [client], channels: [channel] }: WhyCause,
  { since, until }: Pick<Why, "since" | "until">,
  project: string,
): TraceView | undefined {
  const [worst] = [
    client && { is: "client" as const, what: client.name, count: client.count },
    channel && { is: "channel" as const, what: channel.name, count: channel.count },
  ].filter((one) => one !== undefined && one.count >= count * MUCH);
  if (!worst) return undefined;
  const { is, what } = worst;
  const period = { since: Date.parse(since), until: Date.parse(until) };
  return { command: { name: "trace", what, is, ...period, in: project } };
}
