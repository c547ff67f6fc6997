import type { AuthAnswer, ConnectionLogEntry, SessionLogEntry } from "@media-ops/contract";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect } from "vitest";
import { createIntakeKey } from "../keys/intake-keys.js";
import { pathOf, startTestService, type TestServiceOptions } from "./harness.js";
import { authRequest, type MediaEvent, present, type TestAttempt } from "./media-events.js";
import { expectAnswer, oddClient } from "./raw-http.js";

export type IntakeKind = "auth" | "session" | "event";

/** How to call the intake; by default a POST of JSON with the test's intake key as bearer. */
export interface PostOptions {
  readonly key?: string | undefined;
  readonly method?: string;
  /** @default /intake/<kind> */
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

export type TestIntake = Awaited<ReturnType<typeof startTestIntake>>;

/** Starts a service with an intake key. By default, its clock stands at {@link present}. */
export async function startTestIntake(options: TestServiceOptions = {}) {
  const test = await startTestService({ now: () => present, ...options });
  const { query } = test.service.storage;
  const { text: intakeKey } = await createIntakeKey(query, "test", present);
  const { atEnd } = options;
  const send = oddClient(test.service.internalUrl, atEnd && ((end) => atEnd(async () => end())));

  /** Sends a body over a kept connection; strings and bytes unchanged. Checks the answer against the contract. */
  const post = async (kind: IntakeKind, body: unknown, given: PostOptions = {}) => {
    const { method = "POST", path = `/intake/${kind}`, headers = {} } = given;
    const key = "key" in given ? given.key : intakeKey;
    const authorization = key !== undefined && { authorization: `Bearer ${key}` };
    const answer = await send({
      method,
      path,
      headers: { "content-type": "application/json", ...authorization, ...headers },
      body: bytesOf(body),
    });
    return expectAnswer(`/intake/${kind}`, answer);
  };
  const list = async <Entry>(path: string, key = test.apiKey): Promise<Entry[]> => {
    const { status, body } = await test.call(path, { key });
    expect(status).toBe(200);
    return body as Entry[];
  };

  return {
    ...test,
    intakeKey,
    post,
    /** Sends events one after another, each to the path of its type. They must be accepted. */
    async tell(...events: readonly MediaEvent[]): Promise<void> {
      for (const event of events) {
        const answer = await post(event.type.startsWith("session.") ? "session" : "event", event);
        expect(answer, JSON.stringify(event)).toMatchObject({ status: 200 });
      }
    },
    async ask(attempt: TestAttempt): Promise<AuthAnswer> {
      const { status, body } = await post("auth", authRequest(attempt));
      expect(status).toBe(200);
      return body as AuthAnswer;
    },
    /** The listed entries of a project's ended sessions and connections, newest first. */
    listed: async (key?: string) => ({
      sessions: await list<SessionLogEntry>(pathOf.listSessionLogs, key),
      connections: await list<ConnectionLogEntry>(pathOf.listConnectionLogs, key),
    }),
    /** The connections that have a seat, sorted by their ids. */
    async seats(projectId?: string): Promise<string[]> {
      const rows = await query
        .selectFrom("seat")
        .select("connection_id")
        .$if(projectId !== undefined, (all) => all.where("project_id", "=", projectId ?? ""))
        .orderBy("connection_id")
        .execute();
      return rows.map(({ connection_id }) => connection_id);
    },
    /** A counter of the metrics, such as `media_intake_total{kind="auth",outcome="taken"}`. */
    async metric(name: string): Promise<number> {
      const text = await (await fetch(`${test.service.internalUrl}/metrics`)).text();
      const line = text.split("\n").find((one) => one.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1) ?? 0);
    },
  };
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

/** Starts a service with clocks that the test sets; a client's token allows `most` connections in a channel. */
export async function openDoor({ most = 1, env = {} }: { most?: number; env?: Record<string, string> } = {}) {
  let [passed, ahead] = [0, 0];
  const test = await startTestIntake({ now: () => present + passed + ahead, elapsed: () => passed, env });
  const token = await signToken({ max_channel_connections: most }, apiKeyToTokenKey(test.apiKey));
  return {
    ...test,
    /** Sets both clocks to a time after the start. */
    passTo(ms: number): void {
      passed = ms;
    },
    /** Sets the wall clock ahead, while no time passes. */
    setAhead(ms: number): void {
      ahead = ms;
    },
    isLetIn: async (attempt: TestAttempt = {}): Promise<boolean> => (await test.ask({ token, ...attempt })).allowed,
  };
}
