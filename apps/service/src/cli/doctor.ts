import { access, constants, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { placeOf } from "@media-ops/database";
import type { Config } from "../config/config.js";
import { messageOf } from "../text/message-of.js";
import { type Command, type Context, toTable } from "./command.js";

/** One thing that was looked at. */
interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** What was seen, and what to do where it is wrong. */
  readonly detail: string;
}

const LITTLE_DISK_BYTES = 1024 ** 3;
const CLOCK_TOLERANCE_MS = 5000;
const TIMEOUT_MS = 3000;
const LOGS_LOOKED_AT = 1000;
/** No clock that is right shows a time before this was written. */
const PAST = Date.parse("2026-01-01T00:00:00Z");

export const doctorCommand: Command = {
  name: "doctor",
  parameters: [],
  summary: "Looks at the settings, the database, the clock, the disk and the media server, and says what is wrong.",
  async run(context) {
    const findings = await examine(context);
    const isWell = findings.every(({ ok }) => ok);
    const rows = findings.map(({ check, ok, detail }) => [ok ? "ok" : "WRONG", check, detail]);
    return { text: toTable(["", "what", "seen"], rows), json: findings, exitCode: isWell ? 0 : 1 };
  },
};

async function examine(context: Context): Promise<Finding[]> {
  const settings = await look("settings", async () => {
    context.config();
    return "all can be used";
  });
  if (!settings.ok) return [settings];
  const config = context.config();
  return [
    settings,
    await look("database", () => lookAtDatabase(context)),
    await look("disk", () => lookAtDisk(config)),
    await look("clock", () => lookAtClock(context, config)),
    await look("media server", () => lookAtUpstream(config)),
    await look("service", () => lookAtService(config)),
  ];
}

async function look(check: string, at: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await at() };
  } catch (error) {
    return { check, ok: false, detail: messageOf(error) };
  }
}

function lookAtDatabase({ withStorage }: Context): Promise<string> {
  return withStorage(async ({ query, describe }) => {
    const { projects } = await query
      .selectFrom("project")
      .select(({ fn }) => fn.countAll<number>().as("projects"))
      .executeTakeFirstOrThrow();
    return `${await describe()} opens, its tables are up to date, the master key fits; projects: ${projects}`;
  });
}

async function lookAtDisk({ databaseUrl }: Config): Promise<string> {
  const { file } = placeOf(databaseUrl);
  if (file === undefined) return "nothing is kept on this disk";
  const folder = dirname(file);
  await access(folder, constants.W_OK);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const gigabytes = `${(free / 1024 ** 3).toFixed(1)} GiB free where ${file} is`;
  if (free < LITTLE_DISK_BYTES) throw new Error(`${gigabytes}; make room: a full disk stops the logs`);
  return gigabytes;
}

async function lookAtClock({ now, withStorage }: Context, { upstreamUrl }: Config): Promise<string> {
  const time = now();
  const shown = new Date(time).toISOString();
  if (time < PAST) throw new Error(`it shows ${shown}, which is long past; set it, and let NTP keep it`);
  const newest = await withStorage(({ query }) =>
    query
      .selectFrom("log_head as head")
      .select(({ selectFrom }) =>
        selectFrom("log_entry")
          .select("at")
          .whereRef("log_entry.project_id", "=", "head.project_id")
          .whereRef("log_entry.kind", "=", "head.kind")
          .orderBy("at", "desc")
          .limit(1)
          .as("at"),
      )
      .limit(LOGS_LOOKED_AT)
      .execute(),
  );
  const ahead = newest.find(({ at }) => Date.parse(`${at}Z`) > time + CLOCK_TOLERANCE_MS);
  if (ahead) {
    throw new Error(`it shows ${shown}, but there is a log entry of ${ahead.at}Z; set it, and let NTP keep it`);
  }
  const theirs = upstreamUrl && (await dateOf(upstreamUrl));
  if (theirs && Math.abs(theirs - time) > CLOCK_TOLERANCE_MS) {
    const other = new Date(theirs).toISOString();
    throw new Error(
      `it shows ${shown}, but the media server's shows ${other}; tokens would begin and end at the wrong time`,
    );
  }
  return shown;
}

const ask = (url: string): Promise<Response> => fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });

async function dateOf(url: string): Promise<number | undefined> {
  const response = await ask(url).catch(() => undefined);
  const time = Date.parse(response?.headers.get("date") ?? "");
  return Number.isNaN(time) ? undefined : time;
}

async function lookAtUpstream({ upstreamUrl }: Config): Promise<string> {
  if (!upstreamUrl) return "MEDIA_UPSTREAM_URL is not set: calls of the media API cannot be passed on";
  try {
    const { status } = await ask(upstreamUrl);
    return `${upstreamUrl} answers (${status})`;
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new Error(`${upstreamUrl} does not answer: ${reason}. Is MEDIA_UPSTREAM_URL right, and the media server up?`);
  }
}

async function lookAtService({ intakeHost, intakePort }: Config): Promise<string> {
  const url = `http://${intakeHost}:${intakePort}/readyz`;
  const response = await ask(url).catch(() => undefined);
  if (!response) return `nothing runs at ${intakeHost}:${intakePort}; start it with: media-ops serve`;
  if (response.ok) return `runs, and is ready (${url})`;
  throw new Error(`${url} answers ${response.status}; its log says why, or another program has that port`);
}
