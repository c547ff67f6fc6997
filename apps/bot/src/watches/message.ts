import { createHash } from "node:crypto";
import { escapeMrkdwn, formatIncident, type SlackBlock } from "@media-ops/formatters/slack";
import { type Command, language } from "../language.js";
import { bookmarks, NEWEST } from "../logs/bookmark.js";
import { projectLabel, strong } from "../projects/words.js";
import { controls } from "../saved-command.js";
import {
  apartButton,
  button,
  chartMessage,
  type Draft,
  mrkdwnSection,
  row,
  slackDate,
  smallPrint,
} from "../slack/blocks.js";
import type { WatchCommand } from "./rule.js";
import type { StoredIncident, Watch } from "./watch-store.js";

/** The controls of an incident's message, by the first part of their action ids. */
export const MUTE = "watch-mute";
export const UNMUTE = "watch-unmute";
export const TAKE = "watch-take";
export const STOP = "watch-stop";

/** What a message shows beside the incident itself. */
interface Shown {
  /** The watch; undefined if it was stopped or changed since. */
  readonly watch: Watch | undefined;
  readonly now: number;
}

/** The block that identifies an incident's message in its channel. */
export const blockIdOf = (watchId: string, beganAt: number): string => `watch:${watchId}:${beganAt}`;

/** "failed webhooks, more than 5% failed within 10 min", in words. */
export const watchWords = (command: WatchCommand): string => {
  const { in: _, ...rest } = command;
  return language.describe(rest).replace(/^watch (?:of )?/, "");
};

/** A watch in a sentence, in Slack's markup: its words and its project. */
export const watchName = (command: WatchCommand): string =>
  `${escapeMrkdwn(watchWords(command))} of ${strong(command.in)}`;

/** The message of an incident. Readers are in several time zones, so times are Slack's own. */
export function incidentDraft(found: StoredIncident, command: WatchCommand, { watch, now }: Shown): Draft {
  const { incident, watchId, beganAt } = found;
  if (isSilence(found)) return silenceDraft(found, blockIdOf(watchId, beganAt));
  // Nobody looks any more, so what goes on isn't known.
  const isUnknown = (watch === undefined || watch.paused !== undefined) && incident.ended === undefined;
  const shown = isUnknown ? { ...incident, blindSince: incident.blindSince ?? incident.lookedUntil } : incident;
  const { blocks, text } = formatIncident(shown, {
    title: projectLabel(found.projectId),
    description: watchWords(command),
    now,
    timeZone: "UTC",
  });
  const notes = notesOn(found, { watch, now });
  const isOver = incident.ended !== undefined || watch === undefined;
  const value = `${watchId} ${beganAt}`;
  const isMuted = isMutedAt(watch, now);
  const controls = row(
    ...lookButtons(found, command),
    ...(isOver
      ? []
      : [
          found.takenBy === undefined ? button({ label: "I'm on it", action: TAKE, value }) : undefined,
          isMuted
            ? button({ label: "Unmute", action: UNMUTE, value })
            : button({ label: "Mute 1 h", action: MUTE, value }),
        ]),
    watch && stopButton(watch),
  ).map((block): SlackBlock => ({ ...block, block_id: blockIdOf(watchId, beganAt) }));
  return chartMessage([...blocks, ...(notes.length > 0 ? [smallPrint(notes.join(" · "))] : []), ...controls], text);
}

/** Asks before it stops: a watch can't be restored. */
export function stopButton(watch: Watch, label = "Stop watching", id = "") {
  return button({
    label,
    action: `${STOP}${id}`,
    value: watch.id,
    confirm: {
      title: "Stop this watch?",
      text: `Its incidents are no longer posted: ${watchWords(watch.command).slice(0, 200)}.`,
      yes: "Stop watching",
    },
  });
}

export const isMutedAt = (watch: Pick<Watch, "mutedUntil"> | undefined, now: number): boolean =>
  watch?.mutedUntil !== undefined && watch.mutedUntil > now;

function notesOn({ takenBy, takenAt, incident }: StoredIncident, { watch, now }: Shown): string[] {
  const taken = takenBy && `<@${takenBy}> is on it${takenAt === undefined ? "" : `, ${slackDate(takenAt)}`}`;
  const states = [
    isMutedAt(watch, now) && `Muted until ${slackDate(watch?.mutedUntil ?? now)}`,
    watch === undefined && "This watch was stopped or changed, so it isn't known how it went on.",
    watch?.paused !== undefined && `Paused: ${escapeMrkdwn(watch.paused)}`,
  ];
  return [taken, ...(incident.ended === undefined ? states : [])].filter((note) => typeof note === "string");
}

/** Buttons that show more to the person who presses them. */
function lookButtons({ incident, projectId, kind }: StoredIncident, command: WatchCommand) {
  const { began, ended } = incident;
  // A listing's end is excluded, and entries have finer times than milliseconds.
  const period = { since: began, ...(ended !== undefined && { until: ended + 1 }) };
  const entries = { kind, filters: filtersOf(command), ...period, in: projectId };
  const worst = worstOf(incident);
  const runs = (label: string, to: Command) => apartButton(label, language.write(to), to.name);
  return [
    bookmarks.button("Entries", `${controls.logs.closer}:watch`, {
      command: { name: "logs", ...entries },
      spot: NEWEST,
    }),
    kind === "events"
      ? runs("Why", { name: "why", ...period, in: projectId })
      : runs("Summary", { name: "summary", ...entries }),
    worst && runs("Trace", { name: "trace", ...worst, ...period, in: projectId }),
  ];
}

/** The filters of what counts: of a share of failures, the failures. */
function filtersOf({ kind, filters, when }: WatchCommand) {
  if (when?.measure !== "failed") return filters;
  const read = language.parse(`logs ${kind} failed`, { now: 0 });
  return read.ok && read.command.name === "logs" ? [...filters, ...read.command.filters] : filters;
}

/** The client or channel that most of an incident concerns; undefined if there is none. */
function worstOf({ groups, count }: StoredIncident["incident"]) {
  for (const [field, is] of [
    ["client_id", "client"],
    ["channel_id", "channel"],
  ] as const) {
    const [first] = groups.find((group) => group.field === field)?.tallies ?? [];
    if (first && first.count * 2 >= count) return { is, what: first.name };
  }
  return undefined;
}

/** A short text that changes if the message has to: not with every moment that passes. */
export function fingerprintOf(found: StoredIncident, { watch, now }: Shown): { state: string; content: string } {
  const { incident, takenBy } = found;
  const { ended, times, blindSince, count, total, groups, worst } = incident;
  const isMuted = ended === undefined && isMutedAt(watch, now);
  const isWatched = ended !== undefined || watch !== undefined;
  const state = hash([ended, times, blindSince, takenBy, isMuted, isWatched, watch?.paused]);
  return { state, content: hash([count, total, groups.map(({ tallies }) => tallies[0]), worst]) };
}

const hash = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 12);

/** The notification of the owner of paused watches, in Slack's markup. */
export function pausedText(watches: readonly Watch[], reason: string): string {
  const lines = watches.slice(0, MOST_NAMED).map(({ command, placeId }) => {
    return `• ${escapeMrkdwn(watchWords(command))} of ${escapeMrkdwn(projectLabel(command.in))} in <#${placeId}>`;
  });
  const more = watches.length > MOST_NAMED ? [`and ${watches.length - MOST_NAMED} more`] : [];
  const what = watches.length === 1 ? "A watch of yours is paused" : `${watches.length} watches of yours are paused`;
  return [`*${what}:* ${escapeMrkdwn(reason)}`, ...lines, ...more].join("\n");
}

/** As many as are read at a glance. */
const MOST_NAMED = 10;

/** Whether an incident is that of a silent service. */
export const isSilence = ({ watchId }: Pick<StoredIncident, "watchId">): boolean => watchId.startsWith("silent ");

/** The watch whose URL outside Slack gets a silence; undefined if a channel gets it. */
export const silencedWatch = ({ watchId }: Pick<StoredIncident, "watchId">): string | undefined =>
  /^silent @(\S+)/.exec(watchId)?.[1];

/** A service that doesn't answer its followers since a time. */
interface Silence {
  readonly projectId: string;
  readonly since: number;
}

/**
 * What has to be posted about a silent service, to each channel and each URL with watches that may post now: without it,
 * quiet would look like an all-clear.
 */
export function silenceIncidents(silence: Silence, watches: readonly Watch[]): StoredIncident[] {
  const own = watches.filter(({ command }) => command.in === silence.projectId);
  const places = [...new Set(own.map(({ placeId }) => placeId))];
  return [
    ...places.map((placeId) => silenceIncident(silence, `silent ${placeId} ${silence.projectId}`, placeId)),
    ...own.flatMap(({ id, placeId, target }) =>
      target === undefined ? [] : [silenceIncident(silence, `silent @${id}`, placeId)],
    ),
  ];
}

/** A silence in the form in which incidents are stored. */
export function silenceIncident({ projectId, since }: Silence, watchId: string, placeId: string): StoredIncident {
  const none = {
    limit: 0,
    overMs: 0,
    value: 0,
    worst: 0,
    count: 0,
    isFailure: true,
    times: 1,
    groups: [],
    overTime: [],
  };
  const incident = { kind: "api", measure: "count", ...none, began: since, lookedUntil: since } as const;
  return { watchId, beganAt: since, placeId, projectId, kind: "api", incident, isOpen: true };
}

/** The message about a silent service. */
function silenceDraft({ incident, projectId }: StoredIncident, blockId: string): Draft {
  const { began, ended } = incident;
  const text =
    ended === undefined
      ? `*?* ${strong(projectId)}'s service hasn't answered since ${slackDate(began)}: its watches here see nothing until it does.`
      : `✓ ${strong(projectId)}'s service answers again. From ${slackDate(began)} to ${slackDate(ended)} it didn't; what was logged in that time is looked through now.`;
  const status = row(apartButton("Status", language.write({ name: "status", in: projectId }), "status"));
  return { blocks: [{ ...mrkdwnSection(text), block_id: blockId }, ...status], text };
}
