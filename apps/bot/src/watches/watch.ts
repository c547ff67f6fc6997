import type { WebClient } from "@slack/web-api";
import { type CommandNamed, language } from "../language.js";
import { mayWatch } from "../policy/decide.js";
import { openProject, unlessLacking } from "../projects/open-project.js";
import { thisPlace, typed, whoIn } from "../projects/words.js";
import type { Request } from "../request.js";
import { button, type Draft, mrkdwnMessage, mrkdwnSection, Refused, runButton, smallPrint } from "../slack/blocks.js";
import { isClosedPlace } from "../slack/client.js";
import { stopButton, watchName } from "./message.js";
import { ruleOf, type WatchCommand } from "./rule.js";
import type { Watch } from "./watch-store.js";

/** The control that shows how often a watch would have fired. */
export const TEST = "watch-test";

// More than a workspace looks after.
const MOST_WATCHES = 500;

/** `/media watch <kind> …`: posts to this channel when something happens. */
export async function watch(command: CommandNamed<"watch">, request: Request): Promise<Draft> {
  await needWatchRight(request);
  const placeId = placeOf(request);
  const project = await openProject(command.in, request, (id) => language.write({ ...command, in: id }));
  const whole: WatchCommand = { ...command, in: project.id };
  const { kind, where } = ruleOf(whole);
  // Fails now, and not at night, if the service has no such log.
  const asked = project.ask((client, options) =>
    client.logs.list(kind, { project_id: project.id, where, limit: 1 }, options),
  );
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

/**
 * Adds watches to a conversation, and says there who did it: that shows, too, that the bot can post.
 *
 * @throws {Refused} if the bot can't post there, or there are too many.
 */
export async function addWatches(commands: readonly WatchCommand[], placeId: string, request: Request) {
  const { watches, served, timeZone, userId, slack } = request;
  const all = await watches.all(served.teamId);
  const texts = commands.map((command) => language.write(command));
  const known = all.filter((one) => one.placeId === placeId && texts.includes(one.text));
  const fresh = commands.filter((command) => !known.some(({ text }) => text === language.write(command)));
  if (all.length + fresh.length > MOST_WATCHES) {
    throw new Refused(
      `This workspace has ${all.length} watches, and ${MOST_WATCHES} are the most. Stop some first: ${request.prefix} watches.`,
    );
  }
  if (fresh.length === 0) return { added: [], known };
  const announced = await announce(slack, placeId, announcement(fresh, userId), stopHint(request));
  try {
    const rows = fresh.map((command) => {
      return { command, text: language.write(command), timeZone, placeId, createdBy: userId };
    });
    return { added: await watches.add(served, rows), known };
  } catch (error) {
    // What was announced isn't so.
    await slack.chat.delete({ channel: placeId, ts: announced }).catch(() => {});
    throw error;
  }
}

function announcement(commands: readonly WatchCommand[], userId: string): string {
  const [first, ...others] = commands;
  if (!first) return "";
  if (others.length === 0) return `<@${userId}> watches ${watchName(first)} here.`;
  return [`<@${userId}> watches here:`, ...commands.map((command) => `• ${watchName(command)}`)].join("\n");
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
