import { tokenDefaults } from "@media-ops/commands";
import type { SlackBlock } from "@media-ops/formatters/slack";
import type { InputBlock, NumberInput, PlainTextOption } from "@slack/types";
import * as z from "zod";
import { auditChannelOf } from "../audit/audited.js";
import { type CommandNamed, formatLength } from "../language.js";
import { type Allowed, allowedFor, anyOf, isApprovalPossible, lengthsIn, type Role, roles } from "../policy/policy.js";
import { openFilled } from "../problem.js";
import { nothingConnected, type ProjectOverview, projectInput, projectOverview } from "../projects/open-project.js";
import { typed } from "../projects/words.js";
import {
  type Actions,
  type Faults,
  type Forms,
  keep,
  onlyFaults,
  type Request,
  type SentForm,
  type Shortcuts,
} from "../request.js";
import { type Draft, mrkdwnSection, optionOf, plain, plainSection, Refused } from "../slack/answer.js";
import { input, type Modal, select, textInput } from "../slack/views.js";
import {
  CHOOSE_TOKEN,
  channelFault,
  type DesiredToken,
  HIDE,
  LONGEST_REASON,
  mint,
  readDesired,
  refusalText,
} from "./mint.js";

export const TOKEN_FORM = "token";
const TITLE = "Access token";

/** Creates the described token; without any arguments, a window requests them. */
export async function token(command: CommandNamed<"token">, request: Request): Promise<Draft | undefined> {
  const { name: _name, ...wanted } = command;
  if (Object.keys(wanted).length > 0) return mint({ command }, request);
  await openTokenModal(request);
  return undefined;
}

export const tokenActions: Actions = {
  [CHOOSE_TOKEN]: {
    isUrgent: true,
    run: (request, { value }) => openTokenModal(request, readDesired(value, request.now())),
  },
  [HIDE]: { run: ({ answer }) => answer.remove() },
};

export const tokenForms: Forms = {
  [TOKEN_FORM]: {
    faults: tokenFaults,
    async run(request, sent) {
      await request.answer.say(await mint(desiredIn(sent), request));
    },
  },
};

export const tokenShortcuts: Shortcuts = { media_token: (request) => openTokenModal(request) };

/** Opens the window at once, and fills it after Slack has identified the person: with the refused request, if any. */
async function openTokenModal(request: Request, desired?: DesiredToken): Promise<void> {
  const overview = await projectOverview(request);
  if (overview.connections.length === 0) throw new Refused(await nothingConnected(request));
  await openFilled(TITLE, request, () => modalFor(overview, request, desired));
}

async function modalFor(
  { connections, here }: ProjectOverview,
  request: Request,
  desired?: DesiredToken,
): Promise<Modal> {
  const { policy } = request.config;
  const { timeZone } = request;
  const member = await request.member();
  const names = connections.map(({ projectId }) => projectId);
  const allowed = Object.fromEntries(
    names.map((name) => [name, allowedFor(policy, member, name)] as const).filter(([, some]) => isAnything(some)),
  );
  if (!isAnything(allowed)) {
    const [only] = names;
    const reason = `You may not make tokens for ${names.length === 1 ? `the project ${only}` : "any project"}.`;
    const canAsk = isApprovalPossible(policy, auditChannelOf(request.config, request.teamId));
    const hint = `Type what you need, such as ${typed(request.prefix, "token lobby for:10m")}, to ask for approval.`;
    const words = refusalText({ reason, ask: policy.ask }, member);
    return { title: TITLE, blocks: [mrkdwnSection(words), ...(canAsk ? [mrkdwnSection(hint)] : [])] };
  }
  const { maxAheadMs } = policy;
  const { id, max } = desired?.command ?? {};
  const kept = keep(request, keepable({ allowed, maxAheadMs, id, askedLimit: max }));
  const project = desired?.command.in ?? here?.projectId;
  return tokenModal({ allowed, project, desired, timeZone, maxAheadMs, keep: kept });
}

const isAnything = (some: object): boolean => Object.keys(some).length > 0;

/** The media server's limit, including the project's name. */
const LONGEST_CHANNEL = 255;

interface TokenWindow {
  /** What the person may create, by project; projects without permission are left out. */
  readonly allowed: Readonly<Record<string, Allowed>>;
  readonly project: string | undefined;
  /** The token that was requested before: fills the window as far as it is allowed. */
  readonly desired?: DesiredToken | undefined;
  readonly timeZone: string;
  readonly maxAheadMs: number;
  readonly keep: string;
}

/** The window of a token: offers only what the person may create, and presets nothing beyond the request. */
export function tokenModal({ allowed, project, desired, timeZone, maxAheadMs, keep }: TokenWindow): Modal {
  const projects = Object.keys(allowed);
  const all = anyOf(Object.values(allowed));
  const here = (project === undefined ? undefined : allowed[project]) ?? all;
  const { channel, max, starting } = desired?.command ?? {};
  const role = initialRole(desired, here);
  const lifetimes = lifetimesFor(desired, all, role === undefined ? undefined : here[role]);
  const blocks: SlackBlock[] = [
    plainSection(introduction(projects, desired)),
    ...(projects.length > 1 ? [projectInput(projects, project)] : []),
    textInput("channel", "Channel", {
      longest: LONGEST_CHANNEL,
      value: channel !== undefined && channel.length <= LONGEST_CHANNEL ? channel : undefined,
      hint: "The name of the channel, such as lobby.",
      optional: true,
    }),
    box("every", "Every channel", "The token is good for every channel of the project"),
    select(
      "role",
      "Role",
      roles.flatMap((role) => roleOption(role, all[role])),
      role,
    ),
    select(
      "lifetime",
      "Lifetime",
      lifetimes.lengths.map((ms) => optionOf(String(ms), formatLength(ms))),
      String(lifetimes.initial),
    ),
    input("limit", "Limit of connections", limitElement(max), {
      hint: "No connection is admitted while the channel has this many. Empty means no limit.",
      optional: true,
    }),
    ...(max === undefined ? [] : [box("unlimited", "No limit", "Any number of connections is admitted")]),
    // A forbidden start must stay visible: without the field, the token would start earlier than requested.
    ...(maxAheadMs > 0 || starting !== undefined ? [startInput(timeZone, maxAheadMs, starting)] : []),
    textInput("reason", "Reason", {
      longest: LONGEST_REASON,
      value: desired?.reason?.slice(0, LONGEST_REASON),
      hint: "Why you need it; the audit channel shows it.",
      optional: true,
    }),
  ];
  return { title: TITLE, blocks, callbackId: TOKEN_FORM, submit: "Make the token", close: "Cancel", keep };
}

const limitElement = (initial: number | undefined): NumberInput => ({
  type: "number_input",
  is_decimal_allowed: false,
  min_value: "0",
  max_value: String(MOST_CONNECTIONS),
  ...(initial !== undefined && { initial_value: String(Math.min(initial, MOST_CONNECTIONS)) }),
});

function introduction(projects: readonly string[], desired: DesiredToken | undefined): string {
  const asked = desired?.command.in;
  const isOther = asked !== undefined && !projects.includes(asked);
  return [
    ...(isOther ? [`You may not make tokens for the project ${asked}.`] : []),
    ...(projects.length === 1 ? [`For the project ${projects[0]}.`] : []),
    "The token is shown to you alone, once.",
  ].join(" ");
}

const narrower: Readonly<Record<Role, readonly Role[]>> = {
  recvonly: [],
  sendonly: [],
  sendrecv: ["recvonly", "sendonly"],
  any: ["recvonly", "sendonly", "sendrecv"],
};

/** The requested role; if it is not allowed, one that allows less; none if all others allow more. */
function initialRole(desired: DesiredToken | undefined, allowed: Allowed): Role | undefined {
  const wanted = desired?.command.role ?? tokenDefaults.role;
  const initial = [wanted, ...narrower[wanted]].find((role) => allowed[role] !== undefined);
  if (initial !== undefined || desired) return initial;
  // With no request and a single role, that role is preselected.
  const [only, second] = roles.filter((role) => allowed[role] !== undefined);
  return second === undefined ? only : undefined;
}

function lifetimesFor(desired: DesiredToken | undefined, all: Allowed, mostMs = Number.POSITIVE_INFINITY) {
  const { forMs } = desired?.command ?? {};
  // A token's times are whole seconds.
  const asked = forMs === undefined ? undefined : Math.floor(forMs / 1000) * 1000;
  const offered = lengthsIn(all);
  const longest = Math.max(0, ...offered);
  const lengths = [...new Set([...offered, ...(asked !== undefined && asked <= longest ? [asked] : [])])].sort(
    (a, b) => a - b,
  );
  const most = Math.min(asked ?? tokenDefaults.forMs, mostMs);
  return { lengths, initial: lengths.filter((ms) => ms <= most).at(-1) };
}

const abouts: Readonly<Record<Role, string>> = {
  recvonly: "may only receive",
  sendonly: "may only send",
  sendrecv: "may send and receive",
  any: "is bound to no role",
};

function roleOption(role: Role, mostMs: number | undefined): PlainTextOption[] {
  if (mostMs === undefined) return [];
  return [{ ...optionOf(role, `${role}: ${abouts[role]}`), description: plain(`for up to ${formatLength(mostMs)}`) }];
}

function startInput(timeZone: string, maxAheadMs: number, starting: number | undefined): InputBlock {
  const inRange = (seconds: number): number => Math.min(Math.max(seconds, EARLIEST_START), LATEST_START);
  const element = {
    type: "datetimepicker",
    ...(starting !== undefined && { initial_date_time: inRange(Math.floor(starting / 1000)) }),
  } as const;
  return input("start", "Start", element, {
    hint: `In your time zone, ${timeZone}; at most ${formatLength(maxAheadMs)} ahead. Empty means now.`,
    optional: true,
  });
}

// Slack's date picker accepts times of ten digits.
const EARLIEST_START = 1_000_000_000;
const LATEST_START = 9_999_999_999;

function box(id: string, label: string, text: string): InputBlock {
  return input(id, label, { type: "checkboxes", options: [optionOf(id, text)] }, { optional: true });
}

/** The largest connection limit that the window accepts. */
const MOST_CONNECTIONS = 5000;
const MINUTE_MS = 60_000;
/** A window keeps at most 3000 characters, including where it was opened from. */
const MOST_KEPT = 2000;

const kept = z.object({
  allowed: z.record(z.string(), z.partialRecord(z.enum(roles), z.number())).catch({}),
  maxAheadMs: z.number().catch(Number.POSITIVE_INFINITY),
  /** The token's own id, if the request had one. */
  id: z.string().optional().catch(undefined),
  /** The connection limit that was requested before; clearing it must be deliberate. */
  askedLimit: z.number().optional().catch(undefined),
});

type TokenKept = z.infer<typeof kept>;

/** Drops the permissions if they are too long; they are then checked when the token is created. */
export function keepable({ allowed, ...rest }: TokenKept): Readonly<Record<string, unknown>> {
  return JSON.stringify(allowed).length <= MOST_KEPT ? { allowed, ...rest } : rest;
}

/** The faults of a submitted window, by field; undefined if there are none. */
export function tokenFaults({ values, kept: window }: SentForm, now: number): Faults | undefined {
  const { allowed, maxAheadMs, askedLimit } = kept.parse(window);
  const project = projectIn(values, allowed);
  const { role, channel, lifetime, limit, start } = values;
  const isEvery = values.every !== undefined;
  const isUnlimited = values.unlimited !== undefined;
  const forRole = project === undefined ? undefined : allowed[project];
  const mostMs = roles.flatMap((known) => (known === role ? [forRole?.[known]] : []))[0];
  return onlyFaults({
    channel:
      emptyFault(channel, isEvery, EMPTY_CHANNEL) ??
      (channel === undefined || project === undefined ? undefined : channelFault(channel, project)),
    role:
      forRole && mostMs === undefined
        ? `You may not make tokens with this role for the project ${project}.`
        : undefined,
    lifetime:
      mostMs !== undefined && Number(lifetime) > mostMs
        ? `With this role, at most ${formatLength(mostMs)}.`
        : undefined,
    limit:
      (askedLimit === undefined ? undefined : emptyFault(limit, isUnlimited, emptyLimit(askedLimit))) ??
      (limit === undefined ? undefined : limitFault(limit)),
    start: start === undefined ? undefined : startFault(Number(start) * 1000, { now, maxAheadMs }),
  });
}

/** The token that a submitted window describes. */
export function desiredIn({ values, kept: window }: SentForm): DesiredToken {
  const { channel, lifetime, limit, start, reason } = values;
  const { allowed, id } = kept.parse(window);
  const project = projectIn(values, allowed);
  const role = roles.find((known) => known === values.role);
  return {
    command: {
      name: "token",
      ...(channel !== undefined && { channel }),
      ...(role !== undefined && { role }),
      ...(lifetime !== undefined && { forMs: Number(lifetime) }),
      ...(limit !== undefined && { max: Number(limit) }),
      ...(start !== undefined && { starting: Number(start) * 1000 }),
      ...(id !== undefined && { id }),
      ...(project !== undefined && { in: project }),
    },
    reason,
  };
}

function projectIn(values: SentForm["values"], allowed: TokenKept["allowed"]): string | undefined {
  const projects = Object.keys(allowed);
  return values.project ?? (projects.length === 1 ? projects[0] : undefined);
}

/** An empty field allows more than any entry, so the person must confirm it. */
function emptyFault(entry: string | undefined, isTicked: boolean, question: string): string | undefined {
  if (entry === undefined) return isTicked ? undefined : question;
  return isTicked ? BOTH : undefined;
}

const EMPTY_CHANNEL = "Name a channel, such as lobby, or tick the box below for every channel.";
const emptyLimit = (asked: number): string =>
  `You asked for a limit of ${asked}. Enter a number, or tick the box below for no limit.`;
const BOTH = "Fill this in or tick the box below, not both.";

const limitFault = (limit: string): string | undefined =>
  /^\d{1,4}$/.test(limit) && Number(limit) <= MOST_CONNECTIONS
    ? undefined
    : `Enter a whole number from 0 to ${MOST_CONNECTIONS}.`;

function startFault(start: number, { now, maxAheadMs }: { now: number; maxAheadMs: number }): string | undefined {
  // The window's clock has no seconds, so the current minute counts as now.
  if (start <= now - MINUTE_MS) return "This time has passed. Leave it empty to start now.";
  return start - now > maxAheadMs ? `At most ${formatLength(maxAheadMs)} ahead.` : undefined;
}
