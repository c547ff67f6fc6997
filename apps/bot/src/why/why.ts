import { type Filter, shorten, whyDefaults } from "@media-ops/commands";
import { formatCount, reasonWords } from "@media-ops/formatters";
import { formatWhy, type SlackBlock } from "@media-ops/formatters/slack";
import { askWhy, type Why, type WhyCause } from "@media-ops/reports";
import { type CommandNamed, language } from "../language.js";
import { bookmarks, NEWEST } from "../logs/listing.js";
import { askTogether, unlessLacking } from "../projects/open-project.js";
import { projectLabel } from "../projects/words.js";
import type { Request } from "../request.js";
import { answering, controls, type Opened, type Saved, savedAs, wayBack } from "../saved-command.js";
import { type Draft, MAX_LABEL, row, runButton } from "../slack/answer.js";
import { subjectIn, type TraceView, traceButton } from "../trace/trace.js";

type WhyView = Saved<CommandNamed<"why">> & Pinned;

interface Pinned {
  /** When a period such as "last 2 hours", or the default one, ended. @default now */
  readonly at?: number | undefined;
}

const NOW = "now";

const whys = savedAs<CommandNamed<"why">, Pinned>({
  name: "why",
  write: ({ at }) => at?.toString() ?? NOW,
  read(word) {
    if (word === NOW) return {};
    return /^\d{1,15}$/.test(word) ? { at: Number(word) } : undefined;
  },
  endOf: ({ at }, now) => at ?? now,
});

interface ReadWhy extends Opened<WhyView> {
  readonly why: Why;
}

const { answer, actions } = answering(whys, {
  async read(opened, request): Promise<ReadWhy> {
    const { project, saved, now } = opened;
    const { command, at } = saved;
    const until = command.until ?? at ?? now;
    const range = { since: new Date(sinceOf(saved, now)).toISOString(), until: new Date(until).toISOString() };
    const question = { project_id: project.id, channel: command.channel, ...range };
    const asked = askTogether(project, request, (client, options) => askWhy(client, question, options));
    return { ...opened, why: await unlessLacking(asked, "why", project) };
  },
  draw(read, _, { said, isShareable }) {
    const { why, saved, now } = read;
    const longer = language.write({ ...saved.command, since: now - DAY_MS });
    return drawWhy(read, (shown) => [
      ...said,
      ...causeButtons(read, shown),
      ...row(
        whys.button("Refresh", controls.why.page, { ...saved, at: undefined }),
        why.causes.length === 0 ? runButton("Last 24 hours", longer, { id: "longer" }) : undefined,
        isShareable ? whys.button("Share here", controls.why.share, pinned(read)) : undefined,
      ),
    ]);
  },
  share: (read, sharedBy) =>
    drawWhy(read, () => [sharedBy, ...row(whys.button("Look closer", controls.why.closer, pinned(read)))]),
});

/** `/media why`: why connections failed or were refused. */
export const why = (command: CommandNamed<"why">, request: Request): Promise<Draft> => answer({ command }, request);

export const whyActions = actions;

const DAY_MS = 24 * 60 * 60_000;

const sinceOf = ({ command, at }: WhyView, now: number): number =>
  command.since ?? (command.until ?? at ?? now) - whyDefaults.periodMs;

const pinned = ({ saved, now }: ReadWhy): WhyView => ({ ...saved, at: saved.at ?? now });

function drawWhy(read: ReadWhy, below: (shown: number) => SlackBlock[]): Draft {
  const { why, saved, project, now, timeZone } = read;
  const { command, at } = saved;
  const { channel } = command;
  // A period that ended before now is named by its times below.
  const since = sinceOf(saved, now);
  const period = at === undefined ? ` ${language.phrases({ ...command, since }, { now, timeZone }).period}` : "";
  const place = channel === undefined ? "" : ` in ${channel}`;
  const title = `Why connections failed${place}${period}, project ${projectLabel(project.id)}`;
  const { blocks, text, shown } = formatWhy(why, { now, timeZone, title });
  return { blocks: [...blocks, ...below(shown)], text };
}

/** As many traces as are compared at a glance. */
const MOST_TRACES = 5;

/** For each cause a button that lists its events, and for the worst clients and channels one that shows their trace. */
function causeButtons(read: ReadWhy, shown: number): SlackBlock[] {
  const { why, project } = read;
  const back = wayBack("why", whys.write(pinned(read)));
  const causes = why.causes.slice(0, shown);
  const lines = causes.map((cause, at) => {
    const command = linesOf(cause, why, { ...read.saved.command, in: project.id });
    const label = shorten(causeLabel(cause), MAX_LABEL);
    return bookmarks.page(label, `cause-${at}`, { command, spot: NEWEST, back });
  });
  const worst = causes.flatMap((cause) => worstOf(cause, why, project.id) ?? []);
  const distinct = new Map(worst.map((view) => [subjectIn(view.command), view]));
  const traced = [...distinct].slice(0, MOST_TRACES).map(([subject, view], at) => {
    return traceButton(`Trace ${subject}`, `${controls.trace.page}:worst-${at}`, { ...view, back });
  });
  return [...row(...lines), ...row(...traced)];
}

/** The command that lists a cause's events in the period. */
export function linesOf(
  { outcome, reason, mediaReason }: WhyCause,
  { since, until }: Pick<Why, "since" | "until">,
  { channel, in: project }: { channel?: string | undefined; in: string },
): CommandNamed<"logs"> {
  const isFailed = outcome === "failed";
  const filters = [
    ...(channel === undefined ? [] : [filterFor("channel", channel)]),
    // A session that vanished with its node is no connection.
    ...(isFailed ? [filterFor("type", "connection.", "")] : []),
    filterFor("outcome", outcome),
    filterFor("reason", reason),
    ...(isFailed ? [filterFor("media-reason", mediaReason)] : []),
  ];
  return { name: "logs", kind: "events", filters, since: Date.parse(since), until: Date.parse(until), in: project };
}

/** A filter for a text that begins and ends so, or for entries without the field. */
const filterFor = (field: string, first: string | undefined, ...rest: string[]): Filter => ({
  field,
  negated: first === undefined,
  test: { is: "like", any: [first === undefined ? ["", ""] : [first, ...rest]] },
});

/** "ICE timeout (45)" */
export const causeLabel = ({ reason, mediaReason, count }: WhyCause): string =>
  `${reasonWords(reason, { mediaReason })} (${formatCount(count)})`;

/** The trace of the client or channel that a cause mostly concerns, in the period; undefined if it concerns none mostly. */
export function worstOf(
  { count, clients: [client], channels: [channel] }: WhyCause,
  { since, until }: Pick<Why, "since" | "until">,
  project: string,
): TraceView | undefined {
  const worst = mostOf(count, client, channel);
  const period = { since: Date.parse(since), until: Date.parse(until) };
  return worst && { command: { name: "trace", ...worst, ...period, in: project } };
}

interface Share {
  readonly name: string;
  readonly count: number;
}

/** The client or the channel that at least half of a count is about: worth a look. */
export function mostOf(count: number, client: Share | undefined, channel: Share | undefined) {
  const isMost = (share: Share | undefined): share is Share => share !== undefined && share.count * 2 >= count;
  if (isMost(client)) return { is: "client", what: client.name } as const;
  return isMost(channel) ? ({ is: "channel", what: channel.name } as const) : undefined;
}
