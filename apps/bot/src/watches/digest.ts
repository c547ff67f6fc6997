import { randomUUID } from "node:crypto";
import { escapeMrkdwn, formatDigest, type SlackBlock } from "@media-ops/formatters/slack";
import { askDigest } from "@media-ops/reports";
import type { WebClient } from "@slack/web-api";
import { notify } from "../audit/audited.js";
import type { Connection } from "../connections/connections.js";
import { type CommandNamed, language } from "../language.js";
import { readerOf } from "../logs/listing.js";
import { findConnection } from "../projects/open-project.js";
import { projectLabel, strong, typed } from "../projects/words.js";
import type { Action, BotParts, Request } from "../request.js";
import {
  button,
  chartMessage,
  type Draft,
  inPlace,
  mrkdwnMessage,
  mrkdwnSection,
  placeText,
  postDraft,
  Refused,
  row,
  slackDate,
  smallPrint,
} from "../slack/answer.js";
import { refusalOf } from "../slack/client.js";
import type { Served } from "../slack/people.js";
import { announce, needWatchRight, placeOf } from "./watch.js";
import { type Digest, minuteOf } from "./watch-store.js";

const END_DIGEST = "digest-end";
const SHOW_DIGEST = "digest-now";

/** `/media digest at:09:00`: a project's figures of the last day, every day. Without a time, the digests there are. */
export async function digest(command: CommandNamed<"digest">, request: Request): Promise<Draft> {
  const { at } = command;
  if (at === undefined) {
    const rows = await digestRows(request, MOST_LISTED);
    const example = typed(request.prefix, "digest at:09:00");
    const words =
      rows.length > 0 ? "*Daily digests*" : `No digest is set. In the channel that is to get it, type ${example}.`;
    return { blocks: [mrkdwnSection(words), ...rows], text: words };
  }
  await needWatchRight(request);
  const placeId = command.channel === undefined ? placeOf(request) : channelIdOf(command.channel, request);
  const { projectId } = await findConnection(command.project, request, (id) =>
    language.write({ ...command, project: id }),
  );
  if (at === "off") return end({ placeId, projectId }, request);
  return set({ placeId, projectId, minute: at }, request);
}

type Which = Pick<Digest, "placeId" | "projectId">;

async function set(digest: Which & Pick<Digest, "minute">, request: Request): Promise<Draft> {
  const { watches, served, timeZone, userId, slack } = request;
  const { placeId, projectId, minute } = digest;
  const when = `every day at ${clockText(minute)} (${timeZone})`;
  const said = `<@${userId}> set a digest of ${strong(projectId)} ${when} here.`;
  await announce(slack, placeId, said, `${typed(request.prefix, "digest")} lists and ends digests.`);
  const nextAt = nextTime(minute, timeZone, request.now());
  await watches.setDigest(served, { ...digest, timeZone, createdBy: userId, nextAt, paused: undefined });
  const words = `✓ The digest of ${strong(projectId)} comes ${when}: ${inPlace(placeId)}, next ${slackDate(nextAt, "time")}.`;
  return mrkdwnMessage(words, showButton(digest), endButton(digest));
}

async function end(digest: Which, { watches, served }: Request): Promise<Draft> {
  const isEnded = await watches.endDigest(served.teamId, digest);
  const which = `digest of ${strong(digest.projectId)} ${inPlace(digest.placeId)}`;
  return mrkdwnMessage(isEnded ? `✓ The ${which} is ended.` : `There is no ${which}.`);
}

// A message has 50 blocks, and each digest takes two.
const MOST_LISTED = 20;

/** The digests of the workspace, with buttons to see or end them. */
export async function digestRows({ watches, served, channelId, prefix }: Request, most: number): Promise<SlackBlock[]> {
  const all = (await watches.digests(served.teamId)).sort(
    // Those of this conversation first: they are the likely ones.
    (a, b) => Number(b.placeId === channelId) - Number(a.placeId === channelId),
  );
  const left = all.length - most;
  const more = `${left} more digests are not shown; ${typed(prefix, "digest")} lists a channel's own first.`;
  const rows = all.slice(0, most).flatMap((one, at) => {
    const { placeId, projectId, minute, timeZone, createdBy, nextAt, paused } = one;
    const next =
      paused === undefined ? `next ${slackDate(nextAt, "time")}` : `not posted the last time: ${escapeMrkdwn(paused)}`;
    const words = `*Digest of ${escapeMrkdwn(projectLabel(projectId))}*, every day at ${clockText(minute)} (${timeZone})\n${placeText(placeId)}, by <@${createdBy}> · ${next}`;
    return [mrkdwnSection(words), ...row(showButton(one, `${at}`), endButton(one, `${at}`))];
  });
  return [...rows, ...(left > 0 ? [smallPrint(more)] : [])];
}

const keyText = ({ placeId, projectId }: Which): string => `${placeId} ${projectId}`;

const showButton = (digest: Which, id = "1") =>
  button({ label: "Show it now", action: `${SHOW_DIGEST}:${id}`, value: keyText(digest) });

const endButton = (digest: Which, id = "1") =>
  button({
    label: "End the digest",
    action: `${END_DIGEST}:${id}`,
    value: keyText(digest),
    confirm: { title: "End this digest?", text: "It is no longer posted.", yes: "End it" },
  });

function digestIn(value: string): Which {
  const [placeId = "", ...project] = value.split(" ");
  return { placeId, projectId: project.join(" ") };
}

export const digestActions: Readonly<Record<string, Action>> = {
  [END_DIGEST]: {
    async run(request, { value }) {
      await needWatchRight(request);
      await request.answer.say(await end(digestIn(value), request));
    },
  },
  [SHOW_DIGEST]: {
    async run(request, { value }) {
      const { projectId } = digestIn(value);
      const connection = await findConnection(projectId, request, () => "projects");
      await request.answer.say(await draw(connection, request.userId, request.timeZone, request));
    },
  },
};

/** Only Slack itself knows which channel has a name: it sends the id if the app's command has `should_escape`. */
function channelIdOf(channel: string, { prefix }: Request): string {
  if (/^[CGD][A-Z0-9]{6,}$/.test(channel)) return channel;
  throw new Refused(
    mrkdwnMessage(
      `Slack doesn't say which channel #${escapeMrkdwn(channel)} is. Type ${typed(prefix, "digest at:09:00")} in the channel itself.`,
    ),
  );
}

const clockText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

const DAY_MINUTES = 24 * 60;
const MINUTE_MS = 60_000;

/** The next time after now at which a clock in the time zone shows a minute of the day. */
export function nextTime(minute: number, timeZone: string, now: number): number {
  const left = (minute - minuteOf(now, timeZone) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  const guess = Math.floor(now / MINUTE_MS) * MINUTE_MS + left * MINUTE_MS;
  // Clocks may be set forward or back in between.
  const off = ((minute - minuteOf(guess, timeZone) + 1.5 * DAY_MINUTES) % DAY_MINUTES) - DAY_MINUTES / 2;
  return guess + off * MINUTE_MS;
}

// After a failure a digest is tried again; one that is late by hours is left out.
const RETRY_MS = 60_000;
const LATEST_MS = 6 * 60 * 60_000;
// The counts of a large project take a while, and no person awaits them.
const ANSWER_MS = 60_000;

type Parts = Pick<BotParts, "watches" | "connections" | "clients" | "reads" | "log" | "now">;

/** Posts the digests of a workspace that are due. The one process that runs the workspace does. */
export function createDigestPoster(parts: Parts) {
  const { watches, now, log } = parts;
  // When a digest that failed is tried again.
  const retryAt = new Map<string, number>();

  return async ({ teamId }: Served, slack: WebClient): Promise<void> => {
    /** Stores why a digest was not posted, which the list of digests shows. Its owner gets a message, unless of the same. */
    const missed = async (digest: Digest, reason: string): Promise<void> => {
      const { placeId, projectId, createdBy, paused } = digest;
      await watches.changeDigest(teamId, digest, { paused: reason });
      if (paused === reason) return;
      const what = `The digest of ${strong(projectId)} ${inPlace(placeId)} was not posted`;
      const text = `${what}: ${escapeMrkdwn(reason)}\nIt is tried again every day; the digests of a channel end with \`at:off\`.`;
      await notify(createdBy, text, { slack, log }, "failed to notify a person that their digest was not posted");
    };
    const due = (await watches.digests(teamId)).filter(({ nextAt }) => nextAt <= now());
    for (const digest of due) {
      const key = JSON.stringify([teamId, digest.placeId, digest.projectId]);
      if ((retryAt.get(key) ?? 0) > now()) continue;
      // Stored before it is posted: a digest that is lost in a crash does less harm than one that comes twice.
      const nextAt = nextTime(digest.minute, digest.timeZone, now());
      const isLate = now() - digest.nextAt > LATEST_MS;
      if (!(await watches.changeDigest(teamId, digest, { next_at: nextAt, paused: null })) || isLate) continue;
      const moved = { ...digest, nextAt };
      try {
        const connection = (await parts.connections.all(teamId)).find((one) => one.projectId === digest.projectId);
        if (connection) {
          const draft = await draw(connection, `digest ${randomUUID()}`, digest.timeZone, parts);
          await postDraft(slack, digest.placeId, draft, log);
        }
        retryAt.delete(key);
        if (!connection) await missed(moved, "The project is no longer connected.");
      } catch (error) {
        log.warn({ err: error, teamId, project: digest.projectId }, "a digest was not posted");
        const code = refusalOf(error)?.code;
        if (code !== undefined) await missed(moved, `Slack refused it (${code}).`);
        else {
          retryAt.set(key, now() + RETRY_MS);
          await watches.changeDigest(teamId, moved, { next_at: digest.nextAt, paused: digest.paused ?? null });
        }
      }
    }
  };
}

async function draw(connection: Connection, turnOf: string, timeZone: string, parts: Parts): Promise<Draft> {
  const { clients, reads } = parts;
  const { teamId, projectId: id } = connection;
  const now = parts.now();
  const allowance = reads.open(teamId);
  try {
    const caller = { turnOf, allowance, answerBy: now + ANSWER_MS, aside: <T>(wait: () => Promise<T>) => wait() };
    const reader = readerOf({ id, ...(await clients.of(connection, caller)) });
    const digest = await askDigest(reader, { now, timeZone, project_id: id });
    const title = `The last 24 hours of ${projectLabel(id)}`;
    const { blocks, text } = formatDigest(digest, { title, now, timeZone });
    return chartMessage(blocks, text);
  } finally {
    allowance.end();
  }
}
