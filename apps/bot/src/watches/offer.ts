import { escapeMrkdwn } from "@media-ops/formatters/slack";
import type { Project } from "../connections/clients.js";
import type { Action } from "../features.js";
import { language } from "../language.js";
import { nothingIfLacking, openProject } from "../projects/open-project.js";
import { strong } from "../projects/words.js";
import type { Request } from "../request.js";
import { button, type Draft, mrkdwnSection, row, runButton } from "../slack/blocks.js";
import { watchWords } from "./message.js";
import { ruleOf, type WatchCommand } from "./rule.js";
import { addWatches, needWatchRight, placeOf } from "./watch.js";

/** The control that sets up the usual watches of a project. */
const OFFER = "watch-offer";

/** A button that sets up the usual watches in this conversation. */
export const offerButton = (project: string, label = "Watch the usual here") =>
  button({
    label,
    action: OFFER,
    value: project,
    confirm: {
      title: "Watch this project here?",
      text: "A message comes here when webhooks fail or are switched off, when more clients than usual are refused, and when the API fails.",
      yes: "Watch it",
    },
  });

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

async function offered(project: Project, now: number): Promise<WatchCommand[]> {
  const commands = await Promise.all(
    usual.map(async ({ text, least, isRelative }) => {
      const command = commandOf(text, project.id, least);
      if (!isRelative) return command;
      // Nothing is usual for a service without an event log, or without counts.
      const count = await usualCount(project, command, now).catch(nothingIfLacking);
      return count === undefined ? undefined : commandOf(text, project.id, Math.max(least, MUCH * count));
    }),
  );
  return commands.filter((command) => command !== undefined);
}

function commandOf(text: string, project: string, limit: number): WatchCommand {
  const read = language.parse(`watch ${text} when:count>${limit}`, { now: 0 });
  if (!read.ok || read.command.name !== "watch") throw new Error(`The usual watch "${text}" is no command.`);
  return { ...read.command, in: project };
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

export const offerActions: Readonly<Record<string, Action>> = {
  [OFFER]: {
    async run(request, { value }) {
      await request.answer.say(await takeOffer(value, request));
    },
  },
};

async function takeOffer(projectId: string, request: Request): Promise<Draft> {
  await needWatchRight(request);
  const project = await openProject(projectId, request, () => "projects");
  const { added, known } = await addWatches(await offered(project, request.now()), placeOf(request), request);
  const lines = added.map(({ command }) => `• ${escapeMrkdwn(watchWords(command))}`);
  const words =
    added.length === 0
      ? `The usual of ${strong(projectId)} is watched here already.`
      : `✓ ${strong(projectId)} is watched here:`;
  const rest = known.length > 0 && added.length > 0 ? ["The others were watched already."] : [];
  return {
    blocks: [
      mrkdwnSection([words, ...lines, ...rest].join("\n")),
      ...row(runButton("All watches", "watches", { id: "watches" })),
    ],
    text: words,
  };
}
