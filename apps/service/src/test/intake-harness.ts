import type { AuthAnswer, ConnectionLogEntry, SessionLogEntry } from "@media-ops/contract";
import { expect } from "vitest";
import { createIntakeKey } from "../keys/intake-keys.js";
import { type Answer, pathOf, startTestService, type TestService, type TestServiceOptions } from "./harness.js";
import { authRequest, type MediaEvent, present, type TestAttempt } from "./media-events.js";
import { expectAnswer, oddClient } from "./raw-http.js";

export type IntakeKind = "auth" | "session" | "event";

/** How to call the intake; by default a POST of JSON with the test's intake key as bearer. */
interface PostOptions {
  readonly key?: string | undefined;
  readonly method?: string;
  /** @default /intake/<kind> */
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

/** The listed entries of ended sessions and connections. */
interface Listed {
  readonly sessions: SessionLogEntry[];
  readonly connections: ConnectionLogEntry[];
}

export interface TestIntake extends TestService {
  readonly intakeKey: string;
  /**
   * Sends a body over a kept connection; strings and bytes are sent unchanged. Checks the answer against the contract.
   */
  post(kind: IntakeKind, body: unknown, options?: PostOptions): Promise<Answer>;
  /** Sends events one after another, each to the path of its type. They must be accepted. */
  tell(...events: readonly MediaEvent[]): Promise<void>;
  /** Requests admission for a client. */
  ask(attempt: TestAttempt): Promise<AuthAnswer>;
  /** A project's listings, newest first. */
  listed(key?: string): Promise<Listed>;
  /** The connections that have a seat, sorted by their ids. */
  seats(projectId?: string): Promise<string[]>;
  /** A counter of the metrics, such as `media_intake_total{kind="auth",outcome="taken"}`. */
  metric(name: string): Promise<number>;
}

/** Starts a service with an intake key. By default, its clock stands at {@link present}. */
export async function startTestIntake(options: TestServiceOptions = {}): Promise<TestIntake> {
  const test = await startTestService({ now: () => present, ...options });
  const { query } = test.service.storage;
  const { text: intakeKey } = await createIntakeKey(query, "test", present);
  const { atEnd } = options;
  const send = oddClient(test.service.internalUrl, atEnd && ((end) => atEnd(async () => end())));

  const post: TestIntake["post"] = async (kind, body, given = {}) => {
    const { method = "POST", path = `/intake/${kind}`, headers = {} } = given;
    const key = "key" in given ? given.key : intakeKey;
    const answer = await send({
      method,
      path,
      headers: {
        "content-type": "application/json",
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...headers,
      },
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
    async tell(...events) {
      for (const event of events) {
        const answer = await post(kindOf(event), event);
        expect(answer, JSON.stringify(event)).toMatchObject({ status: 200 });
      }
    },
    async ask(attempt) {
      const { status, body } = await post("auth", authRequest(attempt));
      expect(status).toBe(200);
      return body as AuthAnswer;
    },
    listed: async (key) => ({
      sessions: await list(pathOf.listSessionLogs, key),
      connections: await list(pathOf.listConnectionLogs, key),
    }),
    async seats(projectId) {
      const rows = await query
        .selectFrom("seat")
        .select("connection_id")
        .$if(projectId !== undefined, (all) => all.where("project_id", "=", projectId ?? ""))
        .orderBy("connection_id")
        .execute();
      return rows.map(({ connection_id }) => connection_id);
    },
    async metric(name) {
      const text = await (await fetch(`${test.service.internalUrl}/metrics`)).text();
      const line = text.split("\n").find((one) => one.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1) ?? 0);
    },
  };
}

/** The intake path to which the media server sends an event. */
const kindOf = ({ type }: MediaEvent): "session" | "event" => (type.startsWith("session.") ? "session" : "event");

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
