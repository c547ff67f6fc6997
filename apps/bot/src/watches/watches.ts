import { oneOfThese } from "@media-ops/commands";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type { LogCounts } from "@media-ops/sdk";
import type { WebClient } from "@slack/web-api";
import type { Project } from "../connections/connections.js";
import { type CommandNamed, language } from "../language.js";
import { mayWatch } from "../policy/decide.js";
import { nothingIfLacking, openProject, openProjectOf, unlessLacking } from "../projects/open-project.js";
import { projectLabel, strong, thisPlace, typed, whoIn } from "../projects/words.js";
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
import { isClosedPlace } from "../slack/client.js";
import { FEWEST } from "./detector.js";
import { digestActions, digestRows } from "./digest.js";
import { openEdit } from "./edit.js";
import { isMutedAt, MUTE, STOP, stopButton, TAKE, UNMUTE, watchName, watchWords } from "./message.js";
import {
  exceeds,
  type Rule,
  ruleOf,
  type StoredIncident,
  type Watch,
  type WatchChange,
  type WatchCommand,
} from "./watch-store.js";

const EDIT = "watch-edit";
const TEST = "watch-test";
const OFFER = "watch-offer";
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
  if (newest.isOpen && ended === undefined) return `fires since ${slackDate(began)}`;
  return `last fired ${slackDate(Math.min(began, now))}`;
}

/** The watch and the incident in a button's value. */
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

/** How long the button mutes a watch. */
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
/** How far back a watch is tried out. */
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

// More than a workspace looks after.
const MOST_WATCHES = 500;

/** `/media watch <kind> …`: posts to this channel when something happens. */
export async function watch(command: CommandNamed<"watch">, request: Request): Promise<Draft> {
  await needWatchRight(request);
  const placeId = placeOf(request);
  const project = await openProjectOf(command, request);
  const whole: WatchCommand = { ...command, in: project.id };
  const { kind, where } = ruleOf(whole);
  const newest = { project_id: project.id, where, limit: 1 };
  // Fails now, and not at night, if the service has no such log.
  const asked = project.ask((client, options) => client.logs.list(kind, newest, options));
  await unlessLacking(asked, kind, project);
  const { added, known } = await addWatches([whole], placeId, request);
  const [made] = added;
  if (!made) {
    const words = `This is watched ${thisPlace(placeId) === "this channel" ? "here" : "in this conversation"} already.`;
    return mrkdwnMessage(words, ...known.map((one) => stopButton(one)), allButton());
  }
  const words = `✓ Watching ${watchName(whole)}: incidents are posted in ${thisPlace(placeId)}.`;
  const tryIt = button({ label: "Would it have fired?", action: TEST, value: made.id });
  return mrkdwnMessage(words, tryIt, stopButton(made), allButton());
}

const allButton = () => runButton("All watches", "watches", { id: "watches" });

/** Adds watches to a conversation, and says there who did it: that shows, too, that the bot can post. */
async function addWatches(commands: readonly WatchCommand[], placeId: string, request: Request) {
  const { watches, served, timeZone, userId: createdBy, slack, prefix } = request;
  const all = await watches.all(served.teamId);
  const wanted = commands.map((command) => ({ command, text: language.write(command), timeZone, placeId, createdBy }));
  const known = all.filter((one) => one.placeId === placeId && wanted.some(({ text }) => text === one.text));
  const fresh = wanted.filter(({ text }) => !known.some((one) => one.text === text));
  if (all.length + fresh.length > MOST_WATCHES) {
    throw new Refused(
      `This workspace has ${all.length} watches, and ${MOST_WATCHES} are the most. Stop some first: ${prefix} watches.`,
    );
  }
  if (fresh.length === 0) return { added: [], known };
  const names = fresh.map(({ command }) => watchName(command));
  const said =
    names.length === 1
      ? `<@${createdBy}> watches ${names[0]} here.`
      : [`<@${createdBy}> watches here:`, ...names.map((name) => `• ${name}`)].join("\n");
  const announced = await announce(slack, placeId, said, stopHint(request));
  try {
    return { added: await watches.add(served, fresh), known };
  } catch (error) {
    // What was announced isn't so.
    await slack.chat.delete({ channel: placeId, ts: announced }).catch(() => {});
    throw error;
  }
}

/** How everyone in a conversation can end what was set up there. */
export const stopHint = ({ prefix }: Pick<Request, "prefix">): string =>
  `${typed(prefix, "watches")} lists and stops watches.`;

/** Posts to a conversation; returns the message's timestamp. */
export async function announce(slack: WebClient, placeId: string, text: string, hint: string): Promise<string> {
  try {
    const blocks = [mrkdwnSection(text), smallPrint(hint)];
    const { ts = "" } = await slack.chat.postMessage({ channel: placeId, text, blocks, unfurl_links: false });
    return ts;
  } catch (error) {
    if (!isClosedPlace(error)) throw error;
    throw new Refused(mrkdwnMessage(NOT_HERE));
  }
}

const NOT_HERE =
  "Nothing is watched: the bot can't post in this conversation. Invite it (`/invite` and its name), then type the command again; or use a channel that it is in, or its own direct messages.";

/** The conversation of a request. */
export function placeOf({ channelId, prefix }: Pick<Request, "channelId" | "prefix">): string {
  if (channelId === undefined) throw new Refused(`A watch posts to a conversation. Type ${prefix} watch in one.`);
  return channelId;
}

/** @throws {Refused} if the person may not set up, change or stop watches and digests. */
export async function needWatchRight({ config, member }: Pick<Request, "config" | "member">): Promise<void> {
  if (mayWatch(config.policy, await member())) return;
  const who = whoIn([...config.policy.watch, "admins"]);
  throw new Refused(mrkdwnMessage(`You may not set up or change watches and digests. Ask ${who}.`));
}

/** The watch with an id. */
export async function watchIn(id: string, { watches, served }: Pick<Request, "watches" | "served">): Promise<Watch> {
  const found = await watches.one(served.teamId, id);
  if (!found) throw new Refused("This watch was stopped already.");
  return found;
}

/** A button that sets up the usual watches in this conversation. */
export const offerButton = (project: string) =>
  button({
    label: "Watch the usual here",
    action: OFFER,
    value: project,
    confirm: {
      title: "Watch this project here?",
      text: "A message comes here when webhooks fail or are switched off, when more clients than usual are refused, and when the API fails.",
      yes: "Watch it",
    },
  });

/** Sets up the usual watches of a project. */
export async function takeOffer(projectId: string, request: Request): Promise<Draft> {
  await needWatchRight(request);
  const project = await openProject(projectId, request, () => "projects");
  const { added, known } = await addWatches(await usualWatches(project, request.now()), placeOf(request), request);
  const words =
    added.length === 0
      ? `The usual of ${strong(projectId)} is watched here already.`
      : `✓ ${strong(projectId)} is watched here:`;
  const lines = added.map(({ command }) => `• ${escapeMrkdwn(watchWords(command))}`);
  const rest = known.length > 0 && added.length > 0 ? ["The others were watched already."] : [];
  return { ...mrkdwnMessage([words, ...lines, ...rest].join("\n"), allButton()), text: words };
}

const DAY_MS = 24 * 60 * 60_000;
// What is usual is taken from this time; 5 min each, as many periods as the service counts at once.
const USUAL_MS = 6 * DAY_MS;
const OVER_S = 300;
// Of a hundred usual periods, one may have more; an incident has much more.
const RARE = 0.99;
const MUCH = 2;

/** The usual watches, each with the least that it fires at. */
const usual = [
  { text: "webhooks failed over:10m", least: 5, isRelative: false },
  // The receiver said that it is gone, and gets nothing any more.
  { text: "webhooks status:410", least: 0, isRelative: false },
  { text: "events outcome:refused", least: 20, isRelative: true },
  { text: "api status:5xx", least: 5, isRelative: false },
] as const;

async function usualWatches(project: Project, now: number): Promise<WatchCommand[]> {
  const commandOf = (text: string, limit: number): WatchCommand => {
    const read = language.parse(`watch ${text} when:count>${limit}`, { now: 0 });
    if (!read.ok || read.command.name !== "watch") throw new Error(`The usual watch "${text}" is no command.`);
    return { ...read.command, in: project.id };
  };
  const commands = await Promise.all(
    usual.map(async ({ text, least, isRelative }) => {
      const command = commandOf(text, least);
      if (!isRelative) return command;
      // Nothing is usual for a service without an event log, or without counts.
      const count = await usualCount(project, command, now).catch(nothingIfLacking);
      return count === undefined ? undefined : commandOf(text, Math.max(least, MUCH * count));
    }),
  );
  return commands.filter((command) => command !== undefined);
}

/** How many entries a busy but usual period has. */
async function usualCount({ ask, id }: Project, command: WatchCommand, now: number): Promise<number> {
  const { kind, where } = ruleOf(command);
  const range = { since: new Date(now - USUAL_MS).toISOString(), until: new Date(now).toISOString() };
  const question = { project_id: id, where, ...range, every: OVER_S };
  const { periods } = await ask((client, options) => client.logs.count(kind, question, options));
  // Periods without an entry aren't listed.
  const all = USUAL_MS / 1000 / OVER_S;
  const counts = periods.map(({ count }) => count).sort((a, b) => b - a);
  return counts[Math.floor(all * (1 - RARE))] ?? 0;
}
