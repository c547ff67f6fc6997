import type { IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { serveHttp } from "@media-ops/testing/servers";
import { type Logger, LogLevel } from "@slack/bolt";
import type { ActionsBlock, Button, ModalView } from "@slack/types";
import { WebAPIPlatformError, WebClient, type WebClientOptions } from "@slack/web-api";
import { expect, onTestFinished } from "vitest";
import { type FakeSlack, type FakeSlackOptions, type Json, startFakeSlack } from "../index.js";
import type { Patience } from "../world/model.js";

/** Silences Bolt, which logs the errors that these tests cause on purpose. */
export const quiet: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};

/** The scopes of all methods. */
export const SCOPES = `bot chat:write channels:read channels:history channels:join groups:read groups:history im:read
  im:write im:history users:read usergroups:read team:read files:write commands app_mentions:read`.split(/\s+/);

/** A workspace with a channel of two people and the bot; it is stopped after the test. */
export async function startAcme(options: Partial<FakeSlackOptions> = {}) {
  let passedMs = 0;
  const slack = await startFakeSlack({ scopes: SCOPES, now: () => Date.now() + passedMs, ...options });
  onTestFinished(() => slack.stop());
  const team = slack.addWorkspace({ name: "acme" });
  const ann = team.addUser({ name: "ann", timeZone: "Europe/Berlin" });
  const bob = team.addUser({ name: "bob" });
  const general = team.addChannel({ name: "general", members: [ann, bob], withBot: true });
  const pass = (ms: number): void => {
    passedMs += ms;
  };
  /** Posts a message with a button. */
  const withButton = async () => {
    const client = clientOf(slack, team.botToken);
    await client.chat.postMessage({ channel: general.id, text: "Press", blocks: [actions(button("Older", "older"))] });
    return seen(ann.sees(general).at(-1));
  };
  return { slack, team, ann, bob, general, client: clientOf(slack, team.botToken), pass, withButton };
}

/** How long Slack waits for an app; it does not wait before retries. */
export const patience = (answerWithinMs: number, wait: Patience["wait"] = () => Promise.resolve()): Patience => ({
  answerWithinMs,
  wait,
});

/** The real client, without retries. */
export function clientOf(slack: FakeSlack, token: string | undefined, options: WebClientOptions = {}): WebClient {
  return new WebClient(token, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: quiet,
    ...options,
  });
}

/** Slack's response to a refused call. */
export async function refusal(call: Promise<unknown>): Promise<Json> {
  try {
    await call;
  } catch (error) {
    if (error instanceof WebAPIPlatformError) return { ...error.data };
    throw error;
  }
  throw new Error("Slack did not refuse it.");
}

/** Tests that Slack refuses a call with this error. */
export async function refused(call: Promise<unknown>, error: unknown): Promise<void> {
  expect(await refusal(call)).toMatchObject({ error });
}

/** A value that must be visible by now. */
export function seen<T>(what: T | undefined): T {
  if (what === undefined) throw new Error("There is nothing to be seen.");
  return what;
}

/** A request to the app: a command's fields, an interaction's payload, or an event's envelope. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary requests, and fail if a member is missing.
export type Sent = any;

/** An app that records its requests, and responds as configured: with a JSON body, or with only a status. */
export async function startApp(slack: FakeSlack, respond: (sent: Sent) => unknown = () => undefined) {
  const sent: Sent[] = [];
  const { url, close } = await serveHttp(async (request, response) => {
    const one = sentIn(await text(request));
    sent.push(one);
    const answer = await respond(one);
    if (typeof answer === "number") response.writeHead(answer).end();
    else if (answer === undefined) response.end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  onTestFinished(close);
  slack.app.requestUrl = `${url}/slack/events`;
  return { sent, last: (): Sent => sent.at(-1) };
}

/** The workspace of `startAcme`, with the app of `startApp`. */
export async function startWithApp(respond?: (sent: Sent) => unknown, options: Partial<FakeSlackOptions> = {}) {
  const acme = await startAcme(options);
  return { ...acme, ...(await startApp(acme.slack, respond)) };
}

interface StubAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Starts an app that records its requests, and responds as configured; it repeats the last response. */
export async function startStubApp(slack: FakeSlack, answers: readonly (StubAnswer | "hang" | "break")[]) {
  const taken: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const { url, close: stop } = await serveHttp(async (request, response) => {
    const answer = answers[Math.min(taken.length, answers.length - 1)];
    taken.push({ headers: request.headers, body: await text(request) });
    if (answer === "break") request.socket.destroy();
    else if (answer !== "hang" && answer) response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  onTestFinished(stop);
  slack.app.requestUrl = `${url}/slack/events`;
  return { taken, stop };
}

function sentIn(body: string): Sent {
  if (body.startsWith("{")) return JSON.parse(body);
  const fields = Object.fromEntries(new URLSearchParams(body));
  return fields.payload === undefined ? fields : JSON.parse(fields.payload);
}

export const plain = (text: string) => ({ type: "plain_text" as const, text });

export const section = (text: string) => ({ type: "section" as const, text: { type: "mrkdwn" as const, text } });

export const button = (text: string, action_id: string, more: Partial<Button> = {}): Button => ({
  type: "button",
  text: plain(text),
  action_id,
  ...more,
});

export const actions = (...elements: ActionsBlock["elements"]): ActionsBlock => ({ type: "actions", elements });

/** An input whose block_id is its label. */
export const input = (label: string, element: object, more: object = {}) => ({
  type: "input",
  block_id: label,
  label: plain(label),
  element,
  ...more,
});

/** A modal with blocks that the client's types may not know. */
export const form = (...blocks: object[]) => ({ ...modal(), blocks });

/** A modal that asks for a channel's name. */
export function modal(more: Partial<ModalView> = {}): ModalView {
  return {
    type: "modal",
    callback_id: "token",
    title: plain("New token"),
    submit: plain("Mint"),
    blocks: [
      {
        type: "input",
        block_id: "channel",
        label: plain("Channel"),
        element: { type: "plain_text_input", action_id: "name" },
      },
    ],
    ...more,
  };
}
