import type { Action, Actions } from "../features.js";
import { openProject } from "../projects/open-project.js";
import type { Request } from "../request.js";
import { type Draft, mrkdwnMessage, mrkdwnSection, Refused, slackDate } from "../slack/blocks.js";
import { digestActions } from "./digest.js";
import { openEdit } from "./edit.js";
import { MUTE, MUTE_MS, STOP, TAKE, UNMUTE, watchName } from "./message.js";
import { offerActions } from "./offer.js";
import { ruleOf } from "./rule.js";
import { needWatchRight, TEST, watchIn } from "./watch.js";
import type { Watch, WatchChange } from "./watch-store.js";
import { EDIT, RESUME, watchesDraft } from "./watches.js";
import { REHEARSED_MS, rehearse } from "./would-fire.js";

/** The watch and the incident in a button's value. */
function partsOf(value: string): { watchId: string; beganAt: number | undefined } {
  const [watchId = "", began] = value.split(" ");
  return { watchId, beganAt: began === undefined ? undefined : Number(began) };
}

/** Changes a watch, and confirms it in the list; the message of an incident shows it itself within a second. */
const changing = (change: (watch: Watch, request: Request) => WatchChange, said: (watch: Watch) => string): Action => ({
  async run(request, { value }) {
    await needWatchRight(request);
    const { watchId, beganAt } = partsOf(value);
    const watch = await watchIn(watchId, request);
    await request.watches.change(request.served, watch.id, change(watch, request));
    if (beganAt === undefined) await request.answer.replace(await watchesDraft(request, { said: said(watch) }));
  },
});

export const watchActions: Actions = {
  [MUTE]: changing(
    (_, { now }) => ({ mutedUntil: now() + MUTE_MS }),
    ({ command }) => `Muted for an hour: ${watchName(command)}.`,
  ),
  [UNMUTE]: changing(
    () => ({ mutedUntil: undefined }),
    ({ command }) => `No longer muted: ${watchName(command)}.`,
  ),
  [RESUME]: changing(
    () => ({ paused: undefined }),
    ({ command }) => `Resumed: ${watchName(command)}.`,
  ),
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
      const watch = await watchIn(partsOf(value).watchId, request);
      await request.answer.say(await rehearsalDraft(watch, request));
    },
  },
  [EDIT]: { isUrgent: true, run: (request, { value }) => openEdit(value, request) },
  ...digestActions,
  ...offerActions,
};

// As many times as are read at a glance.
const MOST_TIMES = 10;

/** When a watch would have fired in the last days. */
async function rehearsalDraft(watch: Watch, request: Request): Promise<Draft> {
  const { command } = watch;
  const project = await openProject(command.in, request, () => "watches");
  const now = request.now();
  const { incidents, since } = await rehearse(project, ruleOf(command), now);
  const isWhole = since <= now - REHEARSED_MS;
  const period = isWhole ? "in the last 7 days" : `since ${slackDate(since)}, before which nothing was counted`;
  const times = incidents.length === 1 ? "once" : `${incidents.length} times`;
  const head = incidents.length === 0 ? `Would not have fired ${period}` : `Would have fired ${times} ${period}`;
  const lines = incidents.slice(-MOST_TIMES).map(({ from, to }) => `• ${slackDate(from)}, for ${minutes(to - from)}`);
  const more = incidents.length > MOST_TIMES ? [`The last ${MOST_TIMES}:`] : [];
  const text = `*${head}:* ${watchName(command)}.`;
  return { blocks: [mrkdwnSection([text, ...more, ...lines].join("\n"))], text };
}

const minutes = (ms: number): string => `about ${Math.max(1, Math.round(ms / 60_000))} min`;
