import type {
  BlockAction,
  BlockElementAction,
  Context,
  SlackShortcut,
  SlashCommand,
  ViewSubmitAction,
} from "@slack/bolt";
import type { AppMentionEvent } from "@slack/types";
import * as z from "zod";
import { type KeptData, readKept, type UsedControl, type UsedMessage } from "../features.js";
import { language } from "../language.js";
import type { RequestSource } from "../request.js";
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

/**
 * Parses a request from Slack; undefined if the bot does not handle it, such as an event of another type. Unknown
 * members are removed, so that Bolt can't mistake a request for one of another kind.
 *
 * @throws {MalformedRequestError} if a member is missing or has the wrong type.
 */
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
  const { keepsReferences } = language.commandNamed(text) ?? {};
  const kept = keepsReferences && keptSigns[keepsReferences];
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
