import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { type CommandNamed, language } from "../language.js";
import { findConnection } from "../projects/open-project.js";
import { projectLabel, strong, typed } from "../projects/words.js";
import type { Action, Request } from "../request.js";
import {
  button,
  type Draft,
  inPlace,
  mrkdwnMessage,
  mrkdwnSection,
  placeText,
  Refused,
  row,
  slackDate,
  smallPrint,
} from "../slack/answer.js";
import type { Digest } from "./digests.js";
import { announce, needWatchRight, placeOf } from "./watches.js";

/** The controls of digests, by the first part of their action ids. */
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

/** The channel and the project of a digest. */
type Which = Pick<Digest, "placeId" | "projectId">;

async function set(digest: Which & Pick<Digest, "minute">, request: Request): Promise<Draft> {
  const { digests, served, timeZone, userId, slack } = request;
  const { placeId, projectId, minute } = digest;
  const when = `every day at ${clockText(minute)} (${timeZone})`;
  const said = `<@${userId}> set a digest of ${strong(projectId)} ${when} here.`;
  await announce(slack, placeId, said, `${typed(request.prefix, "digest")} lists and ends digests.`);
  const { nextAt } = await digests.set(served, { ...digest, timeZone, createdBy: userId });
  const words = `✓ The digest of ${strong(projectId)} comes ${when}: ${inPlace(placeId)}, next ${slackDate(nextAt, "time")}.`;
  return mrkdwnMessage(words, showButton(digest), endButton(digest));
}

async function end(digest: Which, { digests, served }: Request): Promise<Draft> {
  const isEnded = await digests.end(served.teamId, digest);
  const which = `digest of ${strong(digest.projectId)} ${inPlace(digest.placeId)}`;
  return mrkdwnMessage(isEnded ? `✓ The ${which} is ended.` : `There is no ${which}.`);
}

// A message has 50 blocks, and each digest takes two.
const MOST_LISTED = 20;

/** The digests of the workspace, with buttons to see or end them. */
export async function digestRows({ digests, served, channelId, prefix }: Request, most: number): Promise<SlackBlock[]> {
  const all = (await digests.all(served.teamId)).sort(
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
      await request.answer.say(await request.digests.draw(connection, request.userId, request.timeZone));
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

/** "09:00" */
const clockText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
