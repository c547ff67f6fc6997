import { oneOfThese } from "@media-ops/commands";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import type { CommandNamed } from "../language.js";
import { projectLabel, strong, typed } from "../projects/words.js";
import type { Request } from "../request.js";
import {
  button,
  type Draft,
  mrkdwnSection,
  placeText,
  row,
  runButton,
  slackDate,
  smallPrint,
} from "../slack/blocks.js";
import { digestRows } from "./digest.js";
import { isMutedAt, MUTE, stopButton, UNMUTE, watchWords } from "./message.js";
import { TEST } from "./watch.js";
import type { StoredIncident, Watch } from "./watch-store.js";

/** The controls of the list, by the first part of their action ids. */
export const EDIT = "watch-edit";
export const RESUME = "watch-resume";

// Each uses two blocks, and a message has at most 50.
const MOST_SHOWN = 20;
const MOST_DIGESTS = 3;

/** `/media watches`: every watch of the workspace, with its state, and what can be done with it. */
export async function watches(command: CommandNamed<"watches">, request: Request): Promise<Draft> {
  return watchesDraft(request, { project: command.in });
}

/** @param options.said confirms what was just done. */
export async function watchesDraft(
  request: Request,
  { project, said }: { project?: string | undefined; said?: string | undefined } = {},
): Promise<Draft> {
  const { watches: store, served, channelId } = request;
  const [all, newest, digests] = await Promise.all([
    store.all(served.teamId),
    store.newest(served.teamId),
    digestRows(request, MOST_DIGESTS),
  ]);
  const some = all.filter(({ command }) => project === undefined || command.in === project);
  // Those of this conversation first: they are the likely ones.
  const sorted = [...some].sort((a, b) => Number(b.placeId === channelId) - Number(a.placeId === channelId));
  const shown = sorted.slice(0, MOST_SHOWN);
  const title = titleOf(some.length, project, request);
  const left = sorted.length - MOST_SHOWN;
  const more = `${left} more are not shown; ${typed(request.prefix, "watches in:<project>")} lists those of one project.`;
  return {
    blocks: [
      mrkdwnSection(said === undefined ? title : `✓ ${said}\n${title}`),
      ...shown.flatMap((watch) => watchBlocks(watch, newest.get(watch.id), request)),
      ...(left > 0 ? [smallPrint(more)] : []),
      ...digests,
      ...row(runButton("Refresh", project === undefined ? "watches" : `watches in:${project}`, { id: "refresh" })),
    ],
    text: said ?? title,
  };
}

function titleOf(count: number, project: string | undefined, { prefix }: Pick<Request, "prefix">): string {
  const of = project === undefined ? "" : ` of ${strong(project)}`;
  if (count > 0) return `*${count === 1 ? "One watch" : `${count} watches`}${of}*`;
  const examples = ["watch webhooks failed", "watch events outcome:refused when:count>20"].map((text) =>
    typed(prefix, text),
  );
  return `Nothing${of} is watched yet. Type in the channel that should be notified: ${oneOfThese(examples)}.`;
}

/** A watch with its state and its buttons. */
export function watchBlocks(watch: Watch, newest: StoredIncident | undefined, request: Request): SlackBlock[] {
  const { id, command, placeId, createdBy, target } = watch;
  const now = request.now();
  const outside = target === undefined ? "" : " and outside Slack";
  const lines = [
    `${stateOf(watch, newest, now)} *${escapeMrkdwn(watchWords(command))}* · ${escapeMrkdwn(projectLabel(command.in))}`,
    `${placeText(placeId)}${outside}, by <@${createdBy}> · ${firedText(newest, now)}`,
    ...(watch.paused === undefined && isBehind(watch, now)
      ? [`Its log was last read ${slackDate(watch.lookedAt ?? watch.createdAt)}: what happened since isn't known.`]
      : []),
    ...(watch.paused === undefined ? [] : [`Paused: ${escapeMrkdwn(watch.paused)}`]),
    ...(isMutedAt(watch, now) ? [`Muted until ${slackDate(watch.mutedUntil ?? now)}`] : []),
  ];
  return [
    mrkdwnSection(lines.join("\n")),
    ...row(
      watch.paused === undefined ? undefined : button({ label: "Resume", action: `${RESUME}:${id}`, value: id }),
      button({ label: "Test", action: `${TEST}:${id}`, value: id }),
      button({ label: "Edit…", action: `${EDIT}:${id}`, value: id }),
      isMutedAt(watch, now)
        ? button({ label: "Unmute", action: `${UNMUTE}:list-${id}`, value: id })
        : button({ label: "Mute 1 h", action: `${MUTE}:list-${id}`, value: id }),
      stopButton(watch, "Stop", `:list-${id}`),
    ),
  ];
}

/** ▲ it fires now, ✓ it looks and finds nothing, ? it doesn't look. */
export function stateOf(watch: Watch, newest: StoredIncident | undefined, now: number): "▲" | "✓" | "?" {
  if (watch.paused !== undefined || isBehind(watch, now) || isBlind(newest, now)) return "?";
  return newest?.isOpen && newest.incident.ended === undefined ? "▲" : "✓";
}

// A log that is followed is read several times in this time.
const BEHIND_MS = 60_000;

const isBehind = ({ lookedAt = 0, createdAt }: Watch, now: number): boolean =>
  now - Math.max(lookedAt, createdAt) > BEHIND_MS;

const isBlind = (newest: StoredIncident | undefined, now: number): boolean =>
  newest?.isOpen === true && (newest.incident.blindSince ?? now) < now;

function firedText(newest: StoredIncident | undefined, now: number): string {
  if (!newest) return "not fired yet";
  const { began, ended } = newest.incident;
  if (newest.isOpen && ended === undefined) return `fires since ${slackDate(began)}`;
  return `last fired ${slackDate(Math.min(began, now))}`;
}
