import { type ChartOf, summarize } from "@media-ops/formatters";
import { formatSummary, type SlackBlock } from "@media-ops/formatters/slack";
import type { Action, Actions } from "../features.js";
import { type CommandNamed, language } from "../language.js";
import { type Found, find, headingOf, periodOf } from "../logs/find.js";
import { canShare } from "../logs/message.js";
import type { Request } from "../request.js";
import { apartButton, button, row, runButton, smallPrint, wordsOnly } from "../slack/blocks.js";
import { type Draft, Refused } from "../slack/draft.js";

type Summary = CommandNamed<"summary">;

const SHOW_SUMMARY = "show-summary";
const SHARE_SUMMARY = "share-summary";

/** A summary that is meant, with its chart: all that a control bears. */
interface Wanted {
  readonly command: Summary;
  readonly chart: ChartOf;
  /** How long the period was that ended when it was asked for, where it was told so: that of "last 2 hours". */
  readonly periodMs?: number | undefined;
}

/** `/media summary <kind> […]`: what the entries that match say together. */
export async function summary(command: Summary, request: Request): Promise<Draft> {
  return summaryDraft({ command, chart: "entries" }, request);
}

/** The same, asked for now. */
async function summaryDraft(wanted: Wanted, request: Request): Promise<Draft> {
  return draftOf(wanted, await find(wanted.command, request), request);
}

/** For whoever asked, with all that can be done with it. */
async function draftOf(
  wanted: Wanted,
  found: Found<Summary>,
  request: Request,
  isShared = false,
): Promise<Draft> {
  const { command, chart } = wanted;
  const periodMs = wanted.periodMs ?? periodOf(command, found);
  const isShareable = !isShared && found.entries.length > 0 && (await canShare(request));
  const controls = controlsOf({ command: found.command, chart, periodMs }, found, isShareable);
  const said = isShared ? [smallPrint("Shared with everyone here.")] : [];
  return summaryMessage(found, chart, [...said, ...controls]);
}

/** Words, figures and a chart; where Slack knows no charts, words and figures. */
function summaryMessage(found: Found<Summary>, chart: ChartOf, below: readonly SlackBlock[]): Draft {
  const { command, entries, heading, note, now, timeZone } = found;
  // From when on all entries are known: what is drawn before would look as if there had been none.
  const stretch = { since: found.completeSince, until: command.until };
  const { blocks, text } = formatSummary(command.kind, entries, { title: heading, chart, now, timeZone, ...stretch });
  const whole = [...blocks, ...(note === undefined ? [] : [smallPrint(note)]), ...below];
  const compact = whole.filter(({ type }) => type !== "data_visualization");
  return { blocks: whole, text, compact: () => ({ blocks: compact, text }) };
}

function controlsOf(wanted: Wanted, found: Found<Summary>, isShareable: boolean): SlackBlock[] {
  const { command, chart } = wanted;
  const hasTimes = summarize(command.kind, found.entries).elapsed !== undefined;
  const other: Wanted = { ...wanted, chart: chart === "entries" ? "latency" : "entries" };
  return row(
    runButton("Entries", language.write({ ...command, name: "logs" }), { id: "entries" }),
    hasTimes
      ? control(chart === "entries" ? "Chart of times" : "Chart of entries", `${SHOW_SUMMARY}:other`, other)
      : undefined,
    control("Refresh", SHOW_SUMMARY, wanted),
    isShareable ? control("Share here", SHARE_SUMMARY, wanted) : undefined,
  );
}

function control(label: string, action: string, { command, chart, periodMs }: Wanted) {
  const period = periodMs === undefined ? "" : `~${periodMs} `;
  return button({ label, action, value: `${chart} ${period}${language.write(command)}` });
}

/** What a control bears; undefined where that is not understood. The last 2 hours are those before now, whenever that is. */
function readWanted(value: string, now: number): Wanted | undefined {
  const [, chart, period, text = ""] = /^(entries|latency) (?:~(\d{1,12}) )?(.*)$/s.exec(value) ?? [];
  const read = language.parse(text, { now });
  if (chart === undefined || !read.ok || read.command.name !== "summary") return undefined;
  const periodMs = period === undefined ? undefined : Number(period);
  const command = periodMs === undefined ? read.command : { ...read.command, since: now - periodMs };
  return { command, chart: chart === "latency" ? "latency" : "entries", periodMs };
}

// Nobody shares the same summary twice within so short a time.
const SHARE_ONCE_MS = 10_000;

/** A control that bears a summary. */
const withWanted = (use: (wanted: Wanted, request: Request) => Promise<void>): Action => ({
  async run(request, { value }) {
    const wanted = readWanted(value, request.now());
    if (!wanted)
      throw new Refused(wordsOnly(`This message is too old to be used. ${request.prefix} summary shows a new one.`));
    await use(wanted, request);
  },
});

export const summaryActions: Actions = {
  [SHOW_SUMMARY]: withWanted(async (wanted, request) => {
    await request.answer.replace(await summaryDraft(wanted, request));
  }),
  [SHARE_SUMMARY]: { ...withWanted(share), onceForMs: SHARE_ONCE_MS },
};

/** Shows it to everyone in the channel, and says so to whoever shared it. */
async function share(wanted: Wanted, request: Request): Promise<void> {
  const { command, chart } = wanted;
  const found = await find(command, request);
  const closer = apartButton("Look closer", language.write(found.command), "closer");
  const below = [smallPrint(`Shared by <@${request.userId}>`), ...row(closer)];
  // Not everyone reads it where it was asked.
  const anywhere = { ...found, timeZone: "UTC" };
  const forAll = { ...anywhere, heading: headingOf(anywhere, found.entries.length) };
  await request.answer.share(summaryMessage(forAll, chart, below));
  await request.answer.replace(await draftOf(wanted, found, request, true));
}
