import { describePause, EARLIEST, messageOf, readClock } from "@media-ops/database";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { Config } from "../../config/config.js";
import { CONFIRM, newestEntry } from "../../logs/retention.js";
import { errorCode, type RequestAnswer, sendRequest } from "../../outgoing/request.js";
import type { Tables } from "../../storage/tables.js";

/** The result of a check; "not set" is an optional feature that is not in use. */
export type FindingState = "ok" | "wrong" | "missing" | "not running" | "unknown" | "not set";

/** One checked item. */
export interface Finding {
  /** The item, such as `disk`. */
  readonly check: string;
  readonly state: FindingState;
  /** The result, and the next step if it is not ok. */
  readonly detail: string;
}

/** The result of a check; without a state, it is "ok". */
export type CheckResult = string | Omit<Finding, "check">;

/** Runs one check; an error that it throws becomes a finding that is wrong. */
export async function runCheck(check: string, run: () => Promise<CheckResult> | CheckResult): Promise<Finding> {
  try {
    const result = await run();
    return typeof result === "string" ? { check, state: "ok", detail: result } : { check, ...result };
  } catch (error) {
    return { check, state: "wrong", detail: messageOf(error) };
  }
}

/** The exit code: 0 if everything is ok, 1 if anything is wrong, else 3. */
export function exitCodeFor(findings: readonly Finding[]): number {
  if (findings.some(({ state }) => state === "wrong")) return 1;
  return findings.every(({ state }) => state === "ok" || state === "not set") ? 0 : 3;
}

const CLOCK_TOLERANCE_MS = 5000;

/** Compares the clock with the media server's, and with the newest log entries if they can be read. */
export async function checkClock(
  time: number,
  query: Kysely<Tables> | undefined,
  upstreamUrl: string | undefined,
): Promise<CheckResult> {
  const shown = new Date(time).toISOString();
  if (time < EARLIEST) throw new Error(`it shows ${shown}, which is long past; set it, and keep it right with NTP`);
  const newest = query && (await newestEntry(query));
  if (newest !== undefined && newest > time + CLOCK_TOLERANCE_MS) {
    const entry = new Date(newest).toISOString();
    throw new Error(`it shows ${shown}, but there is a log entry of ${entry}; set it, and keep it right with NTP`);
  }
  const theirs = upstreamUrl === undefined ? undefined : await dateAt(upstreamUrl);
  if (theirs !== undefined && Math.abs(theirs - time) > CLOCK_TOLERANCE_MS) {
    const other = new Date(theirs).toISOString();
    throw new Error(
      `it shows ${shown}, but the media server's shows ${other}; tokens would be valid at the wrong time`,
    );
  }
  const record = query && (await readClock(query, "setting"));
  const pause = record && describePause(record, CONFIRM);
  if (pause !== undefined) throw new Error(pause);
  const references = [
    ...(newest === undefined ? [] : ["not behind the log"]),
    ...(theirs === undefined ? [] : ["the same as the media server's"]),
  ];
  return `${shown}, ${references.length === 0 ? "with nothing to compare it with" : references.join(", ")}`;
}

/** Says how many log entries searches have to read one by one. */
export async function checkIndex(query: Kysely<Tables> | undefined): Promise<CheckResult> {
  if (query === undefined) return { state: "unknown", detail: "it cannot be checked without the database" };
  const { entries, indexed } = await query
    .selectFrom("log_head")
    .select(({ fn }) => [fn.sum<number | null>("seq").as("entries"), fn.sum<number | null>("indexed").as("indexed")])
    .executeTakeFirstOrThrow();
  const waiting = Math.max(0, Number(entries) - Number(indexed));
  if (waiting < MANY_WAITING) return "all log entries are indexed, except the newest";
  const shown = (count: number): string => count.toLocaleString("en-US");
  return `${shown(waiting)} of the ${shown(Number(entries))} log entries ever written are not indexed yet; the service does that in the background, and searches read them one by one until then`;
}

// Each log always has some, which are too few or too new.
const MANY_WAITING = 100_000;

async function dateAt(url: string): Promise<number | undefined> {
  const { headers, fault } = await get(url);
  const date = Date.parse(headers.date ?? "");
  return fault !== undefined || Number.isNaN(date) ? undefined : date;
}

const ready = z.object({ status: z.literal("ready"), database: z.string() });
const problem = z.object({ type: z.string().startsWith("urn:media-ops:problem:"), detail: z.string() });

/**
 * Checks whether this installation's service runs: whether a service that uses this database answers at the internal
 * port.
 *
 * @param fingerprint The database's; undefined if it could not be opened.
 */
export async function checkService(
  { intakeHost, intakePort }: Pick<Config, "intakeHost" | "intakePort">,
  fingerprint: string | undefined,
): Promise<CheckResult> {
  if (intakePort === 0) {
    return { state: "unknown", detail: "MEDIA_INTAKE_PORT=0 lets the service choose a port, so it cannot be found" };
  }
  const address = `${intakeHost}:${intakePort}`;
  const answer = await get(`http://${reachable(intakeHost)}:${intakePort}/readyz`);
  if (errorCode(answer.fault) === "ECONNREFUSED") {
    return { state: "not running", detail: `nothing listens at ${address}; to start it: media-ops serve` };
  }
  if (answer.fault !== undefined) {
    throw new Error(`the program that listens at ${address} does not answer: ${messageOf(answer.fault)}`);
  }
  const body = parse(answer.body.toString());
  const answered = ready.safeParse(body);
  if (answer.status === 200 && answered.success) {
    if (fingerprint === undefined) {
      const detail = `a service answers at ${address} and is ready; whether it uses this database is unknown`;
      return { state: "unknown", detail };
    }
    if (answered.data.database === fingerprint) return `runs at ${address}, is ready, and uses this database`;
    throw new Error(
      `the service at ${address} uses another database: it belongs to another installation, or was started before this database was restored. Stop it, or set MEDIA_INTAKE_PORT to this installation's port`,
    );
  }
  const refused = problem.safeParse(body);
  if (answer.status === 503 && refused.success) {
    throw new Error(`a service answers at ${address}, but is not ready: ${refused.data.detail}`);
  }
  throw new Error(
    `another program answers at ${address} (status ${answer.status}), or a service of another version. Stop it, or set MEDIA_INTAKE_PORT to another port`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The address at which to reach a listener: loopback for a service that listens at all addresses. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

const TIMEOUT_MS = 3000;
// Larger than any answer that is checked.
const MAX_BYTES = 10_000;

/** Sends one GET, and reads the beginning of its answer. */
export const get = (url: string): Promise<RequestAnswer> =>
  sendRequest({ url: new URL(url), maxBytes: MAX_BYTES, signal: AbortSignal.timeout(TIMEOUT_MS) });
