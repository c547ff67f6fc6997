import { failedFilter, oneOfThese, shorten } from "@media-ops/commands";
import { formatCount, formatDuration, splitChannel } from "@media-ops/formatters";
import { escapeMrkdwn, type SlackBlock } from "@media-ops/formatters/slack";
import { askStatus, type LogStatus } from "@media-ops/reports";
import { type LogKind, MediaError, MediaTimeoutError } from "@media-ops/sdk";
import {
  type Connection,
  NoRoomError,
  NotConnectedError,
  ServiceBusyError,
  ServiceSilentError,
} from "../connections/connections.js";
import { language } from "../language.js";
import { readerOf } from "../logs/listing.js";
import { answerInWindow } from "../problem.js";
import {
  connectButton,
  mayConnectHere,
  nothingConnected,
  type ProjectOverview,
  projectOverview,
  useEverywhere,
} from "../projects/open-project.js";
import { hostOf, placeText, strong, typed } from "../projects/words.js";
import type { Request } from "../request.js";
import {
  button,
  type Draft,
  MAX_LABEL,
  mrkdwnSection,
  plain,
  plainSection,
  row,
  runButton,
  slackDate,
  smallPrint,
  withoutButtons,
} from "../slack/answer.js";
import { refusalOf } from "../slack/client.js";
import { publishHome } from "../slack/views.js";
import { failing, OF_ONE_LOG } from "../status/status.js";
import type { Minting } from "../storage/records.js";
import type { Watch } from "../watches/watch-store.js";
import { stateOf, watchBlocks } from "../watches/watches.js";
import { within } from "../work/jobs.js";

/** The control that opens the window in which logs are queried. */
export const QUERY = "query-logs";

// As many as a person is likely to use still.
const MOST_TOKENS = 5;
const MOST_QUESTIONS = 5;
const MOST_WATCHES = 10;
// Each is asked for its health when the app home is opened.
const MOST_PROJECTS = 10;

/**
 * Publishes a person's app home at once, and again with the health of the projects as soon as their services have
 * answered. They are asked after the first version is published, and the second one replaces only that: so a later
 * opening, also in another process, never shows an older health.
 */
export async function showHome(request: Request): Promise<void> {
  const data = await homeData(request);
  const { slack, userId, log } = request;
  const first = await publishHome(slack, userId, homeBlocks(data, undefined, request), log);
  const shown = shownProjects(data.overview);
  if (shown.length === 0) return;
  const at = request.now();
  const health = await Promise.all(
    shown.map(async (connection) => [connection.projectId, await healthOf(connection, request)] as const),
  );
  try {
    await publishHome(slack, userId, homeBlocks(data, { of: new Map(health), at }, request), log, first);
  } catch (error) {
    // The home was opened again since.
    if (refusalOf(error)?.code !== "hash_conflict") throw error;
  }
}

type HomeData = Awaited<ReturnType<typeof homeData>>;

/** What the app home shows beside the health of the projects. All of it is in the database. */
async function homeData(request: Request) {
  const { mintings, questions, watches: store, teamId, userId } = request;
  const [overview, mayConnect, watches, newest, asked, minted] = await Promise.all([
    projectOverview(request),
    mayConnectHere(request),
    store.all(teamId),
    store.newest(teamId),
    questions.latest(teamId, userId, MOST_QUESTIONS),
    mintings.latest(teamId, { userId, limit: MOST_TOKENS }),
  ]);
  const nothing = overview.connections.length === 0 ? (await nothingConnected(request)).blocks : [];
  return { overview, mayConnect, watches, newest, asked, minted, nothing };
}

function homeBlocks(data: HomeData, healths: Healths | undefined, request: Request): SlackBlock[] {
  const { overview, mayConnect, watches, asked, minted, nothing } = data;
  const isConnected = overview.connections.length > 0;
  const part = (title: string, blocks: readonly SlackBlock[]): SlackBlock[] =>
    blocks.length > 0 ? [DIVIDER, heading(title), ...blocks] : [];
  return [
    heading("Media Ops"),
    plainSection(ABOUT),
    ...nothing,
    ...(isConnected ? [...mainButtons(mayConnect), examples(request)] : row(...buttonsTo("help"))),
    ...part("Projects", isConnected ? projectRows(data, healths, request) : []),
    ...part("Ask again", recentRows(asked)),
    ...part("Watches", isConnected || watches.length > 0 ? watchRows(data, request) : []),
    ...part(
      "Your latest tokens",
      minted.length > 0 ? tokenLines(minted, request.now()) : [plainSection("You have made none yet.")],
    ),
    smallPrint(
      "Buttons here answer in a window and in the Messages tab of this app; commands answer in the channel that you type them in.",
    ),
  ];
}

const DIVIDER: SlackBlock = { type: "divider" };
const heading = (text: string): SlackBlock => ({ type: "header", text: plain(text) });

function mainButtons(mayConnect: boolean): SlackBlock[] {
  return row(
    ...buttonsTo("why", "live", "failing", "summary"),
    button({ label: "Query logs", action: QUERY }),
    ...buttonsTo("token", "tokens", "watches", "projects"),
    mayConnect ? connectButton("Connect a project") : undefined,
    ...buttonsTo("help"),
  );
}

const COMMANDS = {
  why: ["Why connections fail", "why"],
  live: ["Live now", "live"],
  failing: ["Failing webhooks", failing("webhooks", "2h")],
  summary: ["Summary", "summary webhooks since:24h"],
  status: ["Status", "status"],
  token: ["Make a token", "token"],
  tokens: ["Tokens", "tokens"],
  watches: ["Watches", "watches"],
  "all-watches": ["All watches", "watches"],
  projects: ["Projects", "projects"],
  help: ["Help", "help"],
} as const;

const buttonsTo = (...ids: (keyof typeof COMMANDS)[]) =>
  ids.map((id) => {
    const [label, command] = COMMANDS[id];
    return runButton(label, command, { id });
  });

/** What is known of the projects' health: that of each by its name, and when it was asked for. */
interface Healths {
  readonly of: ReadonlyMap<string, Health>;
  readonly at: number;
}

/** The projects that the app home shows: the default one, then the others by name. */
function shownProjects({ connections, here }: ProjectOverview): readonly Connection[] {
  const others = connections.filter(({ projectId }) => projectId !== here?.projectId);
  return [...(here ? [here] : []), ...others].slice(0, MOST_PROJECTS);
}

/** The projects, what can be asked of each, and their health once the services have answered. */
function projectRows({ overview, mayConnect }: HomeData, healths: Healths | undefined, request: Request): SlackBlock[] {
  const shown = shownProjects(overview);
  const isChoice = mayConnect && overview.connections.length > 1;
  const looked = healths ? [`Looked at ${slackDate(healths.at)}. Opening this tab looks again.`] : [];
  const notes = [...notesOn(overview, shown.length, request), ...looked];
  return [
    ...shown.flatMap((connection, at) => {
      const isHere = connection.projectId === overview.here?.projectId;
      return [
        mrkdwnSection(projectText(connection, isHere, healths?.of.get(connection.projectId))),
        ...row(
          ...buttonsOf(connection, at),
          isChoice && overview.defaults.workspace !== connection.projectId
            ? useEverywhere(connection.projectId, at)
            : undefined,
        ),
      ];
    }),
    ...(notes.length > 0 ? [smallPrint(notes.join(" "))] : []),
  ];
}

function projectText(connection: Connection, isHere: boolean, health: Health | undefined): string {
  const name = `${isHere ? "★ " : ""}${strong(connection.projectId)} · ${escapeMrkdwn(hostOf(connection))}`;
  return health ? `${health.mark} ${name}\n${health.words}` : `${name}\nchecking…`;
}

function buttonsOf({ projectId }: Connection, at: number) {
  return (["status", "why", "live"] as const).map((name) =>
    runButton(LABELS[name], language.write({ name, in: projectId }), { id: `${name}-${at}` }),
  );
}

const LABELS = { status: "Status", why: "Why", live: "Live" } as const;

function notesOn({ connections, here }: ProjectOverview, shown: number, { channelId, prefix }: Request): string[] {
  if (connections.length < 2) return [];
  const more = connections.length - shown;
  return [
    ...(more > 0 ? [`${more} more are not shown; ${typed(prefix, "status in:<project>")} shows how each is.`] : []),
    here ? `★ is used ${placeText(channelId)}.` : `None is the default; ${typed(prefix, "use <project>")} sets one.`,
  ];
}

// What fires is urgent, and what doesn't look may hide something.
const ORDER = ["▲", "?", "✓"] as const;

/** The watches with their state. What can be done with them is in the list, whose buttons replace it. */
function watchRows({ watches, newest }: HomeData, request: Request): SlackBlock[] {
  if (watches.length === 0) {
    const example = typed(request.prefix, "watch webhooks failed");
    return [mrkdwnSection(`Nothing is watched yet. Type in the channel that should be notified: ${example}.`)];
  }
  const now = request.now();
  const rankOf = (watch: Watch): number => ORDER.indexOf(stateOf(watch, newest.get(watch.id), now));
  const ranked = watches.map((watch) => ({ watch, rank: rankOf(watch) })).sort((a, b) => a.rank - b.rank);
  const shown = ranked.slice(0, MOST_WATCHES);
  const more = ranked.length - shown.length;
  return [
    ...shown.flatMap(({ watch }) => withoutButtons(watchBlocks(watch, newest.get(watch.id), request))),
    ...(more > 0 ? [smallPrint(`${more} more are not shown.`)] : []),
    ...row(...buttonsTo("all-watches")),
  ];
}

/** The tokens that a person created, and when they expire. The bot doesn't store the tokens themselves. */
export function tokenLines(minted: readonly Minting[], now: number): SlackBlock[] {
  return [mrkdwnSection(minted.map((minting) => line(minting, now)).join("\n"))];
}

function line({ project_id, channel_id, role, starts_at, ends_at }: Minting, now: number): string {
  const name = channel_id === null ? "every channel" : strong(splitChannel(channel_id).name);
  const allowed = role === null ? "any role" : escapeMrkdwn(role);
  return `${timeText(starts_at, ends_at, now)} · ${name} of ${escapeMrkdwn(project_id)} · ${allowed}`;
}

function timeText(startsAt: number | null, endsAt: number | null, now: number): string {
  const start = startsAt !== null && startsAt > now ? `From ${slackDate(startsAt)} ` : "";
  if (endsAt === null) return start === "" ? "Without end" : `${start}on`;
  if (endsAt <= now) return `Ended ${slackDate(endsAt)}`;
  return start === "" ? `Until ${slackDate(endsAt)}` : `${start}until ${slackDate(endsAt)}`;
}

const TITLE = "Media Ops";

/** Answers a command from the app home in a window over it, and in the app's messages. */
export async function answerOverHome(request: Request, run: () => Promise<Draft | undefined>): Promise<void> {
  const id = await request.openWindow(TITLE);
  await answerInWindow({ id, title: TITLE, place: "in the *Messages* tab of this app" }, request, run);
}

function recentRows(questions: readonly string[]): SlackBlock[] {
  const labelOf = (text: string): string => shorten(text.replace(/\s+/g, " "), MAX_LABEL);
  return row(...questions.map((text, at) => runButton(labelOf(text), text, { id: `recent-${at}` })));
}

const ABOUT =
  "Logs, figures and access tokens of a real-time media service, and why its connections fail, without leaving the conversation.";

/** The answer to a bare `/media`: how to start. */
export async function startMessage(request: Request): Promise<Draft> {
  const overview = await projectOverview(request);
  const text = escapeMrkdwn(ABOUT);
  if (overview.connections.length === 0) {
    return { blocks: [plainSection(ABOUT), ...(await nothingConnected(request)).blocks], text };
  }
  return {
    blocks: [
      plainSection(ABOUT),
      mrkdwnSection(inUse(overview, request)),
      ...row(...buttonsTo("why", "live", "failing", "summary", "status", "token", "tokens", "projects", "help")),
      examples(request),
    ],
    text,
  };
}

function inUse({ here, connections }: ProjectOverview, { channelId, prefix }: Request): string {
  if (here) return `★ ${strong(here.projectId)} is used ${placeText(channelId)} · ${escapeMrkdwn(hostOf(here))}`;
  const how = typed(prefix, "use <project>");
  return `${connections.length} projects are connected, and none is the default here: ${how}.`;
}

function examples({ prefix }: Pick<Request, "prefix">): SlackBlock {
  const commands = [
    `logs webhooks ${failedFilter} since:2h`,
    "why lobby since:20m",
    "trace lobby",
    "token lobby for:10m",
    "deliveries failed since:2h",
  ];
  return smallPrint(`Or type it: ${oneOfThese(commands.map((text) => typed(prefix, text)))}`);
}

/** How a project is, in one line. */
interface Health {
  /** ✓ nothing failed, ▲ something did, ? it is not known. */
  readonly mark: "✓" | "▲" | "?";
  /** In Slack's markup. */
  readonly words: string;
}

// As long as people look at a page that is still being filled.
const LIMIT_MS = 5000;
const LATE = `The service did not answer within ${LIMIT_MS} ms.`;

const LOGS = ["webhooks", "events", "api"] as const;

/** How a project is now: how fast its service answers, and what failed in the last hour. Never throws. */
async function healthOf(connection: Connection, request: Request): Promise<Health> {
  try {
    return wordsOf(await look(connection, request));
  } catch (error) {
    request.log.warn({ err: error, project: connection.projectId }, "the app home does not know how a project is");
    return { mark: "?", words: reasonOf(error) };
  }
}

/** Asks for one log after the other: ten projects may be on one service. Throws if no log gave an answer. */
async function look(connection: Connection, request: Request) {
  const { projectId: id } = connection;
  const end = performance.now() + LIMIT_MS;
  // In turns of its own: commands of the person don't wait for the app home.
  const caller = { ...request, turnOf: `home ${request.turnOf}`, answerBy: request.now() + LIMIT_MS };
  const reader = readerOf({ id, ...(await request.clients.of(connection, caller)) });
  const now = request.now();
  const statuses: LogStatus[] = [];
  const missing = new Map<LogKind, unknown>();
  let answeredInMs: number | undefined;
  let fault: unknown;
  for (const kind of LOGS) {
    const sent = performance.now();
    try {
      if (fault !== undefined) throw fault;
      statuses.push(await within(end - sent, askStatus(reader, kind, { now }), () => new MediaTimeoutError(LATE)));
      answeredInMs ??= performance.now() - sent;
    } catch (error) {
      missing.set(kind, error);
      // Of a service that is down, more waiting shows no more.
      if (!(error instanceof MediaError && OF_ONE_LOG.has(error.code))) fault = error;
    }
  }
  if (statuses.length === 0) throw [...missing.values()][0];
  return { answeredInMs, statuses, missing: [...missing.keys()] };
}

function wordsOf({ answeredInMs, statuses, missing }: Awaited<ReturnType<typeof look>>): Health {
  const failed = statuses.filter(({ lastHour }) => failuresIn(lastHour) > 0);
  const isWhole = missing.length === 0 && statuses.every(({ lastHour }) => lastHour.complete);
  const words = [
    answeredInMs === undefined ? "answers" : `answers in ${formatDuration(Math.round(answeredInMs))}`,
    failed.length > 0
      ? `${oneOfThese(failed.map(failedText), "and")} failed in the last hour`
      : calmText(isWhole, statuses),
    ...(missing.length > 0 ? [`no answer for ${oneOfThese(missing, "and")}`] : []),
  ];
  return { mark: failed.length > 0 ? "▲" : isWhole ? "✓" : "?", words: words.join("; ") };
}

const failuresIn = ({ failures }: LogStatus["lastHour"]): number => failures?.count ?? 0;

const atLeast = ({ complete }: LogStatus["lastHour"], count: number): string =>
  `${complete ? "" : "at least "}${formatCount(count)}`;

function failedText({ kind, lastHour }: LogStatus): string {
  const failed = atLeast(lastHour, failuresIn(lastHour));
  if (kind === "webhooks") return `${failed} of ${webhooksText(lastHour)}`;
  const name = kind === "events" ? "connection" : "API call";
  return `${failed} ${name}${failuresIn(lastHour) === 1 ? "" : "s"}`;
}

const webhooksText = (lastHour: LogStatus["lastHour"]): string =>
  `${atLeast(lastHour, lastHour.count)} ${lastHour.count === 1 ? "webhook" : "webhooks"}`;

function calmText(isWhole: boolean, statuses: readonly LogStatus[]): string {
  if (!isWhole) return "nothing failed in what was searched of the last hour";
  const sent = statuses.find(({ kind, lastHour }) => kind === "webhooks" && lastHour.count > 0)?.lastHour;
  return `nothing failed in the last hour${sent ? ` (${webhooksText(sent)})` : ""}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof ServiceSilentError) return "no answer to the last requests; it is tried again later";
  if (error instanceof ServiceBusyError || error instanceof NoRoomError) {
    return "not looked at: too much else is being read";
  }
  if (error instanceof NotConnectedError) return "not looked at: it was just disconnected, or connected again";
  if (!(error instanceof MediaError)) return "not looked at: the bot failed";
  return `no answer${reasons[error.code] ?? ""}`;
}

const NO_SERVICE = ": what is at this address isn't a media service";

const reasons: { readonly [Code in MediaError["code"]]?: string } = {
  Timeout: " in time",
  Connection: ": the service was not reached",
  Unauthorized: ": the key was refused",
  Forbidden: ": the key belongs to another project",
  NotFound: NO_SERVICE,
  MethodNotAllowed: NO_SERVICE,
  Response: NO_SERVICE,
  Api: ": the service failed",
};
