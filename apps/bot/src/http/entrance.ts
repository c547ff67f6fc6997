import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { openFileLimit } from "@media-ops/settings/process";
import { type App, HTTPModuleFunctions, type Receiver, SocketModeReceiver } from "@slack/bolt";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { type Access, INSTALL_PATH, REDIRECT_PATH } from "../slack/access.js";
import { clientOptionsOf, refusalOf, slackLogger } from "../slack/client.js";
import { isObject, MalformedRequestError } from "./slack-request.js";

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const EVENTS_PATH = "/slack/events";
const MAX_CONNECTIONS = 2000;
// Slack's largest window is smaller, even form-encoded with nine bytes per letter.
const MAX_BODY_BYTES = 4 * 1024 * 1024;
// Slack gives up after 3 s; a client that takes longer to send a request or read its answer is disconnected.
const HANG_UP_MS = 4000;
// The retry policy for opening a new socket: until it succeeds.
const KEEP_TRYING = { forever: true, unref: true, minTimeout: 500, maxTimeout: 30_000, factor: 1.5 };

/**
 * Receives the requests of Slack, browsers and health checks. Slack's requests arrive by HTTP, or through a socket that
 * the bot opens itself, so that it need not be publicly reachable.
 *
 * @param fault The reason why the bot can't answer people; undefined if it can.
 */
export function createEntrance(
  config: Config,
  { access, log, fault }: { access: Access; log: Logger; fault(): Promise<string | undefined> },
) {
  const { appToken, signingSecret = "" } = config.slack;
  // The signing secret is set if there is no app token.
  const http = createHttp(signingSecret, log);
  const socket = appToken === undefined ? undefined : createSocket(appToken, config, log);
  const closing = new AbortController();
  const routes: Readonly<Record<string, Handler | undefined>> = {
    ...(!socket && { [`POST ${EVENTS_PATH}`]: (request, response) => http.receive(request, response) }),
    "GET /healthz": (_, response) => sendStatus(response, 200, "ok"),
    "GET /readyz": async (_, response) => {
      const reason = closing.signal.aborted ? "stopping" : ((await fault()) ?? socket?.fault());
      sendStatus(response, reason === undefined ? 200 : 503, reason ?? "ok");
    },
    [`GET ${INSTALL_PATH}`]: access.installer?.begin,
    [`GET ${REDIRECT_PATH}`]: access.installer?.end,
  };
  const server = createServer(async (request, response) => {
    const route = `${request.method} ${request.url?.split("?", 1)[0]}`;
    const handler = Object.hasOwn(routes, route) ? routes[route] : undefined;
    if (!handler) return end(response, 404);
    try {
      await handler(request, response);
    } catch (error) {
      log.error({ err: error }, `Failed to answer ${route}`);
      response.destroy();
    }
  });
  // Slack opens only a few. The other file descriptors are for the database, Slack's API and the media services.
  server.maxConnections = Math.min(MAX_CONNECTIONS, Math.floor(openFileLimit() / 4));
  return {
    receiver: (socket ?? http).receiver,
    async open(): Promise<string> {
      const { host, port } = config;
      try {
        await new Promise<void>((resolve, reject) => {
          server.once("error", reject).listen(port, host, resolve);
        });
      } catch (cause) {
        const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
        if (!isTaken) throw cause;
        throw new Error(`Port ${port} of ${host} is taken. Set BOT_PORT to another one.`, { cause });
      }
      // Without a listener, a connection that cannot be accepted would end the process.
      server.on("error", (error) => log.error({ err: error }, "Failed to accept a connection"));
      await socket?.start().catch((error: unknown) => {
        server.close();
        throw error;
      });
      const { address, family, port: actual } = server.address() as AddressInfo;
      return `http://${family === "IPv6" ? `[${address}]` : address}:${actual}`;
    },
    /** Stops accepting requests; requests already received are still acknowledged. */
    async close(): Promise<void> {
      closing.abort();
      await socket?.receiver.stop();
      setTimeout(() => server.closeAllConnections(), HANG_UP_MS).unref();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendStatus(response: ServerResponse, code: number, status: string): void {
  response.writeHead(code, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(JSON.stringify({ status }));
}

function end(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status);
  response.end();
}

/** Logs why a request from Slack failed; returns whether the request is malformed. */
function logFault(log: Logger, error: unknown): boolean {
  const isMalformed = error instanceof MalformedRequestError;
  if (isMalformed) log.warn(`Refused a malformed request that Slack has signed: ${error.message}`);
  else log.error({ err: error }, "Failed to handle a request from Slack");
  return isMalformed;
}

type SignedRequest = Awaited<ReturnType<typeof HTTPModuleFunctions.parseAndVerifyHTTPRequest>>;

/**
 * Receives Slack's signed requests. Bolt's own receiver reads members of a body before it checks that it is an object,
 * and outside of every error handler, so that a signed `payload=null` would end the process.
 */
function createHttp(signingSecret: string, log: Logger) {
  const options = { enabled: true, signingSecret, bodyLimit: MAX_BODY_BYTES };
  let app: App | undefined;

  async function handle(body: Readonly<Record<string, unknown>>, response: ServerResponse): Promise<void> {
    if (body.ssl_check === "1") return end(response, 200);
    if (body.type === "url_verification") return HTTPModuleFunctions.buildUrlVerificationResponse(response, body);
    await app?.processEvent({
      body,
      ack: async (answer: unknown) => {
        if (response.headersSent) throw new Error("This request was acknowledged before.");
        HTTPModuleFunctions.buildContentResponse(response, answer);
      },
    });
    // A listener failed before it acknowledged; Bolt has logged the error, and Slack shows the person an error.
    if (!response.headersSent) end(response, 500);
  }

  // The bot's server passes the requests to `receive`, so there is nothing to start or stop.
  const receiver: Receiver = {
    init(given) {
      app = given;
    },
    async start() {},
    async stop() {},
  };
  return {
    receiver,
    async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
      let signed: SignedRequest;
      try {
        signed = await HTTPModuleFunctions.parseAndVerifyHTTPRequest(options, request);
      } catch (error) {
        const isTooLarge = HTTPModuleFunctions.isRawBodyError(error) && error.statusCode === 413;
        const message = error instanceof Error ? error.message : "unknown";
        log.warn(`Failed to parse and verify the request data: ${message}`);
        // Otherwise the unread rest of the body would be parsed as the next request.
        response.setHeader("connection", "close");
        return end(response, isTooLarge ? 413 : 401);
      }
      try {
        await handle(contentOf(signed), response);
      } catch (error) {
        end(response, logFault(log, error) ? 400 : 500);
      }
    },
  };
}

function contentOf(signed: SignedRequest): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = HTTPModuleFunctions.parseHTTPRequestBody(signed);
  } catch {
    // The parser's own error quotes part of the body, which may be a secret.
    throw new MalformedRequestError("neither JSON nor a form");
  }
  if (!isObject(content)) throw new MalformedRequestError("expected an object");
  return content;
}

/** Creates the receiver for Socket Mode. Bolt's own HTTP server is not used: it would listen on all addresses. */
function createSocket(appToken: string, config: Config, log: Logger) {
  const receiver = new SocketModeReceiver({
    appToken,
    logger: slackLogger(log),
    // A malformed request is acknowledged, because Slack would send it again; for any other error, Slack shows the
    // person an error.
    processEventErrorHandler: async ({ error }) => logFault(log, error),
    // When these retries end, Bolt abandons the socket with an error that cannot be caught.
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
