import { oneOfThese } from "@media-ops/commands";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type { LogCounts } from "@media-ops/sdk";
import type { Project } from "../connections/connections.js";
import type { CommandNamed } from "../language.js";
import { openProject } from "../projects/open-project.js";
import { projectLabel, strong, typed } from "../projects/words.js";
import type { Action, Actions, Request } from "../request.js";
import {
  button,
  type Draft,
  mrkdwnMessage,
  mrkdwnSection,
  placeText,
  Refused,
  row,
  runButton,
  slackDate,
  smallPrint,
} from "../slack/answer.js";
import { FEWEST } from "./detector.js";
import { digestActions, digestRows } from "./digest.js";
import { isMutedAt, MUTE, STOP, stopButton, TAKE, UNMUTE, watchName, watchWords } from "./message.js";
import { needWatchRight, OFFER, openEdit, TEST, takeOffer, watchIn } from "./watch.js";
import { exceeds, type Rule, ruleOf, type StoredIncident, type Watch, type WatchChange } from "./watch-store.js";

const EDIT = "watch-edit";
const RESUME = "watch-resume";

// Each uses two blocks, and a message has at most 50.
const MOST_SHOWN = 20;
const MOST_DIGESTS = 3;

/** `/media watches`: every watch of the workspace, with its state, and what can be done with it. */
export const watches = (command: CommandNamed<"watches">, request: Request): Promise<Draft> =>
  watchesDraft(request, { project: command.in });

/** @param options.said confirms what was just done. */
async function watchesDraft(
  request: Request,
  { project, said }: { project?: string | undefined; said?: string },
): Promise<Draft> {
  const { watches: store, served, channelId, prefix } = request;
  const [all, newest, digests] = await Promise.all([
    store.all(served.teamId),
    store.newest(served.teamId),
    digestRows(request, MOST_DIGESTS),
  ]);
  const some = all.filter(({ command }) => project === undefined || command.in === project);
  // Those of this conversation first: they are the likely ones.
  const sorted = [...some].sort((a, b) => Number(b.placeId === channelId) - Number(a.placeId === channelId));
  const of = project === undefined ? "" : ` of ${strong(project)}`;
  const examples = ["watch webhooks failed", "watch events outcome:refused when:count>20"];
  const title =
    some.length > 0
      ? `*${some.length === 1 ? "One watch" : `${some.length} watches`}${of}*`
      : `Nothing${of} is watched yet. Type in the channel that should be notified: ${oneOfThese(examples.map((text) => typed(prefix, text)))}.`;
  const left = sorted.length - MOST_SHOWN;
  const more = `${left} more are not shown; ${typed(prefix, "watches in:<project>")} lists those of one project.`;
  return {
    blocks: [
      mrkdwnSection(said === undefined ? title : `✓ ${said}\n${title}`),
      ...sorted.slice(0, MOST_SHOWN).flatMap((watch) => watchBlocks(watch, newest.get(watch.id), request)),
      ...(left > 0 ? [smallPrint(more)] : []),
      ...digests,
      ...row(runButton("Refresh", project === undefined ? "watches" : `watches in:${project}`, { id: "refresh" })),
    ],
    text: said ?? title,
  };
}

/** A watch with its state and its buttons. */
export function watchBlocks(watch: Watch, newest: StoredIncident | undefined, request: Request): SlackBlock[] {
  const { id, command, placeId, createdBy, target, paused, mutedUntil } = watch;
  const now = request.now();
  const isMuted = isMutedAt(watch, now);
  const outside = target === undefined ? "" : " and outside Slack";
  const lines = [
    `${stateOf(watch, newest, now)} *${escapeMrkdwn(watchWords(command))}* · ${escapeMrkdwn(projectLabel(command.in))}`,
    `${placeText(placeId)}${outside}, by <@${createdBy}> · ${firedText(newest, now)}`,
    ...(paused === undefined && isBehind(watch, now)
      ? [`Its log was last read ${slackDate(watch.lookedAt ?? watch.createdAt)}: what happened since isn't known.`]
      : []),
    ...(paused === undefined ? [] : [`Paused: ${escapeMrkdwn(paused)}`]),
    ...(isMuted ? [`Muted until ${slackDate(mutedUntil ?? now)}`] : []),
  ];
  const control = (label: string, action: string) => button({ label, action: `${action}${id}`, value: id });
  return [
    mrkdwnSection(lines.join("\n")),
    ...row(
      paused === undefined ? undefined : control("Resume", `${RESUME}:`),
      control("Test", `${TEST}:`),
      control("Edit…", `${EDIT}:`),
      isMuted ? control("Unmute", `${UNMUTE}:list-`) : control("Mute 1 h", `${MUTE}:list-`),
      stopButton(watch, "Stop", `:list-${id}`),
    ),
  ];
}

/** ▲ it fires now, ✓ it looks and finds nothing, ? it doesn't look. */
export function stateOf(watch: Watch, newest: StoredIncident | undefined, now: number): "▲" | "✓" | "?" {
  const isBlind = newest?.isOpen === true && (newest.incident.blindSince ?? now) < now;
  if (watch.paused !== undefined || isBehind(watch, now) || isBlind) return "?";
  return newest?.isOpen && newest.incident.ended === undefined ? "▲" : "✓";
}

// A log that is followed is read several times in this time.
const BEHIND_MS = 60_000;

const isBehind = ({ lookedAt = 0, createdAt }: Watch, now: number): boolean =>
  now - Math.max(lookedAt, createdAt) > BEHIND_MS;

function firedText(newest: StoredIncident | undefined, now: number): string {
  if (!newest) return "not fired yet";
  const { began, ended } = newest.incident;
  if (newest.isOpen && ended === undefined) return `firing since ${slackDate(began)}`;
  return `last fired ${slackDate(Math.min(began, now))}`;
}

function partsOf(value: string): { watchId: string; beganAt: number | undefined } {
  const [watchId = "", began] = value.split(" ");
  return { watchId, beganAt: began === undefined ? undefined : Number(began) };
}

/** Changes a watch, and confirms it in the list; the message of an incident shows it itself within a second. */
const changing = (said: string, change: (now: number) => WatchChange): Action => ({
  async run(request, { value }) {
    await needWatchRight(request);
    const { watchId, beganAt } = partsOf(value);
    const { id, command } = await watchIn(watchId, request);
    await request.watches.change(request.served, id, change(request.now()));
    if (beganAt !== undefined) return;
    await request.answer.replace(await watchesDraft(request, { said: `${said}: ${watchName(command)}.` }));
  },
});

const MUTE_MS = 60 * 60_000;

export const watchActions: Actions = {
  [MUTE]: changing("Muted for an hour", (now) => ({ mutedUntil: now + MUTE_MS })),
  [UNMUTE]: changing("No longer muted", () => ({ mutedUntil: undefined })),
  [RESUME]: changing("Resumed", () => ({ paused: undefined })),
  [TAKE]: {
    async run(request, { value }) {
      const { watchId, beganAt = 0 } = partsOf(value);
      const { watches, served, userId } = request;
      if (await watches.take(served, watchId, beganAt, userId)) return;
      const taken = (await watches.newest(served.teamId)).get(watchId)?.takenBy;
      throw new Refused(
        taken === undefined ? "This incident is over already." : mrkdwnMessage(`<@${taken}> is on it already.`),
      );
    },
  },
  [STOP]: {
    async run(request, { value }) {
      await needWatchRight(request);
      const watch = await watchIn(partsOf(value).watchId, request);
      await request.watches.remove(request.served, watch.id);
      request.log.info({ watch: watch.id, command: watch.text }, "a watch was stopped");
      await request.answer.say(mrkdwnMessage(`✓ Stopped: ${watchName(watch.command)}.`));
    },
  },
  [TEST]: {
    async run(request, { value }) {
      await request.answer.say(await rehearsal(await watchIn(partsOf(value).watchId, request), request));
    },
  },
  [EDIT]: { isUrgent: true, run: (request, { value }) => openEdit(value, request) },
  [OFFER]: {
    async run(request, { value }) {
      await request.answer.say(await takeOffer(value, request));
    },
  },
  ...digestActions,
};

const MINUTE_MS = 60_000;
const REHEARSED_MS = 7 * 24 * 60 * MINUTE_MS;
// The service counts 2000 periods at once, and the first and the last of a week may be parts of one.
const SHORTEST_MS = Math.ceil(REHEARSED_MS / 1998 / 1000) * 1000;
// As many times as are read at a glance.
const MOST_TIMES = 10;

/** When a watch would have fired in the last days: counted in periods as long as its window. */
async function rehearsal({ command }: Watch, request: Request): Promise<Draft> {
  const { ask, id }: Project = await openProject(command.in, request, () => "watches");
  const now = request.now();
  const rule = ruleOf(command);
  const every = Math.ceil(Math.max(SHORTEST_MS, rule.overMs) / 1000);
  const range = { since: new Date(now - REHEARSED_MS).toISOString(), until: new Date(now).toISOString() };
  const question = { project_id: id, where: rule.where, ...range, every };
  const counts = await ask((client, options) => client.logs.count(rule.kind, question, options));
  const since = counts.complete ? now - REHEARSED_MS : Date.parse(counts.since);
  const starts = counts.periods.filter((period) => isAbove(rule, period)).map(({ start }) => Date.parse(start));
  const incidents = joined(starts, every * 1000);
  const isWhole = since <= now - REHEARSED_MS;
  const period = isWhole ? "in the last 7 days" : `since ${slackDate(since)}, before which nothing was counted`;
  const times = incidents.length === 1 ? "once" : `${incidents.length} times`;
  const head = incidents.length === 0 ? `Would not have fired ${period}` : `Would have fired ${times} ${period}`;
  const lines = incidents
    .slice(-MOST_TIMES)
    .map(({ from, to }) => `• ${slackDate(from)}, for about ${Math.max(1, Math.round((to - from) / MINUTE_MS))} min`);
  const more = incidents.length > MOST_TIMES ? [`The last ${MOST_TIMES}:`] : [];
  const text = `*${head}:* ${watchName(command)}.`;
  return { blocks: [mrkdwnSection([text, ...more, ...lines].join("\n"))], text };
}

function isAbove(rule: Rule, { count, failed = 0, elapsed_ms }: LogCounts["periods"][number]): boolean {
  const { measure } = rule;
  if (measure === "count") return exceeds(rule, count);
  const value = measure === "failed" ? failed / count : elapsed_ms?.[measure];
  return count >= FEWEST && value !== undefined && exceeds(rule, value);
}

/** Periods that follow one another are one incident, as are those that a short recovery separates. */
function joined(starts: readonly number[], lengthMs: number): { from: number; to: number }[] {
  const incidents: { from: number; to: number }[] = [];
  for (const from of [...starts].sort((a, b) => a - b)) {
    const last = incidents.at(-1);
    if (last && from - last.to <= Math.max(10 * MINUTE_MS, lengthMs)) last.to = from + lengthMs;
    else incidents.push({ from, to: from + lengthMs });
  }
  return incidents;
}
