import { oneOfThese } from "@media-ops/commands";
import { formatCount, formatDuration } from "@media-ops/formatters";
import { askStatus, type LogStatus } from "@media-ops/reports";
import { type LogKind, MediaError } from "@media-ops/sdk";
import { NoRoomError } from "../connections/clients.js";
import { type Connection, NotConnectedError } from "../connections/connections.js";
import { ServiceBusyError, ServiceSilentError } from "../connections/services.js";
import { readerOf } from "../logs/listing.js";
import type { Request } from "../request.js";
import { OF_ONE_LOG } from "../status/status.js";
import { within } from "../work/turns.js";

/** How a project is, in one line. */
export interface Health {
  /** ✓ nothing failed, ▲ something did, ? it is not known. */
  readonly mark: "✓" | "▲" | "?";
  /** In Slack's markup. */
  readonly words: string;
}

// As long as people look at a page that is still being filled.
const LIMIT_MS = 5000;

/** The logs whose entries can fail. */
const LOGS = ["webhooks", "events", "api"] as const;

/** How a project is now: how fast its service answers, and what failed in the last hour. Never throws. */
export async function healthOf(connection: Connection, request: Request): Promise<Health> {
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
      statuses.push(await within(end - sent, askStatus(reader, kind, { now }), () => new LateError()));
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

class LateError extends Error {
  override readonly name = "LateError";
  override readonly message = `The service did not answer within ${LIMIT_MS} ms.`;
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

/** "12 of 340 webhooks" */
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
  if (error instanceof LateError) return "no answer in time";
  if (error instanceof ServiceSilentError) return "no answer to the last requests; it is tried again later";
  if (error instanceof ServiceBusyError || error instanceof NoRoomError) {
    return "not looked at: too much else is being read";
  }
  if (error instanceof NotConnectedError) return "not looked at: it was just disconnected, or connected again";
  if (!(error instanceof MediaError)) return "not looked at: the bot failed";
  return `no answer${reasons[error.code] ?? ""}`;
}

const NO_SERVICE = ": what is at this address is no media service";

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
