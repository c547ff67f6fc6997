import type { ChartOf } from "@media-ops/formatters";
import { formatSummary, type SlackBlock } from "@media-ops/formatters/slack";
import { amountOf, askSummary, type Summary as SummaryFigures, wholeOf } from "@media-ops/reports";
import { type CommandNamed, language } from "../language.js";
import { headingOf, questionOf, readerOf } from "../logs/listing.js";
import { unlessLacking } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { answering, controls, type Opened, type Saved, savedAs } from "../saved-command.js";
import { apartButton, chartMessage, type Draft, row, runButton } from "../slack/answer.js";

type Summary = CommandNamed<"summary">;
type SummaryView = Saved<CommandNamed<"summary">> & Charted;

interface Charted {
  readonly chart: ChartOf;
}

const summaries = savedAs<CommandNamed<"summary">, Charted>({
  name: "summary",
  write: ({ chart }) => chart,
  read: (chart) => (chart === "entries" || chart === "latency" ? { chart } : undefined),
  endOf: (_, now) => now,
});

interface ReadSummary extends Opened<SummaryView> {
  readonly figures: SummaryFigures;
  /** All entries of the period, if only some of them were asked for. */
  readonly of: number | undefined;
}

const { answer, actions } = answering(summaries, {
  async read(opened): Promise<ReadSummary> {
    const { project, saved, now, timeZone } = opened;
    const { kind, since, until, by } = saved.command;
    const { where, ...period } = questionOf(opened);
    const reader = readerOf(project);
    const asked = Promise.all([
      askSummary(reader, kind, { now, timeZone, since, until, where, by }),
      where && amountOf(reader, kind, period),
    ]);
    const [figures, all] = await unlessLacking(asked, kind, project);
    return { ...opened, figures, of: wholeOf(all)?.entries };
  },
  draw(read, _, { said, isShareable }) {
    const { saved, figures } = read;
    const isEntries = saved.chart === "entries";
    const other = { ...saved, chart: isEntries ? "latency" : "entries" } as const;
    const buttons = row(
      runButton("Entries", language.write({ ...saved.command, name: "logs" }), { id: "entries" }),
      figures.elapsed && summaries.page(isEntries ? "Chart of times" : "Chart of entries", "other", other),
      summaries.button("Refresh", controls.summary.page, saved),
      isShareable && figures.count > 0 ? summaries.button("Share here", controls.summary.share, saved) : undefined,
    );
    return summaryMessage(read, [...said, ...buttons]);
  },
  share(read, sharedBy) {
    const closer = apartButton("Look closer", language.write(read.saved.command), "closer");
    return summaryMessage(read, [sharedBy, ...row(closer)]);
  },
});

function summaryMessage(read: ReadSummary, below: readonly SlackBlock[]): Draft {
  const { figures, of, now, timeZone, saved } = read;
  const title = `Summary of ${headingOf(read, { found: figures.count, of, isAtLeast: !figures.complete })}`;
  const { blocks, text } = formatSummary(figures, { title, chart: saved.chart, now, timeZone });
  return chartMessage([...blocks, ...below], text);
}

/** `/media summary <kind> […]`: summarizes all matching entries of a period. */
export const summary = (command: Summary, request: Request): Promise<Draft> =>
  answer({ command, chart: "entries" }, request);

export const summaryActions = actions;
