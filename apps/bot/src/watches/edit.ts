import { escapeMrkdwn } from "@media-ops/formatters/slack";
import { targetFault } from "../connections/public-addresses.js";
import { language } from "../language.js";
import { fillWindow, openFilled } from "../problem.js";
import { projectLabel } from "../projects/words.js";
import { kindInput, readFields } from "../query/query.js";
import { type Form, type Forms, keep, onlyFaults, type Request, type SentForm } from "../request.js";
import { mrkdwnSection, plainSection, smallPrint } from "../slack/answer.js";
import { input, type Modal, textInput, waitingModal } from "../slack/views.js";
import { watchWords } from "./message.js";
import { newSecret, openTarget, sealTarget } from "./target.js";
import { announce, needWatchRight, stopHint, watchIn } from "./watch.js";
import type { Watch, WatchChange, WatchCommand } from "./watch-store.js";

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
