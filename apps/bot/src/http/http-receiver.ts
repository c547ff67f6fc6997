import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { openFileLimit } from "@media-ops/settings/process";
import { type App, HTTPModuleFunctions, type Receiver } from "@slack/bolt";
import type { Logger } from "pino";
import { type Access, INSTALL_PATH, REDIRECT_PATH } from "../slack/access.js";
import { isObject, MalformedRequestError } from "./slack-request.js";

/** What is asked of the bot beside Slack's own requests. */
export interface Route {
  path: string;
  method: "GET";
  handler(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
}

export interface RouteOptions {
  access: Access;
  /** What stands in the way of answering people; nothing where all is well. */
  notReady(): Promise<string | undefined>;
}

/** Health, and the pages that install the bot. */
export function routesOf({ access: { installer }, notReady }: RouteOptions): Route[] {
  const health: Route[] = [
    { path: "/healthz", method: "GET", handler: (_, response) => send(response, 200, { status: "ok" }) },
    {
      path: "/readyz",
      method: "GET",
      async handler(_, response) {
        const reason = await notReady();
        send(response, reason === undefined ? 200 : 503, { status: reason ?? "ok" });
      },
    },
  ];
  if (!installer) return health;
  return [
    ...health,
    { path: INSTALL_PATH, method: "GET", handler: (...exchange) => installer.begin(...exchange) },
    { path: REDIRECT_PATH, method: "GET", handler: (...exchange) => installer.end(...exchange) },
  ];
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

const EVENTS_PATH = "/slack/events";

// The largest window that Slack allows is smaller, even as a form in which each letter takes nine bytes.
const LONGEST_BODY = 4 * 1024 * 1024;
const MAX_CONNECTIONS = 2000;

export interface HttpReceiverOptions {
  signingSecret: string;
  routes: readonly Route[];
  log: Logger;
}

/**
 * Receives Slack's signed requests. Bolt's own receiver reads members of a body before it knows that it is an object,
 * and outside of every error handler, so that a signed `payload=null` ends the process.
 */
export class HttpReceiver implements Receiver {
  readonly #server: Server;
  readonly #options: HttpReceiverOptions;
  #app: App | undefined;

  constructor(options: HttpReceiverOptions) {
    const { routes, log } = options;
    this.#options = options;
    this.#server = createRouteServer(routes, log, (request, response) => {
      if (request.method !== "POST" || pathOf(request) !== EVENTS_PATH) return false;
      this.#receive(request, response).catch((error: unknown) => {
        log.error({ err: error }, "A request from Slack could not be answered");
        response.destroy();
      });
      return true;
    });
  }

  init(app: App): void {
    this.#app = app;
  }

  start(port: number, host: string): Promise<Server> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject).listen(port, host, () => resolve(this.#server));
    });
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { signingSecret, log } = this.#options;
    const options = { enabled: true, signingSecret, bodyLimit: LONGEST_BODY };
    let signed: Signed;
    try {
      signed = await HTTPModuleFunctions.parseAndVerifyHTTPRequest(options, request);
    } catch (error) {
      const isTooLarge = HTTPModuleFunctions.isRawBodyError(error) && error.statusCode === 413;
      log.warn(`Failed to parse and verify the request data: ${error instanceof Error ? error.message : "unknown"}`);
      // What was not read of the body would be taken for the next request.
      response.setHeader("connection", "close");
      return end(response, isTooLarge ? 413 : 401);
    }
    try {
      await this.#handle(signed, response);
    } catch (error) {
      if (error instanceof MalformedRequestError) log.warn(malformedWords(error));
      else log.error({ err: error }, "A request from Slack could not be handled");
      end(response, error instanceof MalformedRequestError ? 400 : 500);
    }
  }

  async #handle(signed: Signed, response: ServerResponse): Promise<void> {
    const body = contentOf(signed);
    if (body.ssl_check === "1") return end(response, 200);
    if (body.type === "url_verification") return HTTPModuleFunctions.buildUrlVerificationResponse(response, body);
    await this.#app?.processEvent({
      body,
      ack: async (answer: unknown) => {
        if (response.headersSent) throw new Error("This request was acknowledged before.");
        HTTPModuleFunctions.buildContentResponse(response, answer);
      },
    });
    // A listener failed before it could acknowledge; that is logged, and Slack shows the person an error.
    if (!response.headersSent) end(response, 500);
  }
}

type Signed = Awaited<ReturnType<typeof HTTPModuleFunctions.parseAndVerifyHTTPRequest>>;

/** The log line for a request that is malformed. */
export const malformedWords = ({ message }: MalformedRequestError): string =>
  `Refused a malformed request that Slack has signed: ${message}`;

function contentOf(signed: Signed): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = HTTPModuleFunctions.parseHTTPRequestBody(signed);
  } catch {
    // The parser's own error repeats a part of the body, which may be a secret.
    throw new MalformedRequestError("neither JSON nor a form");
  }
  if (!isObject(content)) throw new MalformedRequestError("expected an object");
  return content;
}

/**
 * Serves the bot's routes.
 *
 * @param log receives the errors of the server.
 * @param first takes a request before the routes, and returns whether it did.
 */
export function createRouteServer(
  routes: readonly Route[],
  log: Logger,
  first: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Server {
  const server = createServer((request, response) => {
    if (first(request, response)) return;
    const path = pathOf(request);
    const route = routes.find((one) => one.path === path && one.method === request.method);
    if (!route) return end(response, 404);
    const handle = async (): Promise<void> => route.handler(request, response);
    handle().catch((error: unknown) => {
      log.error({ err: error }, `A request for ${route.path} could not be answered`);
      response.destroy();
    });
  });
  // Slack opens a few. The rest of the open files is for the database, Slack's API and the media services.
  server.maxConnections = Math.min(MAX_CONNECTIONS, Math.floor(openFileLimit() / 4));
  // Without a listener, a connection that cannot be accepted ends the process.
  server.once("listening", () =>
    server.on("error", (error) => log.error({ err: error }, "The bot failed to accept a connection")),
  );
  return server;
}

const pathOf = ({ url = "" }: IncomingMessage): string | undefined => url.split("?", 1)[0];

function end(response: ServerResponse, status: number): void {
  if (!response.headersSent) response.writeHead(status);
  response.end();
}
