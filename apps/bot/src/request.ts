import type { Vault } from "@media-ops/secrets";
import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import type { RequestStore } from "./approvals/request-store.js";
import type { AuditLog, Via } from "./audit/audit-log.js";
import type { Config } from "./config.js";
import type { Clients, Connections, ReadBudget, ServiceCaller } from "./connections/connections.js";
import { groupsIn, type Member, mayUseBot } from "./policy/policy.js";
import { whoConnects } from "./projects/words.js";
import { type Answer, type AnswerPlace, createAnswer, mrkdwnMessage, Refused } from "./slack/answer.js";
import { affiliationOf, isAdminOf, isFromElsewhere, type People, type Served, timeZoneOf } from "./slack/people.js";
import { type Modal, openModal, waitingModal } from "./slack/views.js";
import type { Mintings, Questions } from "./storage/records.js";
import type { WatchStore } from "./watches/watch-store.js";
import type { Claims, Jobs } from "./work/jobs.js";

/** A control that was used in a message, a window or the app home. */
export interface UsedControl {
  readonly value: string;
  readonly messageTs: string | undefined;
  /** The window or app home that contains the control, with its kept data. */
  readonly view: { readonly id: string; readonly kept: KeptData; readonly isHome: boolean } | undefined;
}

/** The data that a window keeps, never a secret: the conversation that it was opened from, and its feature's data. */
export interface KeptData {
  readonly channelId?: string | undefined;
  readonly threadTs?: string | undefined;
  readonly responseUrl?: string | undefined;
  readonly prefix?: string | undefined;
  readonly [more: string]: unknown;
}

/** The behaviour of a control. */
export interface Action {
  /** Whether the action opens a window, which Slack allows for 3 s. @default false */
  readonly isUrgent?: boolean | ((used: UsedControl, now: number) => boolean);
  /** How long a second press counts as a repeat. @default 2 s: a double click */
  readonly onceForMs?: number;
  run(request: Request, used: UsedControl): Promise<void>;
  /** Records that the action did not begin: the press was sent again, or the bot does not serve the person. */
  refused?(request: IncomingRequest, used: UsedControl, why: string): Promise<void>;
}

/** A second press within this time is a double click: for what people would notice twice, such as a file. */
export const ONCE_MS = 10_000;

/** Actions by the part of their `action_id` before a colon; the rest makes the id unique in a message. */
export type Actions = Readonly<Record<string, Action>>;

/** A window that was submitted. */
export interface SentForm {
  /** What was entered or chosen, by the id of its block; undefined if empty. A ticked box has its option's value. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly kept: KeptData;
  readonly viewId: string;
}

/** The faults of a window's fields, by the id of their block. */
export type Faults = Readonly<Record<string, string>>;

/** The behaviour of a window when it is submitted. */
export interface Form {
  /** The field for a key. A key in any other field is refused. @default none */
  readonly secretField?: string;
  /** Synchronous, because Slack waits for them. */
  faults?(sent: SentForm, now: number): Faults | undefined;
  /** The window's content until the work is done. @default none: the window closes */
  meanwhile?: Modal;
  run(request: Request, sent: SentForm): Promise<void>;
  /** As in {@link Action}. */
  refused?(request: IncomingRequest, sent: SentForm, why: string): Promise<void>;
}

/** Windows by their `callback_id`. */
export type Forms = Readonly<Record<string, Form>>;

/** A message that a shortcut was used on. Its content may be anything. */
export interface UsedMessage {
  readonly ts: string;
  /** In Slack's markup. */
  readonly text: string;
  readonly blocks: readonly unknown[];
  readonly attachments: readonly unknown[];
}

/** Shortcuts by their `callback_id`. The message is undefined for global ones. */
export type Shortcuts = Readonly<Record<string, (request: Request, message?: UsedMessage) => Promise<void>>>;

/** The faults that are not undefined; undefined if there are none. */
export function onlyFaults(faults: Readonly<Record<string, string | undefined>>): Faults | undefined {
  const found = Object.entries(faults).flatMap(([field, fault]) => (fault === undefined ? [] : [[field, fault]]));
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** Serializes the data that a window opened by this request keeps. */
export function keep(request: Request, more: Readonly<Record<string, unknown>> = {}): string {
  const { channelId, prefix } = request;
  const { threadTs, responseUrl } = request.answer;
  return JSON.stringify({ channelId, threadTs, responseUrl, prefix, ...more } satisfies KeptData);
}

/** Parses the output of {@link keep}; returns no data for any other text. */
export function readKept(text: string): KeptData {
  const value = jsonIn(text);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Parses JSON; undefined for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The stores, clients and limits that the whole bot shares. */
export interface BotParts {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly connections: Connections;
  readonly clients: Clients;
  readonly reads: ReadBudget;
  readonly mintings: Mintings;
  readonly audit: AuditLog;
  readonly approvals: RequestStore;
  readonly claims: Claims;
  readonly people: People;
  readonly watches: WatchStore;
  readonly questions: Questions;
  readonly vault: Vault;
  readonly jobs: Jobs;
}

/** The origin of a request, as read from Slack's body. */
export interface RequestSource extends Served, AnswerPlace {
  readonly via: Via;
  /** The conversation; undefined in the app home and for shortcuts. */
  readonly channelId: string | undefined;
  /** Slack's client with this workspace's bot token. */
  readonly slack: WebClient;
  readonly claimedTeamId?: string | undefined;
  readonly triggerId?: string | undefined;
  readonly prefix?: string | undefined;
}

/** The context for work in a workspace, with or without a person. */
export interface WorkspaceContext extends BotParts, ServiceCaller, Pick<RequestSource, "teamId" | "slack"> {
  readonly served: Served;
}

/** A person's request that has been acknowledged, before the person is identified. */
export interface IncomingRequest extends WorkspaceContext, Pick<RequestSource, "userId" | "channelId" | "via"> {
  readonly answer: Answer;
  /** Runs a task that no caller awaits; the bot finishes it before it stops. */
  later(task: () => Promise<void>): void;
  /** Opens a waiting window within 3 s of the request, and returns its id. Further calls return the same id. */
  openWindow(title: string): Promise<string>;
  /** The command's name in this workspace, such as `/media`. */
  readonly prefix: string;
}

/** A request from a person that the bot serves. */
export interface Request extends IncomingRequest {
  readonly timeZone: string;
  member(): Promise<Member>;
}

/** Creates the context in which a request is answered. */
export function createRequest(
  parts: BotParts,
  source: RequestSource,
  { answerBy, aside }: Pick<ServiceCaller, "answerBy" | "aside">,
): IncomingRequest {
  const { slack, teamId, enterpriseId, isOrgWide, userId, via, channelId, triggerId = "", prefix = "/media" } = source;
  const log = parts.log.child({ teamId, userId });
  let window: Promise<string> | undefined;
  return {
    ...parts,
    log,
    slack,
    teamId,
    served: { teamId, enterpriseId, isOrgWide },
    userId,
    via,
    channelId,
    prefix,
    answer: createAnswer(slack, source, log),
    allowance: parts.reads.open(teamId),
    turnOf: userId,
    answerBy,
    aside,
    later: (task) => void parts.jobs.add(task),
    openWindow(title) {
      window ??= openModal(slack, triggerId, waitingModal(title));
      return window;
    },
  };
}

/** Admits members, and the guests that the policy names; throws {@link Refused} for everyone else. */
export async function admit(request: IncomingRequest, source: RequestSource): Promise<Request> {
  const { slack, teamId, userId, people, config, log } = request;
  const place = source.isOrgWide ? "organization" : "workspace";
  const outsider = new Refused(`Only members of the ${place} that this bot serves can use it.`);
  if (isFromElsewhere(source, source.claimedTeamId)) throw outsider;
  const { user, affiliation } = await identify(userId, request, source.claimedTeamId);
  if (!user) {
    log.warn({ affiliation }, "Refused a person whom the bot does not serve");
    throw outsider;
  }
  const isGuest = affiliation === "guest";
  const isAdmin = isAdminOf(user, source);
  const member = async (): Promise<Member> => {
    const groups = await people.groupsOf(slack, teamId, userId, groupsIn(config.policy));
    return { userId, isAdmin, isGuest, groups };
  };
  // Members need no lookup of their user groups.
  if (isGuest && !mayUseBot(config.policy, await member())) {
    throw new Refused(mrkdwnMessage(`${NOT_FOR_GUESTS} Ask ${whoConnects(config.policy)}.`));
  }
  return { ...request, timeZone: timeZoneOf(user), member };
}

/** A person as a policy sees them, by what Slack says now; undefined if the bot does not serve them. */
export async function memberNow(
  userId: string,
  request: IncomingRequest,
): Promise<(Member & { readonly timeZone: string }) | undefined> {
  const { slack, teamId, served, people, config } = request;
  const isFresh = true;
  const { user, affiliation } = await identify(userId, request, undefined, { isFresh });
  if (!user) return undefined;
  const groups = await people.groupsOf(slack, teamId, userId, groupsIn(config.policy), { isFresh });
  const member = { userId, isAdmin: isAdminOf(user, served), isGuest: affiliation === "guest", groups };
  return mayUseBot(config.policy, member) ? { ...member, timeZone: timeZoneOf(user) } : undefined;
}

/** A person's relation to the workspace, and what Slack says of them if they are a member or a guest. */
async function identify(
  userId: string,
  { slack, teamId, served, people, log }: IncomingRequest,
  claimedTeamId: string | undefined,
  options?: Parameters<People["of"]>[3],
) {
  const user = await people.of(slack, teamId, userId, options).catch((error: unknown) => {
    log.warn({ err: error }, "Slack did not say who a person is, so nothing was done");
    throw new Refused(UNKNOWN_PERSON);
  });
  const affiliation = user ? affiliationOf(user, served, claimedTeamId) : "outsider";
  return { affiliation, user: affiliation === "member" || affiliation === "guest" ? user : undefined };
}

const UNKNOWN_PERSON = "Slack doesn't say who you are, so nothing was done. Try again in a minute.";
const NOT_FOR_GUESTS = "Guests of this workspace can't use this bot unless its policy names them.";
