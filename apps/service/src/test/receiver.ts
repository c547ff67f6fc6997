import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import type { WebhookLogEntry } from "@media-ops/contract";
import type { Vault } from "@media-ops/secrets";
import { serveHttp } from "@media-ops/testing/servers";
import { onTestFinished } from "vitest";
import { createIntakeKey } from "../keys/intake-keys.js";
import { updateProject } from "../projects/projects.js";
import { openVault } from "../secrets/open-vault.js";
import { setWebhook, type WebhookKind } from "../webhooks/webhooks.js";
import { type Answer, callWithin, pathOf, startTestService, type TestService } from "./harness.js";

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

export type AnswerTo = (webhook: Received) => ReceiverAnswer | Promise<ReceiverAnswer>;

export interface Receiver {
  readonly url: string;
  /** All received webhooks, the oldest first. */
  readonly received: Received[];
  /** May be changed at any time. */
  answer: AnswerTo;
  /** Refuses connections from then on. */
  close(): Promise<void>;
  /** Accepts connections again, at the same address. */
  reopen(): Promise<void>;
}

/** A project's own server on the loopback address, until the test ends or as `atEnd` says. */
export async function startReceiver(
  answer: AnswerTo = () => ({}),
  { atEnd = onTestFinished }: { atEnd?: (close: () => Promise<void>) => void } = {},
): Promise<Receiver> {
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
  const receiver: Receiver = {
    url: `${url}/hooks`,
    received: [],
    answer,
    close: () => served.close(),
    async reopen() {
      served = await serveHttp(listener, port);
    },
  };
  atEnd(receiver.close);
  return receiver;
}

/** The clocks of a service. */
export interface Clock {
  now(): number;
  elapsed(): number;
  /** Lets time pass on both clocks. */
  putForward(ms: number): void;
  /** Sets the wall clock ahead, while no time passes. */
  setAhead(ms: number): void;
}

export function createClock(): Clock {
  let [passed, ahead] = [0, 0];
  const elapsed = (): number => Date.now() + passed;
  return {
    elapsed,
    now: () => elapsed() + ahead,
    putForward(ms) {
      passed += ms;
    },
    setAhead(ms) {
      ahead = ms;
    },
  };
}

/** A service together with the media server's key to it. */
export interface TestIntake extends TestService {
  readonly clock: Clock;
  readonly vault: Vault;
  /** Sends a body as the media server; a string is sent unchanged. */
  send(kind: WebhookKind, body: unknown): Promise<Answer>;
  /** Sets a project's address, and waits until the service knows it. Creates the project if it does not exist. */
  setAddress(kind: WebhookKind, url: string, projectId?: string): Promise<string>;
  /** Lets a project's clients connect without a token. */
  allowAnonymous(projectId?: string): Promise<void>;
  /** Waits until the service has read all earlier changes in the database. */
  noticeChanges(): Promise<void>;
  /** The webhook log of a project, the oldest first. */
  tries(projectId?: string): Promise<WebhookLogEntry[]>;
  /** The stored deliveries of a project, the oldest first. */
  deliveries(
    projectId?: string,
  ): Promise<{ event_id: string; state: string; tries: number; last_fault: string | null }[]>;
}

/** Starts a service that may deliver to the loopback address. */
export async function startIntake({
  clock = createClock(),
  env = {},
}: {
  clock?: Clock;
  env?: Record<string, string>;
} = {}): Promise<TestIntake> {
  const test = await startTestService({
    env: { MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true", ...env },
    now: clock.now,
    elapsed: clock.elapsed,
  });
  const { service, config, createKey, call, apiKey } = test;
  const { query } = service.storage;
  const vault = await openVault(config, query);
  const intakeKey = await createIntakeKey(query, "test", clock.now());
  const keys = new Map([["demo", apiKey]]);
  const keyOf = async (projectId: string): Promise<string> => {
    const key = keys.get(projectId) ?? (await createKey(projectId));
    keys.set(projectId, key);
    return key;
  };
  const send: TestIntake["send"] = (kind, body) =>
    callWithin(service.internalUrl, `/intake/${kind}`, { key: intakeKey.text, body });
  // For an unknown project, the service reads the database, and also finds all other changes.
  const noticeChanges = async (): Promise<void> =>
    void (await send("event", { type: "a.b", id: randomUUID(), channel_id: "lobby@nobody" }));
  return {
    ...test,
    clock,
    vault,
    send,
    noticeChanges,
    async setAddress(kind, url, projectId = "demo") {
      await keyOf(projectId);
      const secret = await setWebhook(query, vault, { projectId, kind, url, now: clock.now() });
      await noticeChanges();
      return secret ?? "";
    },
    async allowAnonymous(projectId = "demo") {
      await keyOf(projectId);
      await updateProject(query, projectId, { allowAnonymous: true });
      await noticeChanges();
    },
    async tries(projectId = "demo") {
      const { body } = await call(pathOf.listWebhookLogs, { key: await keyOf(projectId) });
      return [...(body as WebhookLogEntry[])].reverse();
    },
    deliveries: (projectId = "demo") =>
      query
        .selectFrom("delivery")
        .select(["event_id", "state", "tries", "last_fault"])
        .where("project_id", "=", projectId)
        .orderBy("delivery_id")
        .execute(),
  };
}

/** An event of a type that the service does not handle, and only forwards. */
export function eventOf(id: string, { connection = "c1", project = "demo", type = "recording.started" } = {}) {
  return { type, id, channel_id: `lobby@${project}`, connection_id: connection };
}

/** The ids of the received webhooks, in order. */
export const idsOf = ({ received }: Receiver): string[] => received.map(({ id }) => id);
