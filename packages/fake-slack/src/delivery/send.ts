import { createHmac, randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { fieldOf, isObject, parsed } from "../json.js";
import type { Json } from "../world/model.js";
import { perWorld, type World } from "../world/world.js";

/** A request from Slack to the app. */
export interface OutgoingDelivery {
  readonly kind: "slash_command" | "interactive" | "event";
  readonly teamId: string;
  /** A command's fields, an interaction's payload, or the event without its envelope. */
  readonly payload: Json;
}

/** Slack's reason for a retry. */
export type RetryReason = "http_timeout" | "http_error" | "connection_failed";

/** One attempt to send a delivery. */
export interface Attempt {
  readonly kind: OutgoingDelivery["kind"];
  /** The payload; for an event, with its envelope. */
  readonly content: Json;
  readonly retry: { readonly number: number; readonly reason: RetryReason } | undefined;
}

/** The result of an attempt. */
export interface AttemptResult {
  /** 0 without a response; 200 if it was acknowledged over a socket. */
  readonly status: number;
  readonly body: unknown;
  /** Undefined if it was acknowledged. */
  readonly failure: RetryReason | undefined;
}

/** The result of an attempt without a response from the app. */
function unanswered(failure: RetryReason): AttemptResult {
  return { status: 0, body: undefined, failure };
}

/** Sends an attempt to the app's request URL, signed. */
export async function sendOverHttp(
  world: World,
  url: string,
  { kind, content, retry }: Attempt,
): Promise<AttemptResult> {
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

/** Sent, but not acknowledged yet. */
interface PendingEnvelope {
  readonly text: string;
  /** The socket it was sent over; undefined while none is open. */
  socket: WebSocket | undefined;
  end(result: AttemptResult): void;
}

interface Sockets {
  readonly server: WebSocketServer;
  /** Issued URLs, each for one socket. */
  readonly tickets: Set<string>;
  /** Open sockets, used in turn; the next one first. */
  readonly open: WebSocket[];
  readonly pending: Map<string, PendingEnvelope>;
}

// The app's client closes a socket after half a minute of silence.
const PING_EVERY_MS = 10_000;

const ENVELOPE_TYPES = { slash_command: "slash_commands", interactive: "interactive", event: "events_api" } as const;

const socketsOf = perWorld((world): Sockets => {
  const sockets: Sockets = {
    server: new WebSocketServer({ noServer: true }),
    tickets: new Set(),
    open: [],
    pending: new Map(),
  };
  world.onStop(() => {
    for (const client of sockets.server.clients) client.terminate();
    for (const pending of sockets.pending.values()) pending.end(unanswered("connection_failed"));
  });
  return sockets;
});

/** The URL at which the app may open one socket. */
export function issueSocketUrl(world: World): string {
  const ticket = randomUUID();
  socketsOf(world).tickets.add(ticket);
  return `${world.url.replace(/^http/, "ws")}/socket/${ticket}`;
}

/** Handles an `upgrade` request of the HTTP server: opens a socket for an unused ticket. */
export function handleUpgrade(world: World, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const sockets = socketsOf(world);
  const ticket = /^\/socket\/([^/?]+)/.exec(request.url ?? "")?.[1];
  if (ticket === undefined || !sockets.tickets.delete(ticket)) {
    socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    return;
  }
  sockets.server.handleUpgrade(request, socket, head, (client) => greet(world, sockets, client));
}

/** Asks the app to reopen its sockets: the old ones receive nothing more, but their acknowledgements count. */
export function refreshSockets(world: World): void {
  const left = socketsOf(world).open.splice(0);
  for (const socket of left) {
    say(socket, { type: "disconnect", reason: "refresh_requested", debug_info: { host: world.url } });
  }
}

/** Breaks all sockets, as a network failure does. */
export function breakSockets(world: World): void {
  for (const socket of socketsOf(world).open) socket.terminate();
}

/**
 * Sends an attempt over one of the sockets, in turn. If that socket breaks before the app has acknowledged, it is sent
 * over another one, or the next that is opened in time.
 */
export function sendOverSocket(world: World, { kind, content, retry }: Attempt): Promise<AttemptResult> {
  const sockets = socketsOf(world);
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

function greet(world: World, sockets: Sockets, socket: WebSocket): void {
  sockets.open.push(socket);
  const pings = setInterval(() => socket.ping(), PING_EVERY_MS);
  socket.on("message", (data) => acknowledge(sockets, data));
  // The "close" handler does the rest.
  socket.on("error", () => socket.terminate());
  socket.on("close", () => {
    clearInterval(pings);
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
