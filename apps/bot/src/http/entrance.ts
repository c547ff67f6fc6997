import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { openFileLimit } from "@media-ops/settings/process";
import {
  type App,
  type BlockAction,
  type BlockElementAction,
  type Context,
  HTTPModuleFunctions,
  type Receiver,
  type SlackShortcut,
  type SlashCommand,
  SocketModeReceiver,
  type ViewSubmitAction,
} from "@slack/bolt";
import type { AppMentionEvent } from "@slack/types";
import type { Logger } from "pino";
import * as z from "zod";
import type { Config } from "../config.js";
import { language } from "../language.js";
import { type KeptData, type RequestSource, readKept, type UsedControl, type UsedMessage } from "../request.js";
import { type Access, INSTALL_PATH, REDIRECT_PATH } from "../slack/access.js";
import { clientOptionsOf, refusalOf, slackLogger } from "../slack/client.js";
import type { Served } from "../slack/people.js";

/** A request that Slack has signed but that doesn't have the shape of Slack's requests. */
export class MalformedRequestError extends Error {
  override readonly name = "MalformedRequestError";
}

const text = z.string();
const id = z.string().min(1).max(255);
const named = z.object({ id });

/** The members by which Bolt finds the workspace. Slack sends null for those that don't apply. */
const workspace = {
  team: z.object({ id, enterprise_id: id.nullish() }).nullish(),
  enterprise: named.nullish(),
  is_enterprise_install: z.union([z.boolean(), z.enum(["true", "false"])]).optional(),
};

const interaction = { ...workspace, user: z.object({ id, team_id: id.nullish() }) };

const view = z.object({
  id,
  type: id.optional(),
  callback_id: text,
  private_metadata: text,
  app_installed_team_id: id.nullish(),
});

const option = z.object({ value: text }).nullish();

const command = z.object({
  is_enterprise_install: workspace.is_enterprise_install,
  command: id,
  text: text.optional(),
  user_id: id,
  team_id: id.optional(),
  enterprise_id: id.optional(),
  channel_id: id,
  trigger_id: id,
  response_url: z.url().optional(),
});

const press = z.object({
  ...interaction,
  type: z.literal("block_actions"),
  trigger_id: id,
  actions: z
    .array(
      z.object({ type: id, action_id: id, block_id: text.optional(), value: text.nullish(), selected_option: option }),
    )
    .min(1),
  container: z.object({ message_ts: text.nullish(), thread_ts: text.nullish() }),
  channel: named.optional(),
  message: z.object({ ts: text.nullish(), thread_ts: text.nullish() }).nullish(),
  view: view.nullish(),
  response_url: z.url().optional(),
});

const entered = z.object({
  value: text.nullish(),
  selected_option: option,
  selected_options: z.array(z.object({ value: text })).nullish(),
  selected_date_time: z.number().nullish(),
  selected_conversation: text.nullish(),
});

const submission = z.object({
  ...interaction,
  type: z.literal("view_submission"),
  // Bolt can't route a window without a name, and every window of the bot has one.
  view: view.extend({
    callback_id: id,
    hash: text,
    state: z.object({ values: z.record(text, z.record(text, entered)) }),
  }),
  response_urls: z.array(z.object({ channel_id: id, response_url: z.url() })).nullish(),
});

const shortcut = { ...interaction, callback_id: id, trigger_id: id };
const list = z.array(z.unknown()).nullish();

const messageShortcut = z.object({
  ...shortcut,
  type: z.literal("message_action"),
  channel: named,
  message: z.object({ ts: id, thread_ts: text.nullish(), text: text.nullish(), blocks: list, attachments: list }),
  response_url: z.url().optional(),
});

const interactions = z.discriminatedUnion("type", [
  press,
  submission,
  z.object({ ...shortcut, type: z.literal("shortcut") }),
  messageShortcut,
]);

const place = { team_id: id.nullish(), enterprise_id: id.nullish() };

const mention = z.object({
  type: z.literal("app_mention"),
  subtype: text.nullish(),
  bot_id: id.nullish(),
  user: id.optional(),
  team: id.nullish(),
  user_team: id.nullish(),
  text: text.nullish(),
  ts: id,
  thread_ts: id.nullish(),
  channel: id,
});

const events = z.object({
  ...place,
  type: z.literal("event_callback"),
  event_id: id,
  event_time: z.number(),
  authorizations: z.array(z.object({ ...place, is_enterprise_install: z.boolean().nullish() })).nullish(),
  event: z.discriminatedUnion("type", [
    mention,
    z.object({ type: z.literal("app_home_opened"), user: id, tab: text.optional() }),
    z.object({ type: z.literal("app_uninstalled") }),
    z.object({ type: z.literal("tokens_revoked"), tokens: z.object({ bot: z.array(id).nullish() }) }),
  ]),
});

const EVENTS = new Set<unknown>(["app_mention", "app_home_opened", "app_uninstalled", "tokens_revoked"]);

type Body = Record<string, unknown>;

/** Parses a request without unknown members, which could mislead Bolt; undefined for types that aren't handled. */
export function readSlackRequest(body: unknown): Body | undefined {
  if (!isObject(body)) throw new MalformedRequestError(`expected an object, received ${kindOf(body)}`);
  const { type, event } = body;
  // A command has no type.
  if (type === undefined) return parsed(command, body);
  // Slack reports closed windows only to apps that request it.
  if (type === "view_closed") return undefined;
  if (type !== "event_callback") return parsed(interactions, body);
  return isObject(event) && typeof event.type === "string" && !EVENTS.has(event.type)
    ? undefined
    : parsed(events, body);
}

/** Validates a body. The error names the member and the problem, never its value, which may be a secret. */
function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const { data, error } = schema.safeParse(body);
  if (!error) return data;
  const [issue] = error.issues;
  const path = issue?.path.map(String).join(".").slice(0, LONGEST_PATH) ?? "";
  throw new MalformedRequestError(`${path}: ${issue?.code ?? "invalid"}`);
}

// A member's name may have any length.
const LONGEST_PATH = 200;

/** Whether a value is an object, and neither null nor an array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "a list" : typeof value);

/** The workspace that a request is for, or the organization that installed the bot for all of its workspaces. */
export function servedIn(context: Pick<Context, "teamId" | "enterpriseId" | "isEnterpriseInstall">): Served {
  // Slack sends null for a workspace without an organization, and Bolt passes it on.
  const enterpriseId = context.enterpriseId ?? undefined;
  return { teamId: context.teamId ?? enterpriseId ?? "", enterpriseId, isOrgWide: context.isEnterpriseInstall };
}

/** Reads the control that was used, and its value. */
export function usedIn(body: BlockAction): UsedControl {
  const [pressed] = body.actions;
  const { view } = body;
  const messageTs: unknown = body.message?.ts ?? body.container.message_ts;
  return {
    value: valueIn(pressed) ?? "",
    messageTs: typeof messageTs === "string" ? messageTs : undefined,
    view: view && { id: view.id, kept: readKept(view.private_metadata), isHome: view.type === "home" },
  };
}

function valueIn(pressed: BlockElementAction | undefined): string | undefined {
  if (pressed?.type === "button") return pressed.value;
  const hasOption = pressed?.type === "static_select" || pressed?.type === "overflow";
  return hasOption ? pressed.selected_option?.value : undefined;
}

type From = Omit<RequestSource, "slack" | "via" | keyof Served>;

/** The person who typed a command, and where. */
export const commandFrom = (command: SlashCommand): From => ({
  claimedTeamId: command.team_id,
  userId: command.user_id,
  channelId: command.channel_id,
  responseUrl: command.response_url,
  triggerId: command.trigger_id,
  prefix: command.command,
});

/** A window has no channel: it keeps the one that it was opened from. */
export function actionFrom(body: BlockAction, { view }: UsedControl): From {
  return {
    ...personFrom(body),
    channelId: body.channel?.id ?? view?.kept.channelId,
    threadTs: threadIn(body.container, body.message) ?? view?.kept.threadTs,
    responseUrl: body.response_url ?? view?.kept.responseUrl,
    triggerId: body.trigger_id,
    prefix: view?.kept.prefix,
  };
}

/** A shortcut's person and, if it was used on a message, the message and its place. */
export function shortcutFrom(shortcut: SlackShortcut): From & { readonly message: UsedMessage | undefined } {
  const from = { ...personFrom(shortcut), triggerId: shortcut.trigger_id };
  if (shortcut.type !== "message_action") return { ...from, channelId: undefined, message: undefined };
  const { channel, message, response_url: responseUrl } = shortcut;
  return {
    ...from,
    channelId: channel.id,
    threadTs: threadIn(message),
    responseUrl,
    message: {
      ts: message.ts,
      text: message.text ?? "",
      blocks: message.blocks ?? [],
      attachments: message.attachments ?? [],
    },
  };
}

/** A message that mentions the bot, and its place. */
export interface Mention extends From {
  readonly channelId: string;
  /** In Slack's markup. */
  readonly text: string;
  readonly ts: string;
}

// Messages that people write: with a file, and in a thread and its channel at once.
const OF_PEOPLE = new Set(["file_share", "thread_broadcast"]);

/** Reads a person's mention of the bot; undefined if a bot or Slack wrote the message. */
export function mentionFrom(event: AppMentionEvent): Mention | undefined {
  const { subtype, bot_id: botId, user, channel, text, ts } = event;
  // Slack may send null for members that don't apply.
  if (!user || botId || (subtype && !OF_PEOPLE.has(subtype))) return undefined;
  return {
    userId: user,
    claimedTeamId: event.user_team ?? event.team ?? undefined,
    channelId: channel,
    threadTs: event.thread_ts ?? undefined,
    text: text ?? "",
    ts,
  };
}

/** Where the answer to a submitted window goes: the conversation chosen in it, or the one that it was opened from. */
export function answerPlace(
  { response_urls: chosen }: Pick<ViewSubmitAction, "response_urls">,
  { channelId, threadTs, responseUrl }: KeptData,
): Pick<From, "channelId" | "threadTs" | "responseUrl"> {
  const [place] = chosen ?? [];
  return place
    ? { channelId: place.channel_id, responseUrl: place.response_url }
    : { channelId, threadTs, responseUrl };
}

/** The thread that a message is in; undefined if it is in the channel itself, where it may have begun a thread. */
function threadIn(...named: readonly unknown[]): string | undefined {
  const [container, message] = named.filter(isObject);
  const ts = container?.message_ts ?? container?.ts;
  const threadTs = container?.thread_ts ?? message?.thread_ts;
  return typeof threadTs === "string" && threadTs !== ts ? threadTs : undefined;
}

/** The person, and their workspace according to Slack. */
export function personFrom({ user }: { user: { id: string; team_id?: string | undefined } }) {
  // Slack may send null instead of a workspace.
  return { userId: user.id, claimedTeamId: user.team_id ?? undefined };
}

// Slack turns typed text into references in angle brackets, and three characters into entities.
const REFERENCE = /<([#@!]?)([^<>|]*)(?:\|([^<>]*))?>/g;
const ENTITY = /&(amp|lt|gt);/g;
const signs: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">" };

const keptSigns = { channels: "#", people: "@" } as const;

/** Restores the text that a person typed: Slack sends `status&gt;=400` for `status>=400`. */
export function undoEscapes(text: string): string {
  // Most texts have none, and are acknowledged sooner if the command is not looked up.
  const spec = text.includes("<") ? language.commandNamed(text) : undefined;
  const kept = spec?.keepsReferences && keptSigns[spec.keepsReferences];
  return text
    .replace(REFERENCE, (reference, kind: string, target: string, label: string | undefined) =>
      kind === kept ? reference : textTyped(kind, target, label),
    )
    .replace(ENTITY, (_, name: string) => signs[name] ?? "");
}

function textTyped(kind: string, target: string, label: string | undefined): string {
  if (kind === "!") return label ?? target;
  // A Slack channel in all other commands means the media channel of that name. Private channels have no label.
  if (kind !== "") return label || target;
  // Slack turns text such as lobby@demo.example into a link; the label is the typed text.
  return label ?? target.replace(/^mailto:/, "");
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const EVENTS_PATH = "/slack/events";
const MAX_CONNECTIONS = 2000;
// Slack's largest window is smaller, even form-encoded with nine bytes per letter.
const MAX_BODY_BYTES = 4 * 1024 * 1024;
// Slack gives up after 3 s; a client that takes longer to send a request or read its answer is disconnected.
const HANG_UP_MS = 4000;
// The retry policy for opening a new socket: until it succeeds.
const KEEP_TRYING = { forever: true, unref: true, minTimeout: 500, maxTimeout: 30_000, factor: 1.5 };

/** Receives requests of Slack, by HTTP or a socket, browsers and health checks; `fault` says why none is answered. */
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

/** Receives Slack's signed requests. In Bolt's own receiver, a signed `payload=null` would end the process. */
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
