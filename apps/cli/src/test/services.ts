import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { createFakeMediaService, type FakeMediaService, type FakeMediaServiceOptions } from "@media-ops/sdk/testing";
import { createLog, readConfig, runCli, startService } from "@media-ops/service";
import { serveHttp } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";
import { type AtEnd, temporaryFolder } from "./user.js";

/** Starts a server that sends these answers instead of the service. Returns its address. */
export async function startAnswering(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  atEnd: AtEnd = onTestFinished,
): Promise<string> {
  const { url, close } = await serveHttp(
    (request, response) => void request.resume().once("end", () => answer(request, response)),
  );
  atEnd(close);
  return url;
}

/** Sends this JSON with status 200. */
export function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const FIVE_LOGS = /^\/orgs\/list-(?:session|connection|api|media-api|webhook)-logs\b/;

/** Starts a service with the six operations only, whose logs all have these entries. Returns its address. */
export function startPlainService(entries: () => readonly unknown[]): Promise<string> {
  return startAnswering(({ url = "" }, response) => {
    if (FIVE_LOGS.test(url)) return json(response, entries());
    response.writeHead(404, { "content-type": "application/problem+json" }).end('{"detail":"No such operation."}');
  });
}

/** What a test may answer instead of the fake; true if it has. */
type Intercept = (request: IncomingMessage, body: string, response: ServerResponse) => boolean;

/** Serves the SDK's fake of the service. Its settings are those of a user of the project "demo". */
export async function startFakeService(
  options?: FakeMediaServiceOptions,
  atEnd: AtEnd = onTestFinished,
  intercept: Intercept = () => false,
): Promise<FakeMediaService & { env: Record<string, string> }> {
  const fake = createFakeMediaService(options);
  const { url, close } = await serveHttp(async (request, response) => {
    const body = await text(request);
    if (intercept(request, body, response)) return;
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await fake.fetch(`http://media.test${request.url}`, { method: "POST", headers, body });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  atEnd(close);
  const { apiKey } = fake.clientOptions;
  return { ...fake, env: { MEDIA_BASE_URL: url, MEDIA_API_KEY: apiKey, MEDIA_PROJECT_ID: "demo" } };
}

/** A service with a project of its own, in the usual setup. */
export interface RunningService {
  url: string;
  /** The key of the project "demo". */
  apiKey: string;
  /** The settings of a user of the service. */
  env: Record<string, string>;
  /** Adds entries to a log. */
  add<Kind extends LogKind>(kind: Kind, ...entries: LogEntryOf<Kind>[]): Promise<void>;
}

/** Starts the real service with a database file of its own; it is stopped after the test. */
export async function startRunningService(atEnd: AtEnd = onTestFinished): Promise<RunningService> {
  const env = {
    MEDIA_DATABASE_URL: `sqlite:${join(await temporaryFolder(atEnd), "media.db")}`,
    MEDIA_MASTER_KEY: "7".repeat(64),
    MEDIA_PORT: "0",
    MEDIA_INTAKE_PORT: "0",
    // A busy machine lags, too, and these tests don't measure that.
    MEDIA_MAX_LAG_MS: "0",
    // A trace of 100,000 lines needs more calls than a minute has.
    MEDIA_LISTINGS_PER_MINUTE: "0",
    // On a busy machine, each of them counts as long.
    MEDIA_SEARCHES_PER_MINUTE: "0",
  };
  let created = "";
  const write = (text: string): void => {
    created += text;
  };
  await runCli(["projects", "create", "demo", "--json"], { env, now: Date.now, write, complain: () => {} });
  const { api_key: apiKey } = JSON.parse(created) as { api_key: string };
  const service = await startService({ config: readConfig(env), log: createLog({ level: "silent" }) });
  atEnd(() => service.stop());
  return {
    url: service.url,
    apiKey,
    env: { MEDIA_BASE_URL: service.url, MEDIA_API_KEY: apiKey },
    add: (kind, ...entries) =>
      service.store.append(
        entries.map((entry) => ({ projectId: "demo", kind, timestamp: entry.timestamp, text: JSON.stringify(entry) })),
      ),
  };
}
