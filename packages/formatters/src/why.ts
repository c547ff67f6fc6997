import { readTimestamp } from "@media-ops/contract";
import type { Why, WhyCause, WhyCounts, WhyShare } from "@media-ops/reports";
import { MINUTE, SECOND } from "@media-ops/reports/entries";
import { capital, spanWords } from "./logs.js";
import * as markdown from "./markdown/markup.js";
import * as slack from "./slack/parts.js";
import * as terminal from "./terminal/screen.js";
import { type AnswerOptions, answerFrame } from "./values/answer.js";
import { counted, formatCount, formatPeriod, formatShare } from "./values/numbers.js";
import { briefChannel, reasonWords } from "./values/show.js";
import { brief, NOTHING, oneLine } from "./values/words.js";

type WhyTotal = ReturnType<typeof totalsOf>[number];

/** An explanation in words: the most likely cause, or that there is none, in a sentence; totals, causes and the period. */
export function whyParts(given: Why, options: AnswerOptions) {
  const why = given.complete ? given : withoutBefore(given);
  const frame = answerFrame(options, "Why connections fail");
  const [from, to] = [readTimestamp(why.since), readTimestamp(why.until)];
  const period = from === undefined || to === undefined ? undefined : { from, to: Math.max(from, to) };
  const span = period && period.from < period.to ? spanWords(period, frame.clock) : "a part";
  const length = period ? lengthWords(period.to - period.from) : "time";
  return {
    ...frame,
    incomplete: why.complete ? "" : `Incomplete: only ${span} was counted.`,
    words: mostLikely(why, length),
    totals: totalsOf(why),
    causes: why.causes.map((cause) => ({ text: causeText(cause), details: causeDetails(cause) })),
    period: period
      ? `${spanWords(period, frame.clock)}${why.before ? `, compared with the ${length} before` : ""}`
      : "",
  };
}

const totalText = ({ now, before }: WhyTotal): string => (before === NOTHING ? now : `${now} (${before} before)`);

/** A part of a period cannot be compared with the whole one before. */
function withoutBefore(why: Why): Why {
  return { ...why, before: undefined, causes: why.causes.map((cause) => ({ ...cause, before: undefined })) };
}

/** "20 min", "hour": people ask for whole minutes, and the two ends differ from these by little. */
function lengthWords(length: number): string {
  const unit = length < 2 * MINUTE ? SECOND : MINUTE;
  return formatPeriod(Math.round(length / unit) * unit);
}

function mostLikely(why: Why, length: string): string {
  const [cause] = why.causes;
  const { connected, ok, failed, refused } = why.counts;
  if (cause)
    return `Most likely${why.complete ? "" : ", of what was counted"}: ${whyCauseWords(cause)}${beforeWords(cause, length)}.`;
  const bad = failed + refused;
  if (bad === 1) return "1 attempt failed or was refused, for a reason that is not known.";
  if (bad > 0) return `${formatCount(bad)} attempts failed or were refused, for reasons that are not known.`;
  const ended = ok === 0 ? "none ended" : `${formatCount(ok)} ended well`;
  const looked = `${counted(connected, "connection was", "connections were")} made, ${ended}`;
  if (why.complete && connected + ok === 0)
    return "Nothing failed, and nothing happened: no connection was made, ended, failed or was refused.";
  return why.complete
    ? `Nothing failed: ${looked}, and no client was refused.`
    : `Nothing failed in what was counted, and the rest is not known: ${looked}.`;
}

function beforeWords({ before }: WhyCause, length: string): string {
  if (before === undefined) return "";
  return `, ${countBefore(before)} in the ${length} before`;
}

const countBefore = (before: number): string => (before === 0 ? "none" : formatCount(before));

/** "ICE timeout on node-2: 45 connections of 44 clients failed": a cause in one line of plain text, which is not escaped. */
export function whyCauseWords(cause: WhyCause): string {
  return `${causeName(cause)}${placeWords(cause)}: ${amountWords(cause)}`;
}

function causeText(cause: WhyCause): string {
  const { before } = cause;
  return capital(`${whyCauseWords(cause)}${before === undefined ? "" : `, ${countBefore(before)} before`}`);
}

function causeName({ reason, mediaReason, detail, channels }: WhyCause): string {
  // The newest one's detail, such as "5 of 5", is another one's in another channel.
  const isOne = channels.length < 2;
  const [own, said] = [mediaReason, isOne ? detail : undefined].map((text) => text && brief(text, LONGEST));
  return oneLine(reasonWords(reason, { mediaReason: own, detail: said }));
}

/** The node of most failures, or the channel of most refusals. */
function placeWords({ outcome, nodes, channels, count }: WhyCause): string {
  const node = outcome === "failed" ? mainOf(nodes, count) : undefined;
  if (node) return ` ${node.isAll ? "" : "mostly "}on ${nameOf(node.name)}`;
  const channel = mainOf(channels, count);
  return channel ? ` ${channel.isAll ? "" : "mostly "}in ${briefChannel(channel.name)}` : "";
}

/** So many of all explain where a cause is. */
const MOST = 0.8;

function mainOf([first]: readonly WhyShare[], count: number): { name: string; isAll: boolean } | undefined {
  return first && first.count >= MOST * count ? { name: first.name, isAll: first.count >= count } : undefined;
}

function amountWords(cause: WhyCause): string {
  const { outcome, count, clients, clientCount } = cause;
  const [only] = clients;
  const isOne = clientCount === 1 && only !== undefined && only.count >= count;
  const amount = formatCount(count);
  if (outcome === "refused") {
    if (isOne) return `client ${nameOf(only.name)} was refused ${count === 1 ? "once" : `${amount} times`}`;
    return `${amount} ${count === 1 ? "attempt" : "attempts"}${clientWords(cause)} ${count === 1 ? "was" : "were"} refused`;
  }
  const who = isOne ? ` of client ${nameOf(only.name)}` : clientWords(cause);
  return `${counted(count, "connection", "connections")}${who} failed`;
}

function clientWords({ clientCount, clients, count }: WhyCause): string {
  if (clientCount === 0) return "";
  const named = counted(clientCount, "client", "clients");
  // The others have at most as many as the last one that is known. What is left is of clients without an id.
  const known = clients.reduce((sum, share) => sum + share.count, 0);
  const most = known + (clientCount - clients.length) * (clients.at(-1)?.count ?? 0);
  return most < count ? ` of ${named} and others without an id` : ` of ${named}`;
}

function causeDetails({ clients, clientCount, nodes, channels, count }: WhyCause): string[] {
  return [
    sharesWords("Client", clients, { count, of: clientCount, write: nameOf }),
    sharesWords("Node", nodes, { count, of: nodes.length, write: nameOf }),
    sharesWords("Channel", channels, { count, of: channels.length, write: briefChannel }),
  ].filter((text) => text !== "");
}

interface Shares {
  count: number;
  of: number;
  write(name: string): string;
}

const NAMES = 5;

/** "Nodes: node-2 (43×, 96%), node-1 (2×) and 3 more", or "Node: node-2" if it has all */
function sharesWords(title: string, shares: readonly WhyShare[], { count, of, write }: Shares): string {
  const [first] = shares;
  if (!first) return "";
  if (of === 1 && first.count >= count) return `${title}: ${write(first.name)}`;
  const named = shares.slice(0, NAMES).map(({ name, count: one }, at) => {
    const isMost = at === 0 && one > (shares[1]?.count ?? one);
    const share = isMost ? `, ${formatShare(Math.min(one, count), count)}` : "";
    return `${write(name)} (${formatCount(one)}×${share})`;
  });
  const more = of - named.length;
  return `${title}s: ${named.join(", ")}${more > 0 ? ` and ${formatCount(more)} more` : ""}`;
}

const LONGEST = 60;
const nameOf = (name: string): string => brief(name, LONGEST);

const titles: readonly [field: keyof WhyCounts, title: string][] = [
  ["connected", "connected"],
  ["ok", "ended well"],
  ["failed", "failed"],
  ["refused", "refused"],
];

/** How connections fared; "–" if that is not known of the period before. */
function totalsOf({ counts, before, complete }: Why) {
  return titles.map(([field, title]) => ({
    title: capital(title),
    now: complete ? formatCount(counts[field]) : counts[field] === 0 ? "?" : `≥${formatCount(counts[field])}`,
    before: before ? formatCount(before[field]) : NOTHING,
  }));
}

/** A message with causes. */
export interface SlackWhyMessage extends slack.SlackMessage {
  /** The number of causes that it shows: the most likely ones. */
  shown: number;
}

/** The totals need some characters, too. */
const CAUSES_CHARACTERS = 8000;
const LONGEST_CAUSE = 2000;

/** Why connections failed or were refused: the most likely cause, how many there were, and each cause. */
export function slackWhy(why: Why, options: AnswerOptions): SlackWhyMessage {
  const parts = whyParts(why, options);
  const { totals, causes, period } = parts;
  const all = causes.map(({ text, details }) => {
    const rest = slack.fit(details.map((one) => `\n${one}`).join(""), LONGEST_CAUSE);
    return [slack.bold(slack.fit(text, LONGEST_CAUSE)), ...(rest === "" ? [] : [slack.piece(rest)])];
  });
  const items = slack.fitting(all, slack.lengthOf, CAUSES_CHARACTERS);
  const omitted = all.length - items.length;
  const fields = totals.map((total) => slack.mrkdwn(`*${total.title}*\n${slack.escapeMrkdwn(totalText(total))}`));
  const blocks: slack.SlackBlock[] = [
    { type: "section", fields },
    ...(items.length === 0 ? [] : [slack.bulletList(items)]),
  ];
  const more = omitted === 0 ? "" : `${counted(omitted, "more cause is", "more causes are")} not shown.`;
  return { ...slack.answerMessage(parts, blocks, period && `Period: ${period}`, more), shown: items.length };
}

/** Why connections failed or were refused: the most likely cause, how many there were, and each cause. */
export function terminalWhy(why: Why, options: AnswerOptions & terminal.TerminalScreenOptions): string {
  const screen = terminal.screenOf(options);
  const parts = whyParts(why, options);
  const { totals, causes, period } = parts;
  const facts = totals.map((total) => ({ title: total.title, text: totalText(total) }));
  if (period !== "") facts.push({ title: "Period", text: period });
  const list = causes.flatMap(({ text, details }) => [
    "",
    ...terminal.textLines(text, "bad", screen),
    ...details.flatMap((detail) => terminal.textLines(detail, "plain", screen)),
  ]);
  return terminal.answerText(parts, ["", ...terminal.factLines(facts, screen), ...list], screen);
}

/** Why connections failed or were refused: the most likely cause, how many there were, and each cause. */
export function markdownWhy(why: Why, options: AnswerOptions): string {
  const parts = whyParts(why, options);
  const { totals, causes, period } = parts;
  const columns = ["Connections", "Now", "Before"].map((name, at) => ({ title: name, isRight: at > 0 }));
  const rows = totals.map((total) => [total.title, total.now, total.before]);
  const list = causes.flatMap(({ text, details }) => [
    `- **${markdown.escapeMarkdown(text)}**`,
    ...details.map((detail) => `  - ${markdown.escapeMarkdown(detail)}`),
  ]);
  const lines = [...markdown.tableBelow(columns, rows), ...(list.length === 0 ? [] : ["", ...list])];
  return markdown.answerText(parts, lines, period && `Period: ${period}`);
}
