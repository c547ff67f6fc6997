import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Receiver, SocketModeReceiver } from "@slack/bolt";
import type { Logger } from "pino";
import type { Config } from "../config.js";
import { AccessError, clientOptionsOf, refusalOf, slackLogger } from "../slack/client.js";
import { createRouteServer, HttpReceiver, malformedWords, type Route } from "./http-receiver.js";
import { MalformedRequestError } from "./slack-request.js";

/** Where Slack's requests come in. */
export interface Entrance {
  readonly receiver: Receiver;
  /** Opens it; gives the address at which the bot listens. */
  open(): Promise<string>;
  /** What stands in the way of requests; nothing where they can come. */
  fault(): string | undefined;
  /** Takes no more requests; those that have come are still acknowledged. */
  close(): Promise<void>;
}

/** By HTTP, or by a socket that the bot opens itself: then nothing of it needs to be reached from outside. */
export function createEntrance(config: Config, routes: readonly Route[], log: Logger): Entrance {
  return config.slack.appToken === undefined ? overHttp(config, routes, log) : overSocket(config, routes, log);
}

function overHttp(config: Config, routes: readonly Route[], log: Logger): Entrance {
  // Checked with the settings; nothing can be signed with an empty one.
  const receiver = new HttpReceiver({ signingSecret: config.slack.signingSecret ?? "", routes, log });
  let server: Server | undefined;
  return {
    receiver,
    async open() {
      server = await listening(receiver.start(config.port, config.host), config);
      return addressOf(server);
    },
    fault: () => undefined,
    async close() {
      hangUp(server);
      await receiver.stop();
    },
  };
}

function overSocket(config: Config, routes: readonly Route[], log: Logger): Entrance {
  const receiver = new SocketModeReceiver({
    appToken: config.slack.appToken ?? "",
    logger: slackLogger(log),
    processEventErrorHandler: async ({ error }) => {
      const isMalformed = error instanceof MalformedRequestError;
      if (isMalformed) log.warn(malformedWords(error));
      else log.error({ err: error }, "A request from Slack could not be handled");
      // Slack would send what is malformed again; for all else it shows the person an error.
      return isMalformed;
    },
    // Bolt gives up the socket for good where these tries end, with an error that nobody can catch.
    installerOptions: { clientOptions: { ...clientOptionsOf(config, log), retryConfig: KEEP_TRYING } },
  });
  // Bolt's own would listen on all addresses.
  const server = createRouteServer(routes, log);
  let isConnected = false;
  receiver.client.on("connected", () => {
    isConnected = true;
  });
  // "disconnected" comes only where Bolt does not connect again.
  receiver.client.on("close", () => {
    isConnected = false;
  });
  return {
    receiver,
    async open() {
      const opened = new Promise<Server>((resolve, reject) => {
        server.once("error", reject).listen(config.port, config.host, () => resolve(server));
      });
      const address = addressOf(await listening(opened, config));
      try {
        await receiver.start();
      } catch (error) {
        server.close();
        throw notTaken(error);
      }
      return address;
    },
    fault: () => (isConnected ? undefined : "no connection to Slack"),
    async close() {
      await receiver.stop();
      hangUp(server);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** How a new socket is asked for: until there is one. */
const KEEP_TRYING = { forever: true, unref: true, minTimeout: 500, maxTimeout: 30_000, factor: 1.5 };

/** What Slack says against the token that sockets are opened with. */
function notTaken(error: unknown): unknown {
  const code = refusalOf(error)?.code;
  if (code === undefined) return error;
  return new AccessError(
    `Slack does not take SLACK_APP_TOKEN (${code}). Copy an App-Level Token with the scope connections:write from the app's page "Basic Information", and switch Socket Mode on.`,
    { cause: error },
  );
}

/** Who has not sent a whole request by then, or read its answer, is not Slack: that gives up after 3 s. */
function hangUp(server: Server | undefined): void {
  setTimeout(() => server?.closeAllConnections(), HANG_UP_MS).unref();
}

const HANG_UP_MS = 4000;

async function listening<T>(opened: Promise<T>, { host, port }: Config): Promise<T> {
  try {
    return await opened;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "EADDRINUSE") {
      throw new Error(`Port ${port} of ${host} is taken. Set BOT_PORT to another one.`, { cause });
    }
    throw cause;
  }
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
