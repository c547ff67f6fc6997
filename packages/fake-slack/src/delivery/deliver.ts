import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { fieldOf, isObject, parsed } from "../json.js";
import type { AttemptResult, Json, PendingEnvelope, RetryReason, Sockets } from "../world/model.js";
import type { World } from "../world/world.js";

/** The final result of a delivery. */
export interface Delivery {
  /** The app's HTTP status; 0 without a response. An acknowledgement over a socket counts as 200. */
  readonly status: number;
  /** Undefined if the acknowledgement was empty. */
  readonly body: unknown;
  /** The number of attempts. */
  readonly tries: number;
  /** The duration of the last attempt. */
  readonly acknowledgedInMs: number;
  /** The error that Slack shows if the app did not acknowledge. */
  readonly shownError: string | undefined;
}

const MINUTE = 60_000;
const EVENT_RETRIES = [0, MINUTE, 5 * MINUTE];

/**
 * Sends a request to the app: to its request URL, or over a socket if it has none. Slack retries events that are not
 * acknowledged; for commands and interactions it shows the person an error instead.
 */
export async function deliver(world: World, delivery: OutgoingDelivery): Promise<Delivery> {
  const content = delivery.kind === "event" ? envelopeOf(world, delivery) : delivery.payload;
  let tries = 0;
  const send = (reason?: RetryReason) => {
    const retry = reason && { number: tries, reason };
    tries += 1;
    return attempt(world, delivery, { kind: delivery.kind, content, retry });
  };
  const isRepeated = world.repeats > 0;
  if (isRepeated) world.repeats -= 1;
  let result = await send();
  for (const pause of delivery.kind === "event" ? EVENT_RETRIES : []) {
    if (result.failure === undefined) break;
    if (pause > 0) await Promise.race([world.patience.wait(pause), once(world.stopped, "abort")]);
    if (world.stopped.aborted) break;
    result = await send(result.failure);
  }
  if (isRepeated) await send("http_timeout");
  const { status, body, acknowledgedInMs, failure } = result;
  return { status, body, tries, acknowledgedInMs, shownError: failure && shownError(delivery, failure) };
}

async function attempt(
  world: World,
  delivery: OutgoingDelivery,
  sent: Attempt,
): Promise<AttemptResult & { acknowledgedInMs: number }> {
  const { requestUrl } = world.app;
  const { kind, teamId, payload } = delivery;
  const startedAt = performance.now();
  const result = await (requestUrl === undefined ? sendOverSocket(world, sent) : sendOverHttp(world, requestUrl, sent));
  const acknowledgedInMs = performance.now() - startedAt;
  const person = payload.user_id ?? fieldOf(payload.user, "id") ?? payload.user;
  const { status, body, failure } = result;
  world.record({
    teamId,
    what: "delivery",
    name: kind,
    users: typeof person === "string" ? [person] : [],
    detail: {
      payload: sent.content,
      ...(sent.retry && { retry: sent.retry }),
      status,
      body,
      acknowledgedInMs,
      ...(failure && { failure, shownError: shownError(delivery, failure) }),
    },
  });
  return { ...result, acknowledgedInMs };
}

function envelopeOf(world: World, { teamId, payload }: OutgoingDelivery): Json {
  const team = world.teams.get(teamId);
  const bot = [...(team?.users.values() ?? [])].find(({ isBot }) => isBot);
  return {
    type: "event_callback",
    team_id: teamId,
    api_app_id: world.app.id,
    event: payload,
    event_id: world.newId("Ev"),
    event_time: Math.floor(world.now() / 1000),
    authorizations: [
      {
        enterprise_id: team?.organization?.id ?? null,
        team_id: teamId,
        user_id: bot?.id ?? null,
        is_bot: true,
        is_enterprise_install: team?.organization?.isOrgWide === true,
      },
    ],
    is_ext_shared_channel: false,
  };
}

/** The error that Slack shows if the app did not acknowledge a command or a click. */
function shownError({ kind, payload }: OutgoingDelivery, failure: RetryReason): string | undefined {
  if (kind === "event") return undefined;
  if (kind === "slash_command") {
    const error = failure === "http_timeout" ? "operation_timeout" : "dispatch_failed";
    return `${String(payload.command)} failed with the error "${error}"`;
  }
  // The modal is already closed.
  if (payload.type === "view_closed") return undefined;
  // Slack shows a sign beside the button, without words.
  if (payload.type === "block_actions") return "⚠️";
  return "We had some trouble connecting. Try again?";
}

/** A request from Slack to the app. */
export interface OutgoingDelivery {
  readonly kind: "slash_command" | "interactive" | "event";
  readonly teamId: string;
  /** A command's fields, an interaction's payload, or the event without its envelope. */
  readonly payload: Json;
}

/** One attempt to send a delivery. */
interface Attempt {
  readonly kind: OutgoingDelivery["kind"];
  /** The payload; for an event, with its envelope. */
  readonly content: Json;
  readonly retry: { readonly number: number; readonly reason: RetryReason } | undefined;
}

/** The result of an attempt without a response from the app. */
function unanswered(failure: RetryReason): AttemptResult {
  return { status: 0, body: undefined, failure };
}

/** Sends an attempt to the app's request URL, signed. */
async function sendOverHttp(world: World, url: string, { kind, content, retry }: Attempt): Promise<AttemptResult> {
  const fields = kind === "interactive" ? { payload: JSON.stringify(content) } : content;
  const form = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
  const body = kind === "event" ? JSON.stringify(content) : String(new URLSearchParams(form));
  const timestamp = String(Math.floor(world.now() / 1000));
  const { signingSecret } = world.app;
  const timeout = AbortSignal.timeout(world.patience.answerWithinMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": kind === "event" ? "application/json" : "application/x-www-form-urlencoded",
        "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        // A keep-alive connection might lead to an app that has restarted since.
        connection: "close",
        "x-slack-request-timestamp": timestamp,
        "x-slack-signature": `v0=${createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex")}`,
        ...(retry && { "x-slack-retry-num": String(retry.number), "x-slack-retry-reason": retry.reason }),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([timeout, world.stopped]),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      body: text === "" ? undefined : isJson ? parsed(text) : text,
      failure: response.ok ? undefined : "http_error",
    };
  } catch {
    return unanswered(timeout.aborted ? "http_timeout" : "connection_failed");
  }
}

// The app's client closes a socket after half a minute of silence.
const PING_EVERY_MS = 10_000;

const server = new WebSocketServer({ noServer: true });

const ENVELOPE_TYPES = { slash_command: "slash_commands", interactive: "interactive", event: "events_api" } as const;

/** The URL at which the app may open one socket. */
export function issueSocketUrl(world: World): string {
  const ticket = randomUUID();
  world.sockets.tickets.add(ticket);
  return `${world.url.replace(/^http/, "ws")}/socket/${ticket}`;
}

/** Handles an `upgrade` request of the HTTP server: opens a socket for an unused ticket. */
export function handleUpgrade(world: World, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const ticket = /^\/socket\/([^/?]+)/.exec(request.url ?? "")?.[1];
  if (ticket === undefined || !world.sockets.tickets.delete(ticket)) {
    socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    return;
  }
  server.handleUpgrade(request, socket, head, (client) => greet(world, client));
}

/** Asks the app to reopen its sockets: the old ones receive nothing more, but their acknowledgements count. */
export function refreshSockets(world: World): void {
  const left = world.sockets.open.splice(0);
  for (const socket of left) {
    say(socket, { type: "disconnect", reason: "refresh_requested", debug_info: { host: world.url } });
  }
}

/** Ends all connections and everything that waits for them. */
export function closeSockets({ sockets }: World): void {
  for (const socket of sockets.all) socket.terminate();
  for (const pending of sockets.pending.values()) pending.end(unanswered("connection_failed"));
}

/** Breaks all sockets, as a network failure does. */
export function breakSockets(world: World): void {
  for (const socket of world.sockets.open) socket.terminate();
}

/**
 * Sends an attempt over one of the sockets, in turn. If that socket breaks before the app has acknowledged, it is sent
 * over another one, or the next that is opened in time.
 */
function sendOverSocket(world: World, { kind, content, retry }: Attempt): Promise<AttemptResult> {
  const { sockets } = world;
  if (sockets.open.length === 0) return Promise.resolve(unanswered("connection_failed"));
  const envelopeId = randomUUID();
  const isEvent = kind === "event";
  const envelope = {
    envelope_id: envelopeId,
    type: ENVELOPE_TYPES[kind],
    payload: content,
    accepts_response_payload: !isEvent,
    ...((isEvent || retry) && { retry_attempt: retry?.number ?? 0, retry_reason: retry?.reason ?? "" }),
  };
  return new Promise((resolve) => {
    const end = (result: AttemptResult): void => {
      clearTimeout(limit);
      sockets.pending.delete(envelopeId);
      resolve(result);
    };
    const limit = setTimeout(() => end(unanswered("http_timeout")), world.patience.answerWithinMs);
    const pending: PendingEnvelope = { text: JSON.stringify(envelope), socket: undefined, end };
    sockets.pending.set(envelopeId, pending);
    carry(sockets, pending);
  });
}

function greet(world: World, socket: WebSocket): void {
  const { sockets } = world;
  sockets.all.add(socket);
  sockets.open.push(socket);
  const pings = setInterval(() => socket.ping(), PING_EVERY_MS);
  socket.on("message", (data) => acknowledge(sockets, data));
  // The "close" handler does the rest.
  socket.on("error", () => socket.terminate());
  socket.on("close", () => {
    clearInterval(pings);
    sockets.all.delete(socket);
    const index = sockets.open.indexOf(socket);
    if (index >= 0) sockets.open.splice(index, 1);
    for (const pending of sockets.pending.values()) if (pending.socket === socket) carry(sockets, pending);
  });
  say(socket, {
    type: "hello",
    num_connections: sockets.open.length,
    connection_info: { app_id: world.app.id },
    debug_info: { host: world.url },
  });
  socket.ping();
  for (const pending of sockets.pending.values()) if (pending.socket === undefined) carry(sockets, pending);
}

/** Sends an envelope over the next socket, or waits for one. */
function carry(sockets: Sockets, pending: PendingEnvelope): void {
  const socket = sockets.open.shift();
  pending.socket = socket;
  if (socket === undefined) return;
  sockets.open.push(socket);
  socket.send(pending.text);
}

function acknowledge(sockets: Sockets, data: RawData): void {
  const said = parsed(String(data));
  const id = fieldOf(said, "envelope_id");
  if (typeof id !== "string") return;
  const body = fieldOf(said, "payload");
  const isEmpty = body === undefined || (isObject(body) && Object.keys(body).length === 0);
  // A late or second acknowledgement has no pending envelope.
  sockets.pending.get(id)?.end({ status: 200, body: isEmpty ? undefined : body, failure: undefined });
}

function say(socket: WebSocket, message: Json): void {
  socket.send(JSON.stringify(message));
}
