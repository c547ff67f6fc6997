import { failedFilter, kinds, oneOfThese } from "@media-ops/commands";
import { escapeMrkdwn, formatStatus } from "@media-ops/formatters/slack";
import { askStatus, type LogStatus } from "@media-ops/reports";
import { type LogKind, MediaError } from "@media-ops/sdk";
import type { Project } from "../connections/connections.js";
import { type CommandNamed, language } from "../language.js";
import { readerOf } from "../logs/listing.js";
import { problemDraft } from "../problem.js";
import { connectButton, mayConnectHere, openProjectOf } from "../projects/open-project.js";
import { hostOf, projectLabel, strong, whoConnects } from "../projects/words.js";
import type { Request } from "../request.js";
import { type Draft, mrkdwnSection, row, runButton, smallPrint } from "../slack/answer.js";

/** `/media status`: whether the service answers and how fast, the newest entry of each log, and current failures. */
export async function status(command: CommandNamed<"status">, request: Request): Promise<Draft> {
  const project = await openProjectOf(command, request);
  const started = performance.now();
  // The first log is read alone, to measure the time of one answer.
  const alone = await Promise.all(kinds.slice(0, 1).map((kind) => look(kind, project, request)));
  const answeredInMs = Math.round(performance.now() - started);
  const fault = alone[0]?.error;
  // If only this log failed, the others still show the service's state. If the service is down, a second wait adds
  // nothing.
  if (fault && !OF_ONE_LOG.has(fault.code)) return unwell(fault, project, request);
  const looks = [...alone, ...(await Promise.all(kinds.slice(1).map((kind) => look(kind, project, request))))];
  const statuses = looks.flatMap(({ status }) => status ?? []);
  if (fault && statuses.length === 0) return unwell(fault, project, request);
  const service = { address: `${projectLabel(project.id)} at ${hostOf(project.connection)}`, answeredInMs };
  const { blocks, text } = formatStatus(statuses, service, { now: request.now(), timeZone: request.timeZone });
  const missing = missingMessage(looks, request);
  return {
    blocks: [
      ...(missing?.blocks ?? []),
      ...blocks,
      ...row(...failingButtons(statuses, project, request.now()), again("Refresh", project)),
    ],
    text: missing?.text ?? text,
  };
}

/** Errors that may affect a single log: it failed, or has unreadable entries. */
export const OF_ONE_LOG = new Set<MediaError["code"]>(["Api", "Response"]);

const look = async (kind: LogKind, project: Project, { now }: Request) =>
  askStatus(readerOf(project), kind, { now: now() }).then(
    (status) => ({ kind, status, error: undefined }),
    (error: unknown) => {
      if (!(error instanceof MediaError)) throw error;
      return { kind, status: undefined, error };
    },
  );

type LogLook = Awaited<ReturnType<typeof look>>;

/** Names the logs that gave no answer though another did; undefined if all answered. */
function missingMessage(looks: readonly LogLook[], request: Request): Draft | undefined {
  const missing = looks.filter(({ error }) => error);
  if (missing.length === 0) return undefined;
  const text = `✗ No answer for ${oneOfThese(
    missing.map(({ kind }) => kind),
    "and",
  )}.`;
  const { blocks } = problemDraft(missing[0]?.error, request);
  return { blocks: [mrkdwnSection(`*${text}*`), ...blocks, mrkdwnSection("The other logs:")], text };
}

async function unwell(error: MediaError, project: Project, request: Request): Promise<Draft> {
  const { blocks } = problemDraft(error, request);
  const words = `✗ ${strong(project.id)} at ${escapeMrkdwn(hostOf(project.connection))} can't be reached now.`;
  const isWrong = CONNECTED_WRONGLY.has(error.code);
  const isAllowed = isWrong && (await mayConnectHere(request));
  return {
    blocks: [
      mrkdwnSection(words),
      ...blocks,
      ...(isWrong && !isAllowed ? [smallPrint(`Ask ${whoConnects(request.config.policy)} to connect it again.`)] : []),
      ...row(
        again("Try again", project),
        runButton("Projects", "projects", { id: "projects" }),
        isAllowed ? connectButton("Connect it again", { value: project.id }) : undefined,
      ),
    ],
    text: words,
  };
}

/** Errors that a valid key or the correct address fixes. */
const CONNECTED_WRONGLY = new Set<MediaError["code"]>([
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "MethodNotAllowed",
  "Response",
]);

const again = (words: string, { id }: Project) =>
  runButton(words, language.write({ name: "status", in: id }), { id: "again" });

/** Buttons that list the failed entries, and one that explains failed connections and refused clients. */
function failingButtons(statuses: readonly LogStatus[], { id }: Project, now: number) {
  const failing = statuses.filter(({ lastHour }) => lastHour.failures?.count).map(({ kind }) => kind);
  const isExplained = failing.includes("events") || statuses.some(({ refused }) => refused?.count);
  return [
    ...failing.map((kind) => {
      const entries = language.write({ ...failingCommand(kind, now), in: id });
      return runButton(`Look at ${kind}`, entries, { id: `failing-${kind}` });
    }),
    isExplained ? runButton("Why", language.write({ name: "why", in: id }), { id: "why" }) : undefined,
  ];
}

/** The logs of which only a part of what `failed` finds is a failure of the service. */
const failingFilters: { readonly [K in LogKind]?: string } = { api: "status:0,5xx", events: "outcome:failed" };

/** The command that lists recent failures, by the same rule as the status of a log: see `LogStatus`. */
export function failing(kind: LogKind, since: string): string {
  return `logs ${kind} ${failingFilters[kind] ?? failedFilter} since:${since}`;
}

function failingCommand(kind: LogKind, now: number): CommandNamed<"logs"> {
  const read = language.parse(failing(kind, "1h"), { now });
  if (read.ok && read.command.name === "logs") return read.command;
  throw new Error(`No command says what of ${kind} fails.`);
}
