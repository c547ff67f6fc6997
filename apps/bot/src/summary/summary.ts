import type { ChartOf } from "@media-ops/formatters";
import { formatSummary, type SlackBlock } from "@media-ops/formatters/slack";
import { amountOf, askSummary, type Summary as SummaryFigures, wholeOf } from "@media-ops/reports";
import type { Actions } from "../features.js";
import { actionOn, ONCE_MS } from "../features.js";
import { type CommandNamed, language } from "../language.js";
import { headingOf, type OpenedLog, openLog, periodOf, questionOf } from "../logs/find.js";
import { canShare } from "../logs/message.js";
import { unlessLacking } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { readSaved, savedButton } from "../saved-command.js";
import { apartButton, chartMessage, type Draft, Refused, row, runButton, smallPrint } from "../slack/blocks.js";

type Summary = CommandNamed<"summary">;

const SHOW_SUMMARY = "show-summary";
const SHARE_SUMMARY = "share-summary";

/** A summary and its chart: the whole state of a control. */
interface SummaryView {
  readonly command: Summary;
  readonly chart: ChartOf;
  /** The length of a period that the heading describes as "last 2 hours". */
  readonly periodMs?: number | undefined;
}

/** A summary, and what it is of. */
interface OpenedSummary extends OpenedLog<Summary> {
  readonly figures: SummaryFigures;
  /** All entries of the period, if only some of them were asked for. */
  readonly of: number | undefined;
}

/** `/media summary <kind> […]`: summarizes all matching entries of a period. */
export async function summary(command: Summary, request: Request): Promise<Draft> {
  return draftOf({ command, chart: "entries" }, await open(command, request), request);
}

async function open(command: Summary, request: Request): Promise<OpenedSummary> {
  const opened = await openLog(command, request);
  const { reader, now, timeZone } = opened;
  const { kind, since, until, by } = command;
  const { where, ...period } = questionOf(opened);
  const asked = Promise.all([
    askSummary(reader, kind, { now, timeZone, since, until, where, by }),
    where && amountOf(reader, kind, period),
  ]);
  const [figures, all] = await unlessLacking(asked, kind, opened.project);
  return { ...opened, figures, of: wholeOf(all)?.entries };
}

/** The summary for one person, with its controls. */
async function draftOf(view: SummaryView, opened: OpenedSummary, request: Request, isShared = false): Promise<Draft> {
  const { command, chart } = view;
  const periodMs = view.periodMs ?? periodOf(command, opened);
  const isShareable = !isShared && opened.figures.count > 0 && (await canShare(request));
  const controls = controlsOf({ command: opened.command, chart, periodMs }, opened, isShareable);
  const said = isShared ? [smallPrint("Shared with everyone here.")] : [];
  return summaryMessage(opened, chart, [...said, ...controls]);
}

/** Text, figures and a chart. */
function summaryMessage(opened: OpenedSummary, chart: ChartOf, below: readonly SlackBlock[]): Draft {
  const { figures, of, now, timeZone } = opened;
  const title = `Summary of ${headingOf(opened, { found: figures.count, of, isAtLeast: !figures.complete })}`;
  const { blocks, text } = formatSummary(figures, { title, chart, now, timeZone });
  return chartMessage([...blocks, ...below], text);
}

function controlsOf(view: SummaryView, { figures }: OpenedSummary, isShareable: boolean): SlackBlock[] {
  const { command, chart } = view;
  const hasTimes = figures.elapsed !== undefined;
  const other: SummaryView = { ...view, chart: chart === "entries" ? "latency" : "entries" };
  return row(
    runButton("Entries", language.write({ ...command, name: "logs" }), { id: "entries" }),
    hasTimes
      ? control(chart === "entries" ? "Chart of times" : "Chart of entries", `${SHOW_SUMMARY}:other`, other)
      : undefined,
    control("Refresh", SHOW_SUMMARY, view),
    isShareable ? control("Share here", SHARE_SUMMARY, view) : undefined,
  );
}

function control(label: string, action: string, { command, chart, periodMs }: SummaryView) {
  return savedButton(label, action, { view: chart, command, periodMs });
}

/**
 * The summary that a control contains. "Last 2 hours" are those before now.
 *
 * @throws {Refused} if it can't be parsed: a message may be older than the bot.
 */
function viewIn(value: string, request: Request): SummaryView {
  const now = request.now();
  const { view: chart, command, periodMs } = readSaved(value, now) ?? {};
  if ((chart !== "entries" && chart !== "latency") || command?.name !== "summary") {
    throw new Refused(`This message is too old to use. ${request.prefix} summary shows a new one.`);
  }
  return { command: periodMs === undefined ? command : { ...command, since: now - periodMs }, chart, periodMs };
}

const withView = actionOn(viewIn);

export const summaryActions: Actions = {
  [SHOW_SUMMARY]: withView(async (view, request) => {
    await request.answer.replace(await draftOf(view, await open(view.command, request), request));
  }),
  [SHARE_SUMMARY]: { ...withView(share), onceForMs: ONCE_MS },
};

/** Shares the summary with everyone in the channel, and confirms it to the person. */
async function share(view: SummaryView, request: Request): Promise<void> {
  const { command, chart } = view;
  const opened = await open(command, request);
  const closer = apartButton("Look closer", language.write(opened.command), "closer");
  const below = [smallPrint(`Shared by <@${request.userId}>`), ...row(closer)];
  // Readers may be in other time zones, and Slack converts only the times of entries.
  await request.answer.share(summaryMessage({ ...opened, timeZone: "UTC" }, chart, below));
  await request.answer.replace(await draftOf(view, opened, request, true));
}
