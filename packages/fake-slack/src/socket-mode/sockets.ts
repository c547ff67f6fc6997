import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { fieldOf, isObject } from "../block-kit/json.js";
import { type Attempt, contentOf, type OutgoingDelivery, type Retry } from "../delivery/outgoing.js";
import { perWorld } from "../delivery/per-world.js";
import { parsed } from "../web-api/parsed.js";
import type { Json, World } from "../world/model.js";

/** Sent, and not acknowledged yet. */
interface Pending {
  readonly text: string;
  /** The socket that it went over; undefined while there is none. */
  socket: WebSocket | undefined;
  end(outcome: Outcome): void;
}

type Outcome = Pick<Attempt, "status" | "body" | "failure">;

interface Sockets {
  readonly server: WebSocketServer;
  /** Addresses given out, each for one socket. */
  readonly tickets: Set<string>;
  /** Those that deliveries go over, the one whose turn it is first. */
  open: WebSocket[];
  readonly pending: Map<string, Pending>;
}

// The app's client gives a socket up that has been silent for half a minute.
const PING_EVERY_MS = 10_000;

const UNREACHED: Outcome = { status: 0, body: undefined, failure: "connection_failed" };

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
    for (const pending of sockets.pending.values()) pending.end(UNREACHED);
  });
  return sockets;
});

/** The address at which the app may open one socket. */
export function issueSocketUrl(world: World): string {
  const ticket = randomUUID();
  socketsOf(world).tickets.add(ticket);
  return `${world.url.replace(/^http/, "ws")}/socket/${ticket}`;
}

/** Answers an `upgrade` of the one HTTP server: a socket for whoever has a ticket that was not used yet. */
export function handleUpgrade(world: World, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const sockets = socketsOf(world);
  const ticket = /^\/socket\/([^/?]+)/.exec(request.url ?? "")?.[1];
  if (ticket === undefined || !sockets.tickets.delete(ticket)) {
    socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    return;
  }
  sockets.server.handleUpgrade(request, socket, head, (client) => greet(world, sockets, client));
}

/** Tells the app to open its sockets anew; they get nothing more, but what they still acknowledge counts. */
export function refreshSockets(world: World, reason: "refresh_requested" | "warning" = "refresh_requested"): void {
  const sockets = socketsOf(world);
  const left = sockets.open;
  sockets.open = [];
  for (const socket of left) say(socket, { type: "disconnect", reason, debug_info: { host: world.url } });
}

/** All sockets break, as when a network fails. */
export function breakSockets(world: World): void {
  for (const socket of socketsOf(world).open) socket.terminate();
}

/**
 * Sends it once over one of the sockets, in turn. Where that socket breaks before the app has acknowledged, it goes
 * over another one, or the next that is opened in time.
 */
export function sendOverSocket(world: World, delivery: OutgoingDelivery, retry: Retry | undefined): Promise<Attempt> {
  const sockets = socketsOf(world);
  const startedAt = performance.now();
  const since = () => performance.now() - startedAt;
  if (sockets.open.length === 0) {
    return Promise.resolve({ ...UNREACHED, ms: 0, isFinal: false });
  }

  const envelopeId = randomUUID();
  const isEvent = delivery.kind === "event";
  const envelope = {
    envelope_id: envelopeId,
    type: ENVELOPE_TYPES[delivery.kind],
    payload: contentOf(world, delivery),
    accepts_response_payload: !isEvent,
    ...((isEvent || retry) && { retry_attempt: retry?.number ?? 0, retry_reason: retry?.reason ?? "" }),
  };
  return new Promise((resolve) => {
    const end = (outcome: Outcome): void => {
      clearTimeout(limit);
      sockets.pending.delete(envelopeId);
      resolve({ ...outcome, ms: since(), isFinal: false });
    };
    const limit = setTimeout(
      () => end({ status: 0, body: undefined, failure: "http_timeout" }),
      world.patience.answerWithinMs,
    );
    const pending: Pending = { text: JSON.stringify(envelope), socket: undefined, end };
    sockets.pending.set(envelopeId, pending);
    carry(sockets, pending);
  });
}

function greet(world: World, sockets: Sockets, socket: WebSocket): void {
  sockets.open.push(socket);
  const pings = setInterval(() => socket.ping(), PING_EVERY_MS);
  socket.on("message", (data) => acknowledge(sockets, data));
  // What went wrong with it shows in its closing.
  socket.on("error", () => socket.terminate());
  socket.on("close", () => {
    clearInterval(pings);
    sockets.open = sockets.open.filter((other) => other !== socket);
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

/** Sends it over the socket whose turn it is; without one it waits. */
function carry(sockets: Sockets, pending: Pending): void {
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
  // One that comes too late, or twice, is not waited for.
  sockets.pending.get(id)?.end({ status: 200, body: isEmpty ? undefined : body, failure: undefined });
}

function say(socket: WebSocket, message: Json): void {
  socket.send(JSON.stringify(message));
}
