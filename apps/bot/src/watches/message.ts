import { createHash } from "node:crypto";
import { changeWords, type Incident } from "@media-ops/formatters";
import { escapeMrkdwn, formatIncident, type SlackBlock } from "@media-ops/formatters/slack";
import { type Command, language } from "../language.js";
import { bookmarks, NEWEST } from "../logs/listing.js";
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
} from "../slack/answer.js";
import { mostOf } from "../why/why.js";
import { isLoudAt, type StoredIncident, type Watch, type WatchCommand } from "./watch-store.js";

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

function lookButtons({ incident, projectId, kind }: StoredIncident, command: WatchCommand) {
  const { began, ended } = incident;
  // A listing's end is excluded, and entries have finer times than milliseconds.
  const period = { since: began, ...(ended !== undefined && { until: ended + 1 }) };
  const entries = { kind, filters: filtersOf(command), ...period, in: projectId };
  const top = (field: string) => incident.groups.find((group) => group.field === field)?.tallies[0];
  const worst = mostOf(incident.count, top("client_id"), top("channel_id"));
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

interface Silence {
  readonly projectId: string;
  readonly since: number;
}

/** What is posted about a silent service, in each place of its watches: quiet would look like an all-clear. */
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

function silenceDraft({ incident, projectId }: StoredIncident, blockId: string): Draft {
  const { began, ended } = incident;
  const text =
    ended === undefined
      ? `*?* ${strong(projectId)}'s service hasn't answered since ${slackDate(began)}: its watches here see nothing until it does.`
      : `✓ ${strong(projectId)}'s service answers again. From ${slackDate(began)} to ${slackDate(ended)} it didn't; what was logged in that time is looked through now.`;
  const status = row(apartButton("Status", language.write({ name: "status", in: projectId }), "status"));
  return { blocks: [{ ...mrkdwnSection(text), block_id: blockId }, ...status], text };
}

/** What is known about an incident besides the incident itself. */
export interface Sight {
  /** The watch whose message or URL shows it; undefined if that was stopped or changed since. */
  readonly watch: Watch | undefined;
  /** Whether the watch goes on with the incident, or may go on with it. */
  readonly isCurrent: boolean;
  /** Whether any log of its project is followed. */
  readonly isFollowed: boolean;
  readonly now: number;
}

/** The next thing to do in Slack for an incident. */
export type Step = { readonly do: "post" | "edit" | "find" | "close" } | { readonly do: "note"; readonly note: string };

// A message is edited at most once in this time while it only counts on.
const EDIT_MS = 60_000;

/** A request to Slack ends within 10 s: after that, a message of a process that has died is there, or never will be. */
export const IN_FLIGHT_MS = 12_000;

/** Stands for what a message shows if it can't be edited any more. */
export const DELETED = "deleted";

/** What has to be done next, so that Slack shows an incident: one message, edited in place, with notes in its thread. */
export function nextStep(found: StoredIncident, sight: Sight): Step | undefined {
  const { watch, isCurrent, now } = sight;
  const { messageTs, postingAt, shown, shownAt = 0 } = found;
  const isOver = found.incident.ended !== undefined;
  const isSilent = isSilence(found);
  // No watch looks any more, so it isn't known whether the service answers again.
  if (isSilent && !isOver && !sight.isFollowed) return { do: "close" };
  // What is left to send outside Slack is sent first.
  const close = isDueOutside(found, sight) ? undefined : ({ do: "close" } as const);
  if (silencedWatch(found) !== undefined) return watch && !isOver ? undefined : close;
  if (messageTs === undefined) {
    if (postingAt !== undefined) return now - postingAt >= IN_FLIGHT_MS ? { do: "find" } : undefined;
    // A silence that is over before it was posted is none.
    if (isSilent ? !isOver : watch && !isHushed(found, watch, now)) return { do: "post" };
    return !isSilent && watch && !isOver ? undefined : close;
  }
  const isDone = (!watch && !isSilent) || (isOver && !isCurrent);
  if (shown !== DELETED) {
    const { state, content } = fingerprintOf(found, { watch, now });
    const [shownState, shownContent] = shown?.split(".") ?? [];
    if (shownState !== state || (shownContent !== content && now - shownAt >= EDIT_MS)) return { do: "edit" };
    const note = watch && !isMutedAt(watch, now) ? noteOn(found, isCurrent) : undefined;
    if (note !== undefined) return { do: "note", note };
  }
  return isDone ? close : undefined;
}

/** Whether something has to be sent to the watch's URL outside Slack now. */
export function isDueOutside(found: StoredIncident, { watch, now }: Pick<Sight, "watch" | "now">): boolean {
  const { incident, messageTs, sent } = found;
  if (watch?.target === undefined || sent === sentKey(incident)) return false;
  if (sent !== undefined || messageTs !== undefined) return true;
  // A silence that is over before it was sent is none.
  return !isHushed(found, watch, now) && !(isSilence(found) && incident.ended !== undefined);
}

/** Whether an incident must not be posted now; one that is over by then is never posted. */
const isHushed = ({ incident: { ended } }: StoredIncident, watch: Watch, now: number): boolean =>
  !isLoudAt(watch, now) || (ended !== undefined && !isLoudAt(watch, ended));

/** What is worth a note in the thread: of an incident that comes and goes, only its first return, and its end. */
function noteOn({ incident, noted = incident }: StoredIncident, isCurrent: boolean): string | undefined {
  const { times, ended } = incident;
  if (times > 1 && ended !== undefined && isCurrent) return undefined;
  if (times <= 2 || ended !== undefined) return changeWords(noted, incident);
  const { ended: _, ...before } = noted;
  return changeWords({ ...before, times }, incident);
}

/** What of an incident is sent outside Slack: that it began, and that it is over. */
export const sentKey = ({ times, ended }: Pick<Incident, "times" | "ended">): string =>
  `${times}:${ended === undefined ? "began" : "ended"}`;
