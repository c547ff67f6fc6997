import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { WebClient } from "@slack/web-api";
import type { Project } from "../connections/connections.js";
import { targetFault } from "../connections/public-addresses.js";
import { type CommandNamed, language } from "../language.js";
import { mayWatch } from "../policy/policy.js";
import { fillWindow, openFilled } from "../problem.js";
import { nothingIfLacking, openProject, openProjectOf, unlessLacking } from "../projects/open-project.js";
import { projectLabel, strong, thisPlace, typed, whoIn } from "../projects/words.js";
import { kindInput, readFields } from "../query/query.js";
import { type Form, type Forms, keep, onlyFaults, type Request, type SentForm } from "../request.js";
import {
  button,
  type Draft,
  mrkdwnMessage,
  mrkdwnSection,
  plainSection,
  Refused,
  runButton,
  smallPrint,
} from "../slack/answer.js";
import { isClosedPlace } from "../slack/client.js";
import { input, type Modal, textInput, waitingModal } from "../slack/views.js";
import { stopButton, watchName, watchWords } from "./message.js";
import { newSecret, openTarget, sealTarget } from "./target.js";
import { ruleOf, type Watch, type WatchChange, type WatchCommand } from "./watch-store.js";

/** The control that shows how often a watch would have fired. */
export const TEST = "watch-test";
/** The control that sets up the usual watches of a project. */
export const OFFER = "watch-offer";

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
const stopHint = ({ prefix }: Pick<Request, "prefix">): string =>
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

const EDIT_FORM = "watch-edit";
const TITLE = "Edit a watch";

/** Opens the window in which a watch is changed. */
export const openEdit = (watchId: string, request: Request): Promise<void> =>
  openFilled(TITLE, request, async () => {
    await needWatchRight(request);
    return editForm(await watchIn(watchId, request), request);
  });

async function editForm(watch: Watch, request: Request): Promise<Modal> {
  const { command, id, placeId } = watch;
  const target = await openTarget(request.vault, watch);
  const parts = partsOf(command);
  return {
    title: TITLE,
    callbackId: EDIT_FORM,
    submit: "Save",
    close: "Cancel",
    keep: keep(request, { watchId: id, project: command.in, isPublicOnly: !request.config.allowPrivateWatchUrls }),
    blocks: [
      smallPrint(`A watch of ${escapeMrkdwn(projectLabel(command.in))}. The words are those of the command.`),
      kindInput(command.kind),
      text("filters", "Filters", parts.filters, {
        example: "failed channel:lobby",
        hint: "As in logs; none means every entry.",
      }),
      text("when", "Fires when", parts.when, {
        example: "count>0",
        hint: "count>20, failed>5% or p95>2s, within the time below. By default, one entry is enough.",
      }),
      text("over", "Within", parts.over, { example: "5m" }),
      text("quiet", "Quiet hours", parts.quiet, {
        example: "22:00-07:00",
        hint: `In your time zone, ${request.timeZone}.`,
      }),
      input("place", "Posts to", {
        type: "conversations_select",
        initial_conversation: placeId,
        filter: { include: ["public", "private", "im"] },
      }),
      text("url", "Also outside Slack", undefined, {
        example: "https://events.example/hook",
        hint: target
          ? `It posts to ${hostIn(target.url)} now. Leave this empty to keep that, or write off to end it.`
          : "A URL that takes a signed JSON message when an incident begins and when it is over, such as a pager's.",
      }),
    ],
  };
}

const text = (id: string, label: string, value: string | undefined, how: { example: string; hint?: string }) =>
  textInput(id, label, { ...how, value, longest: 1000, optional: true });

const hostIn = (url: string): string => (URL.canParse(url) ? new URL(url).host : "a URL");

const options = ["when", "over", "quiet"] as const;

function partsOf({ kind, filters, when, over, quiet }: WatchCommand) {
  const textOf = (part: Partial<WatchCommand>): string =>
    language.write({ name: "watch", kind, filters: [], ...part }).replace(/^watch \S+ ?(?:(?:when|over|quiet):)?/, "");
  return {
    filters: textOf({ filters }),
    when: when && textOf({ when }),
    over: over === undefined ? undefined : textOf({ over }),
    quiet: quiet && textOf({ quiet }),
  };
}

/** The values of the window as a command, or the faults of its fields. */
function readEdit({ values, kept }: Pick<SentForm, "values" | "kept">, isPublicOnly: boolean) {
  const { kind = "", filters = "", url } = values;
  const typed = options.flatMap((option) => {
    const value = values[option];
    return value === undefined ? [] : [[option, `${option}:${/\s/.test(value) ? `"${value}"` : value}`]];
  });
  const read = readFields("watch", kind, { filters, ...Object.fromEntries(typed) }, { now: 0 });
  const urlFault = url === undefined || url === "off" ? undefined : targetFault(url, !isPublicOnly);
  const faults = onlyFaults({ ...read.faults, url: urlFault });
  if (faults || !read.command) return { faults: faults ?? {} };
  return { command: { ...read.command, in: String(kept.project) } satisfies WatchCommand };
}

const editWatch: Form = {
  secretField: "url",
  faults: (sent) => readEdit(sent, sent.kept.isPublicOnly === true).faults,
  meanwhile: waitingModal(TITLE, "Saving…"),
  run: (request, sent) => fillWindow(sent.viewId, TITLE, request, () => save(request, sent)),
};

async function save(request: Request, sent: SentForm): Promise<Modal> {
  await needWatchRight(request);
  const { watches, served, slack, userId, timeZone, config } = request;
  const watch = await watchIn(String(sent.kept.watchId), request);
  const { command, faults } = readEdit(sent, !config.allowPrivateWatchUrls);
  if (!command) return { title: TITLE, blocks: Object.values(faults).map(plainSection) };
  const placeId = sent.values.place ?? watch.placeId;
  const words = escapeMrkdwn(`${watchWords(command)} of ${projectLabel(command.in)}`);
  if (placeId !== watch.placeId)
    await announce(slack, placeId, `<@${userId}> watches ${words} here.`, stopHint(request));
  const { change, said } = await targetChange(watch, sent.values.url, request);
  await watches.change(served, watch.id, { command, text: language.write(command), timeZone, placeId, ...change });
  return {
    title: "Saved",
    close: "Done",
    blocks: [mrkdwnSection(`✓ It watches ${words}.`), ...said.map(mrkdwnSection)],
  };
}

/** What changes outside Slack, and what has to be said about it: a new secret is shown only once. */
async function targetChange(
  watch: Watch,
  url: string | undefined,
  { vault }: Request,
): Promise<{ change: WatchChange; said: string[] }> {
  if (url === undefined) return { change: {}, said: [] };
  if (url === "off") return { change: { target: undefined }, said: ["It posts nowhere outside Slack."] };
  const secret = (await openTarget(vault, watch))?.secret ?? newSecret();
  const isNew = watch.target === undefined;
  const said = [`It also posts to ${escapeMrkdwn(hostIn(url))} when an incident begins and when it is over.`];
  const once = "The messages are signed as Standard Webhooks are, with this secret, which is shown only once:";
  if (isNew) said.push(`${once}\n\`${secret}\``);
  return { change: { target: await sealTarget(vault, watch, { url, secret }) }, said };
}

export const watchForms: Forms = { [EDIT_FORM]: editWatch };
