import { describePeriod, failedFilter, kinds, shorten } from "@media-ops/commands";
import { logKinds } from "@media-ops/contract";
import type { LogKind } from "@media-ops/sdk";
import type { ConversationsSelect, InputBlock } from "@slack/types";
import { type Command, type CommandNamed, inProject, language, readLength } from "../language.js";
import { answerInWindow, openFilled } from "../problem.js";
import { nothingConnected, type ProjectOverview, projectInput, projectOverview } from "../projects/open-project.js";
import { type Faults, type Forms, keep, onlyFaults, type Request, type SentForm, type Shortcuts } from "../request.js";
import { type Draft, MAX_OPTION_VALUE, optionOf, Refused } from "../slack/answer.js";
import { input, type Modal, select, textInput, waitingModal } from "../slack/views.js";

const QUERY_FORM = "query";
const TITLE = "Query logs";

const FAILED = "failed";
const SUMMARY = "summary";
const WHY = "why";

const periods = ["15m", "1h", "6h", "24h", "7d", "30d"];
const LONGEST_FILTERS = 1000;

const openQuery = (request: Request): Promise<void> =>
  openFilled(TITLE, request, async () => {
    const overview = await projectOverview(request);
    if (overview.connections.length === 0) throw new Refused(await nothingConnected(request));
    return queryModal(overview, request);
  });

/** The shortcut for people who don't type commands. */
export const queryShortcuts: Shortcuts = { query_logs: openQuery };

type Run = (typed: { text: string; command: Query }, request: Request) => Promise<Draft | undefined>;

export const queryForms = (run: Run): Forms => ({
  [QUERY_FORM]: {
    faults: (sent, now) => readQuery(sent, now).faults,
    meanwhile: waitingModal(TITLE),
    async run(request, sent) {
      const window = { id: sent.viewId, title: TITLE, place: placeText(sent.values.place) };
      await answerInWindow(window, request, async () => {
        const read = readQuery(sent, request.now());
        if (read.faults) throw new Refused(Object.values(read.faults).join(" "));
        return run(read, request);
      });
    },
  },
});

/** Slack shows only the names of channels. */
function placeText(channelId: string | undefined): string {
  if (channelId === undefined) return "in the *Messages* tab of this app";
  const name = channelId.startsWith("C") ? `<#${channelId}>` : "the conversation that you chose";
  return `in ${name}, where only you see it`;
}

/** The window for people who don't type commands: each field is a part of one. */
function queryModal({ connections, here }: ProjectOverview, request: Request): Modal {
  const projects = connections.map(({ projectId }) => projectId).filter(({ length }) => length <= MAX_OPTION_VALUE);
  return {
    title: TITLE,
    callbackId: QUERY_FORM,
    submit: "Show",
    close: "Cancel",
    keep: keep(request, { timeZone: request.timeZone }),
    blocks: [
      kindInput(),
      ...(projects.length > 1 ? [projectInput(projects, here?.projectId)] : []),
      select("what", "Which entries", [optionOf("all", "All"), optionOf(FAILED, "Only failed or refused ones")], "all"),
      textInput("filters", "Filters", {
        longest: LONGEST_FILTERS,
        example: "status:5xx channel:lobby",
        hint: "As in the command. Why takes only the name of a channel.",
        optional: true,
      }),
      select(
        "since",
        "Period",
        periods.map((period) => optionOf(period, `The last ${describePeriod(readLength(period) ?? 0)}`)),
        "1h",
      ),
      select(
        "how",
        "Show",
        [
          optionOf("logs", "The entries, newest first"),
          optionOf(SUMMARY, "A summary: counts, failures and times"),
          optionOf(WHY, "Why connections failed (only for events)"),
        ],
        "logs",
      ),
      input("place", "Answer in", conversation, {
        hint: "Only you see it. If this is empty, it is in the Messages tab of this app.",
        optional: true,
      }),
    ],
  };
}

/** A field that chooses one of the logs. */
export function kindInput(chosen?: LogKind): InputBlock {
  const options = kinds.map((kind) => optionOf(kind, logKinds[kind].title));
  return select("kind", "Log", options, chosen);
}

// In the direct conversation with the bot, nothing is preset: the answer is in its Messages tab anyway.
const conversation: ConversationsSelect = {
  type: "conversations_select",
  default_to_current_conversation: true,
  // The bot need not be in the conversation.
  response_url_enabled: true,
  filter: { include: ["public", "private", "mpim"] },
};

type Query = CommandNamed<"logs" | "summary" | "why">;

/** The command that a submitted window describes, also as text, or the faults of its fields. */
export function readQuery({ values, kept }: Pick<SentForm, "values" | "kept">, now: number): FieldsRead<Query> {
  const { kind = "", what, filters = "", since = "", how, project } = values;
  const isWhy = how === WHY;
  const name = isWhy ? WHY : how === SUMMARY ? SUMMARY : "logs";
  const when = { now, timeZone: typeof kept.timeZone === "string" ? kept.timeZone : undefined };
  // An explanation is about failures anyway.
  const failed = what === FAILED && !isWhy ? failedFilter : "";
  const read = readFields<Query["name"]>(
    name,
    isWhy ? "" : kind,
    { what: failed, filters, since: `since:${since}` },
    when,
  );
  if (isWhy && kind !== "events") return { faults: { ...read.faults, how: ONLY_EVENTS } };
  if (read.faults || project === undefined || read.command.in !== undefined) return read;
  return { command: { ...read.command, in: project }, text: inProject(read.text, project) };
}

type FieldsRead<Read> = { command: Read; text: string; faults?: undefined } | { command?: undefined; faults: Faults };

/** The command of which the fields of a window are parts, by their ids, or the faults of these fields. */
export function readFields<Name extends Command["name"]>(
  name: Name,
  kind: string,
  parts: Readonly<Record<string, string>>,
  when: { now: number; timeZone?: string | undefined },
): FieldsRead<CommandNamed<Name>> {
  const head = `${name} ${kind}`.trim();
  const parse = (text: string) => language.parse(`${head} ${text}`, when);
  const faultOf = (read: ReturnType<typeof parse>) => (read.ok ? undefined : faultText(read.problem, head));
  const faulty = Object.entries(parts).map(([field, part]) => [field, faultOf(parse(part))]);
  const faults = onlyFaults(Object.fromEntries(faulty));
  if (faults) return { faults };
  const text = Object.values(parts).join(" ");
  const read = parse(text);
  if (!read.ok) return { faults: { filters: faultText(read.problem, head) } };
  const isNamed = (command: Command): command is CommandNamed<Name> => command.name === name;
  if (!isNamed(read.command)) return { faults: { filters: "These aren't filters." } };
  return { command: read.command, text: `${head} ${text}` };
}

const ONLY_EVENTS = "Only events say why connections failed: choose their log, or show the entries or a summary.";
const LONGEST_FAULT = 300;

function faultText({ reason, nearest }: { reason: string; nearest: string }, head: string): string {
  const text = nearest.startsWith(`${head} `) ? nearest.slice(head.length + 1) : "";
  return text === "" ? reason : shorten(`${reason} Try: ${text}`, LONGEST_FAULT);
}
