import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { extensionOperations, operations } from "@media-ops/openapi/contract";
import { faultsOf } from "@media-ops/openapi/judge";
import { databaseUrl } from "@media-ops/testing";
import { expect, onTestFinished } from "vitest";
import { type Config, readConfig } from "../config/config.js";
import type { OperationId } from "../http/operations.js";
import { createApiKey } from "../keys/api-keys.js";
import { createLog } from "../log.js";
import type { NewEntry } from "../logs/log-store.js";
import { createProject } from "../projects/projects.js";
import { openVault } from "../secrets/open-vault.js";
import { type Service, type ServiceOptions, startService } from "../service.js";
import { openStorage, type Storage } from "../storage/open-storage.js";

/** The path of each operation that is called with a key. */
export const pathOf = Object.fromEntries(
  [...operations, ...extensionOperations]
    .filter(({ method }) => method === "post")
    .map(({ path, operation }) => [String(operation.operationId), path]),
) as Record<OperationId, string>;

/** The smallest valid body of an operation; undefined for none. */
export const leastBody = (path: string): object | undefined => leastBodies[path];

const leastBodies: Readonly<Record<string, object>> = {
  [pathOf.countLogs]: { kind: "api" },
  [pathOf.revokeAccessToken]: { channel_id: "empty@demo" },
  [pathOf.checkAccessToken]: { access_token: "none" },
  [pathOf.resendDeliveries]: { since: "2026-04-01T09:30:15Z" },
  [pathOf.enableWebhookEndpoint]: { kind: "event" },
};

/** Gives a project an event webhook, whose address nothing listens at. */
export async function setEventWebhook({ storage }: Service, projectId = "demo"): Promise<void> {
  const row = { project_id: projectId, kind: "event", url: "http://127.0.0.1:9/hook", secret: "", set_at: "" } as const;
  await storage.query.insertInto("webhook").values(row).execute();
}

/** The operations that list a log, each with its path. */
export const listings = Object.entries(pathOf).filter(([id]) => /^list\w+Logs$/.test(id));

/** A folder that is deleted after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "media-service-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Opens a database until the end of the test: a new one, in memory on SQLite, unless a URL is given. */
export async function openTestStorage(
  url?: string,
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Storage> {
  const storage = await openStorage(url ?? (await databaseUrl({ memory: true, atEnd })));
  atEnd(() => storage.close());
  return storage;
}

export const testConfig = (env: Record<string, string> = {}): Config =>
  readConfig({
    MEDIA_PORT: "0",
    MEDIA_INTAKE_PORT: "0",
    MEDIA_DATABASE_URL: "sqlite::memory:",
    // A busy machine has delays, too, which most tests must not fail on.
    MEDIA_MAX_LAG_MS: "0",
    ...env,
  });

/** The answer to a call. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The text parsed as JSON. */
  body: unknown;
}

/** How to call an operation; by default a POST with the project's key and no body. */
export interface CallOptions {
  key?: string | undefined;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  method?: string;
  headers?: Record<string, string>;
}

/** A service with a project "demo". */
export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** Options of {@link startTestService}. */
export interface TestServiceOptions extends Partial<Omit<ServiceOptions, "config">> {
  env?: Record<string, string>;
  /** Registers the stop: `afterAll` for a service that the tests of a file share. @default onTestFinished */
  atEnd?: (stop: () => Promise<void>) => void;
}

/** Starts a service on free ports, on its own database unless `env` names one, with a project "demo". */
export async function startTestService({ env = {}, atEnd = onTestFinished, ...options }: TestServiceOptions = {}) {
  const config = testConfig({
    MEDIA_DATABASE_URL: env.MEDIA_DATABASE_URL ?? (await databaseUrl({ memory: true, atEnd })),
    MEDIA_MASTER_KEY: "5".repeat(64),
    ...env,
  });
  const lines: string[] = [];
  const log = createLog({ level: "trace", to: { write: (line) => void lines.push(line) } });
  const service = await startService({ config, log, ...options });
  atEnd(() => service.stop());
  const { query } = service.storage;
  const vault = await openVault(config, query);
  /** Creates a key, and its project if it does not exist. */
  const createKey = async (project: string): Promise<string> => {
    await createProject(query, project, Date.now());
    return (await createApiKey(query, vault, project, Date.now())).text;
  };
  const projectId = "demo";
  const apiKey = await createKey(projectId);
  /** Calls a path of the service, and checks the answer against the contract. */
  const call = (path: string, options: CallOptions = {}) => callWithin(service.url, path, { key: apiKey, ...options });
  const mint = async (body?: object, options: CallOptions = {}): Promise<string> => {
    const answer = await call(pathOf.createAccessToken, { body, ...options });
    expect(answer.status).toBe(200);
    return (answer.body as { access_token: string }).access_token;
  };
  return {
    call,
    mint,
    ...{ service, config, vault, projectId, apiKey, createKey },
    logged: () => lines.join(""),
    append: (...entries: NewEntry[]) => service.store.append(entries),
  };
}

/** Calls a path, and checks that the answer is within the contract. */
export async function callWithin(
  url: string,
  path: string,
  { key, body, method = "POST", headers = {} }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const [operation = path] = path.split("?");
  return expectWithinContract(operation, response.status, response.headers, await response.text());
}

export function expectWithinContract(path: string, status: number, headers: Headers, text: string): Answer {
  expect(faultsOf(path, { status, headers, text })).toEqual([]);
  return { status, headers, text, body: JSON.parse(text) };
}
