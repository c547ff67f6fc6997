import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { createFakeMediaService, type FakeMediaServiceOptions } from "@media-ops/sdk/testing";
import { createLog, readConfig, runCli, startService } from "@media-ops/service";
import { sql } from "kysely";
import { onTestFinished } from "vitest";
import { type AtEnd, withTemporaryFolder } from "./storage.js";

/** Starts a server that is not a valid media service. Returns its URL. */
export async function startBadService(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  atEnd: AtEnd = onTestFinished,
): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers every request like this. */
export const always =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

/** A service that holds every request until the test lets it answer. */
export async function startSilentService(answer = always(200, [])) {
  const held: (() => void)[] = [];
  const state = { isSilent: true, asked: 0 };
  const url = await startBadService((request, response) => {
    state.asked += 1;
    const reply = (): void => answer(request, response);
    if (state.isSilent) held.push(reply);
    else reply();
  });
  const wake = (): void => {
    state.isSilent = false;
    for (const reply of held.splice(0)) reply();
  };
  return { url, state, held, wake };
}

export interface PlainServiceOptions extends FakeMediaServiceOptions {
  /** Each call waits for this before it is answered. */
  hold?: () => Promise<void>;
  /** The status with which the media server answers calls of its API; "lost" for no answer. @default 200 */
  mediaStatus?: () => number | "lost";
}

/** Starts a service with the six operations only, and gives the address and the key with which a bot is connected to it. */
export async function startPlainService({ hold, mediaStatus = () => 200, ...options }: PlainServiceOptions = {}) {
  const fake = createFakeMediaService({ extensions: false, ...options });
  const { apiKey } = fake.clientOptions;
  const mediaCalls: { target: string | undefined; requestedBy: string | undefined; body: unknown }[] = [];
  const url = await startBadService(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await hold?.();
    const { method = "POST", headers } = request;
    if (request.url?.startsWith("/media-api") && options.extensions === true) {
      const [target, requestedBy] = ["x-media-target", "x-requested-by"].map((name) => headers[name]?.toString());
      mediaCalls.push({ target, requestedBy, body: JSON.parse(Buffer.concat(chunks).toString()) });
      const status = mediaStatus();
      if (status === "lost") return void response.destroy();
      return void response.writeHead(status, { "content-type": "application/json" }).end("{}");
    }
    const answer = await fake.fetch(`http://media.test${request.url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(method === "POST" && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  });
  return {
    add: fake.add,
    setLive: fake.setLive,
    addDeliveries: fake.addDeliveries,
    setEndpoints: fake.setEndpoints,
    /** The calls of the media server's API, oldest first. */
    mediaCalls,
    calls: fake.calls,
    ...{ url, apiKey },
  };
}

/** A service in its operator's usual setup, with its project "demo". */
export type RunningService = Awaited<ReturnType<typeof startRunningService>>;

const envFor = (databaseUrl: string) => ({
  MEDIA_DATABASE_URL: databaseUrl,
  MEDIA_MASTER_KEY: "7".repeat(64),
  MEDIA_PORT: "0",
  MEDIA_INTAKE_PORT: "0",
  // A busy machine lags, too, and these tests don't measure that.
  MEDIA_MAX_LAG_MS: "0",
});

/** Creates a project with the operator's command, and returns its API key. */
async function createProject(databaseUrl: string, name: string): Promise<string> {
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  const args = ["projects", "create", name, "--json"];
  await runCli(args, { env: envFor(databaseUrl), now: Date.now, write, complain: write });
  return (JSON.parse(written.join("")) as { api_key: string }).api_key;
}

// Every project that tests use. Created once and copied, because that takes longer than starting a service.
const NAMES = ["demo", "other", "third", "garden", "planted"] as const;

let template: ReturnType<typeof makeTemplate> | undefined;

/** A service's SQLite file with these projects, and their API keys. */
const makeTemplate = (names: readonly string[]) =>
  withTemporaryFolder(async (folder) => {
    const file = join(folder, "media.db");
    const apiKeys = new Map<string, string>();
    for (const name of names) apiKeys.set(name, await createProject(`sqlite:${file}`, name));
    return { bytes: await readFile(file), apiKeys };
  });

/** Starts the real service with its files in a folder, by default on a new database in memory with the usual projects. */
export async function startRunningService(
  folder: string,
  {
    databaseUrl: given,
    onDisk = false,
    now,
    names,
    atEnd,
  }: {
    databaseUrl?: string | undefined;
    onDisk?: boolean;
    now?: () => number;
    names?: readonly string[];
    atEnd: AtEnd;
  },
) {
  const file = join(folder, "media.db");
  let apiKeys: ReadonlyMap<string, string>;
  if (given === undefined) {
    template ??= makeTemplate(NAMES);
    const made = await (names ? makeTemplate(names) : template);
    await writeFile(file, made.bytes);
    apiKeys = made.apiKeys;
  } else {
    apiKeys = new Map([["demo", await createProject(given, "demo")]]);
  }
  const databaseUrl = given ?? (onDisk ? `sqlite:${file}` : "sqlite::memory:");
  const service = await startService({
    config: readConfig(envFor(databaseUrl)),
    log: createLog({ level: "silent" }),
    ...(now && { now }),
  });
  atEnd(() => service.stop());
  if (databaseUrl === "sqlite::memory:") {
    const { query } = service.storage;
    await sql`attach database ${file} as made`.execute(query);
    for (const table of ["project", "api_key"]) {
      await sql`insert into ${sql.table(table)} select * from ${sql.table(`made.${table}`)}`.execute(query);
    }
    await sql`detach database made`.execute(query);
  }
  const project = (name: string) => ({
    apiKey: apiKeys.get(name) ?? "",
    /** Adds entries to one of its logs. */
    add: <Kind extends LogKind>(kind: Kind, ...entries: LogEntryOf<Kind>[]): Promise<void> =>
      service.store.append(
        entries.map((entry) => ({ projectId: name, kind, timestamp: entry.timestamp, text: JSON.stringify(entry) })),
      ),
  });
  return { url: service.url, ...project("demo"), project, stop: () => service.stop() };
}
