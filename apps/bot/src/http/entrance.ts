import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { openFileLimit } from "@media-ops/settings/process";
import { type Receiver, SocketModeReceiver } from "@slack/bolt";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { type Access, INSTALL_PATH, REDIRECT_PATH } from "../slack/access.js";
import { clientOptionsOf, refusalOf, slackLogger } from "../slack/client.js";
import { end, HttpReceiver, malformedText } from "./http-receiver.js";
import { MalformedRequestError } from "./slack-request.js";

/** Where requests enter: Slack's, browsers' and health checks. */
export interface Entrance {
  /** Hands Slack's requests to Bolt. */
  readonly receiver: Receiver;
  /** Starts to listen, and returns the bot's address. */
  open(): Promise<string>;
  /** Takes no more requests; those that were received are still acknowledged. */
  close(): Promise<void>;
}

interface EntranceOptions {
  access: Access;
  log: Logger;
  /** What keeps the bot from answering people; undefined if it can. */
  fault(): Promise<string | undefined>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const EVENTS_PATH = "/slack/events";
const MAX_CONNECTIONS = 2000;
// Slack gives up after 3 s; a client that takes longer to send a request or read its answer is cut off.
const HANG_UP_MS = 4000;
// How a new socket is asked for: until there is one.
const KEEP_TRYING = { forever: true, unref: true, minTimeout: 500, maxTimeout: 30_000, factor: 1.5 };

/** Receives Slack's requests by HTTP, or by a socket that the bot opens itself: then it need not be reachable. */
export function createEntrance(config: Config, { access, log, fault }: EntranceOptions): Entrance {
  const { appToken, signingSecret = "" } = config.slack;
  // The settings have a signing secret if there is no app token.
  const http = new HttpReceiver(signingSecret, log);
  const socket = appToken === undefined ? undefined : createSocket(appToken, config, log);
  const closing = new AbortController();
  const notReady = async (): Promise<string | undefined> =>
    closing.signal.aborted ? "stopping" : ((await fault()) ?? socket?.fault());
  const events: Handler = (request, response) => http.receive(request, response);
  const server = createRouteServer(
    new Map<string, Handler>([
      ...(socket ? [] : ([[`POST ${EVENTS_PATH}`, events]] as const)),
      ["GET /healthz", (_, response) => sendStatus(response, 200, "ok")],
      [
        "GET /readyz",
        async (_, response) => {
          const reason = await notReady();
          sendStatus(response, reason === undefined ? 200 : 503, reason ?? "ok");
        },
      ],
      ...installRoutes(access),
    ]),
    log,
  );
  return {
    receiver: socket?.receiver ?? http,
    async open() {
      const url = await listen(server, config, log);
      await socket?.start().catch((error: unknown) => {
        server.close();
        throw error;
      });
      return url;
    },
    async close() {
      closing.abort();
      await socket?.receiver.stop();
      setTimeout(() => server.closeAllConnections(), HANG_UP_MS).unref();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function installRoutes({ installer }: Access): (readonly [string, Handler])[] {
  if (!installer) return [];
  return [
    [`GET ${INSTALL_PATH}`, (request, response) => installer.begin(request, response)],
    [`GET ${REDIRECT_PATH}`, (request, response) => installer.end(request, response)],
  ];
}

/** @param routes by method and path. */
function createRouteServer(routes: ReadonlyMap<string, Handler>, log: Logger): Server {
  const server = createServer((request, response) => {
    const route = `${request.method} ${request.url?.split("?", 1)[0]}`;
    const handler = routes.get(route);
    if (!handler) return end(response, 404);
    const handle = async (): Promise<void> => handler(request, response);
    handle().catch((error: unknown) => {
      log.error({ err: error }, `Failed to answer ${route}`);
      response.destroy();
    });
  });
  // Slack opens a few. The rest of the open files is for the database, Slack's API and the media services.
  server.maxConnections = Math.min(MAX_CONNECTIONS, Math.floor(openFileLimit() / 4));
  return server;
}

function sendStatus(response: ServerResponse, code: number, status: string): void {
  response.writeHead(code, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(JSON.stringify({ status }));
}

/** Socket Mode. Bolt's own HTTP server, which would listen on all addresses, is not used. */
function createSocket(appToken: string, config: Config, log: Logger) {
  const receiver = new SocketModeReceiver({
    appToken,
    logger: slackLogger(log),
    processEventErrorHandler: async ({ error }) => {
      const isMalformed = error instanceof MalformedRequestError;
      if (isMalformed) log.warn(malformedText(error));
      else log.error({ err: error }, "Failed to handle a request from Slack");
      // Slack would send a malformed request again; for all else it shows the person an error.
      return isMalformed;
    },
    // When these tries end, Bolt gives up the socket for good, with an error that cannot be caught.
    installerOptions: { clientOptions: { ...clientOptionsOf(config, log), retryConfig: KEEP_TRYING } },
  });
  const state = { isConnected: false };
  receiver.client.on("connected", () => {
    state.isConnected = true;
  });
  // "disconnected" is sent only if Bolt does not connect again.
  receiver.client.on("close", () => {
    state.isConnected = false;
  });
  return {
    receiver,
    fault: (): string | undefined => (state.isConnected ? undefined : "no connection to Slack"),
    async start(): Promise<void> {
      try {
        await receiver.start();
      } catch (error) {
        const code = refusalOf(error)?.code;
        if (code === undefined) throw error;
        throw new Error(
          `Slack refused SLACK_APP_TOKEN (${code}). Copy an App-Level Token with the scope connections:write from the app's page "Basic Information", and switch Socket Mode on.`,
          { cause: error },
        );
      }
    },
  };
}

/** Starts to listen; returns the address. */
async function listen(server: Server, { host, port }: Config, log: Logger): Promise<string> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, host, resolve);
    });
  } catch (cause) {
    const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    if (!isTaken) throw cause;
    throw new Error(`Port ${port} of ${host} is taken. Set BOT_PORT to another one.`, { cause });
  }
  // Without a listener, a connection that cannot be accepted ends the process.
  server.on("error", (error) => log.error({ err: error }, "Failed to accept a connection"));
  const { address, family, port: actual } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`;
}
