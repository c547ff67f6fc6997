import { createHash, randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import type { WebhookLogEntry } from "@media-ops/contract";
import { databaseUrl } from "@media-ops/testing";
import { serveHttp } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";
import { updateProject } from "../projects/projects.js";
import { setWebhook, type WebhookKind } from "../webhooks/webhooks.js";
import { pathOf, type TestServiceOptions } from "./harness.js";
import { startTestIntake } from "./intake-harness.js";

/** A webhook as received at a project's own address. */
export interface Received {
  /** webhook-id. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The answer of a receiver; `never` leaves the sender waiting. */
export type ReceiverAnswer = "never" | { status?: number; headers?: Record<string, string>; body?: string };

type AnswerTo = (webhook: Received) => ReceiverAnswer | Promise<ReceiverAnswer>;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A project's own server on the loopback address, until the test ends or as `atEnd` says. */
export async function startReceiver(
  answer: AnswerTo = () => ({}),
  { atEnd = onTestFinished }: { atEnd?: (close: () => Promise<void>) => void } = {},
) {
  const listener: RequestListener = async (request, response) => {
    const bytes = await buffer(request);
    const { headers } = request;
    const webhook = { id: String(headers["webhook-id"]), headers, bytes, body: JSON.parse(bytes.toString()) };
    receiver.received.push(webhook);
    const answered = await receiver.answer(webhook);
    if (answered === "never") return;
    response.writeHead(answered.status ?? 200, answered.headers).end(answered.body);
  };
  let served = await serveHttp(listener);
  const { url, port } = served;
  const receiver = {
    url: `${url}/hooks`,
    /** All received webhooks, the oldest first. */
    received: [] as Received[],
    /** May be changed at any time. */
    answer,
    /** Refuses connections from then on. */
    close: (): Promise<void> => served.close(),
    /** Accepts connections again, at the same address. */
    async reopen(): Promise<void> {
      served = await serveHttp(listener, port);
    },
  };
  atEnd(receiver.close);
  return receiver;
}

/** Starts a receiver that fails some webhooks on their first try. */
export async function startFailingReceiver() {
  /** When each webhook that arrived had been sent, in ms since 1970, by its id. */
  const sent = new Map<string, number[]>();
  const taken = new Set<string>();
  const { url } = await startReceiver(({ id, headers }) => {
    const times = sent.get(id) ?? [];
    sent.set(id, times);
    times.push(Number(headers["webhook-timestamp"]) * 1000);
    const isUnlucky = (createHash("sha256").update(id).digest()[0] ?? 0) % 16 === 0;
    if (times.length === 1 && isUnlucky) return { status: 500 };
    taken.add(id);
    return {};
  });
  return { url, sent, taken };
}

/** The clocks of a service. */
export function createClock() {
  let [passed, ahead] = [0, 0];
  const elapsed = (): number => Date.now() + passed;
  return {
    elapsed,
    now: (): number => elapsed() + ahead,
    putForward(ms: number): void {
      passed += ms;
    },
    /** Sets the wall clock ahead, while no time passes. */
    setAhead(ms: number): void {
      ahead = ms;
    },
  };
}

export type TestIntake = Awaited<ReturnType<typeof startIntake>>;

/** Starts a service that may deliver to the loopback address. */
export async function startIntake({
  clock = createClock(),
  env = {},
  ...options
}: Pick<TestServiceOptions, "env" | "atEnd"> & { clock?: ReturnType<typeof createClock> } = {}) {
  const test = await startTestIntake({
    ...options,
    env: { MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true", ...env },
    now: clock.now,
    elapsed: clock.elapsed,
  });
  const { vault, createKey, call, apiKey, post } = test;
  const { query } = test.service.storage;
  const keys = new Map([["demo", apiKey]]);
  const keyOf = async (projectId: string): Promise<string> => {
    const key = keys.get(projectId) ?? (await createKey(projectId));
    keys.set(projectId, key);
    return key;
  };
  /** Waits until the service has read all earlier changes: for an unknown project, it reads the database. */
  const noticeChanges = async (): Promise<void> =>
    void (await post("event", { type: "a.b", id: randomUUID(), channel_id: "lobby@nobody" }));
  return {
    ...test,
    clock,
    send: post,
    noticeChanges,
    /** Sets a project's address, and waits until the service knows it. Creates the project if it does not exist. */
    async setAddress(kind: WebhookKind, url: string, projectId = "demo"): Promise<string> {
      await keyOf(projectId);
      const secret = await setWebhook(query, vault, { projectId, kind, url, now: clock.now() });
      await noticeChanges();
      return secret ?? "";
    },
    /** Lets a project's clients connect without a token. */
    async allowAnonymous(projectId = "demo"): Promise<void> {
      await keyOf(projectId);
      await updateProject(query, projectId, { allowAnonymous: true });
      await noticeChanges();
    },
    /** The webhook log of a project, the oldest first. */
    async tries(projectId = "demo"): Promise<WebhookLogEntry[]> {
      const { body } = await call(pathOf.listWebhookLogs, { key: await keyOf(projectId) });
      return [...(body as WebhookLogEntry[])].reverse();
    },
    /** The stored deliveries of a project, the oldest first. */
    deliveries: (projectId = "demo") =>
      query
        .selectFrom("delivery")
        .select(["event_id", "state", "tries", "last_fault"])
        .where("project_id", "=", projectId)
        .orderBy("delivery_id")
        .execute(),
  };
}

/** Starts services on one database, with one clock. */
export async function onOneDatabase() {
  const clock = createClock();
  const env = { MEDIA_DATABASE_URL: await databaseUrl() };
  return { clock, start: (): Promise<TestIntake> => startIntake({ clock, env }) };
}

/** An event of a type that the service does not handle, and only forwards. */
export function eventOf(id: string, { connection = "c1", project = "demo", type = "recording.started" } = {}) {
  return { type, id, channel_id: `lobby@${project}`, connection_id: connection };
}

/** The ids of the received webhooks, in order. */
export const idsOf = ({ received }: Receiver): string[] => received.map(({ id }) => id);
