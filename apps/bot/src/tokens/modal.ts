import { tokenDefaults } from "@media-ops/commands";
import type { SlackBlock } from "@media-ops/formatters/slack";
import type { InputBlock, PlainTextOption } from "@slack/types";
import { formatLength } from "../language.js";
import { type Allowed, anyOf, lengthsIn } from "../policy/decide.js";
import { type Role, roles } from "../policy/policy.js";
import { MAX_LABEL, plain, plainSection, shorten } from "../slack/blocks.js";
import type { Modal } from "../slack/views.js";
import type { DesiredToken } from "./desired-token.js";

export const TOKEN_FORM = "token";
export const TITLE = "Access token";

/** The fields of the window, by the ids of their blocks. */
export const fields = {
  project: "project",
  channel: "channel",
  every: "every",
  role: "role",
  lifetime: "lifetime",
  limit: "limit",
  unlimited: "unlimited",
  start: "start",
  reason: "reason",
} as const;

export const MOST_CONNECTIONS = 5000;
/** A reason is a sentence or two. */
const LONGEST_REASON = 300;
/** As the media server takes it, with the project's name. */
const LONGEST_CHANNEL = 255;
/** Slack's limits of a menu. */
const MOST_OPTIONS = 100;
const LONGEST_VALUE = 150;

export interface TokenModalOptions {
  /** What the person may make, by project; projects without permission are left out. */
  allowed: Readonly<Record<string, Allowed>>;
  /** The default project. */
  project: string | undefined;
  /** The token that was requested before; fills the window as far as it is allowed. @default nothing */
  desired?: DesiredToken | undefined;
  timeZone: string;
  maxAheadMs: number;
  /** The data that the window keeps. */
  keep: string;
}

/**
 * The window that asks for all that a token may say. It offers only what the person may make somewhere, and nothing is
 * chosen in it beforehand that allows more than was asked for.
 */
export function tokenModal({ allowed, project, desired, timeZone, maxAheadMs, keep }: TokenModalOptions): Modal {
  const projects = Object.keys(allowed);
  const all = anyOf(Object.values(allowed));
  const here = (project === undefined ? undefined : allowed[project]) ?? all;
  const { channel, max, starting } = desired?.command ?? {};
  const role = initialRole(desired, here);
  const lifetimes = lifetimesFor(desired, all, role === undefined ? undefined : here[role]);
  const blocks: SlackBlock[] = [
    plainSection(introduction(projects, desired)),
    ...(projects.length > 1 ? [projectInput(projects, project)] : []),
    input(fields.channel, "Channel", {
      element: {
        type: "plain_text_input",
        max_length: LONGEST_CHANNEL,
        ...(channel !== undefined && channel.length <= LONGEST_CHANNEL && { initial_value: channel }),
      },
      hint: "The name of the channel, such as lobby.",
      optional: true,
    }),
    box(fields.every, "Every channel", "The token is good for every channel of the project"),
    select(
      fields.role,
      "Role",
      roles.flatMap((role) => roleOption(role, all[role])),
      role,
    ),
    select(
      fields.lifetime,
      "Lifetime",
      lifetimes.lengths.map((ms) => ({ text: plain(formatLength(ms)), value: String(ms) })),
      String(lifetimes.initial),
    ),
    input(fields.limit, "Limit of connections", {
      element: {
        type: "number_input",
        is_decimal_allowed: false,
        min_value: "0",
        max_value: String(MOST_CONNECTIONS),
        ...(max !== undefined && { initial_value: String(Math.min(max, MOST_CONNECTIONS)) }),
      },
      hint: "No connection is admitted while the channel has this many. Empty means no limit.",
      optional: true,
    }),
    ...(max === undefined ? [] : [box(fields.unlimited, "No limit", "Any number of connections is admitted")]),
    // A start that is not allowed must be seen to be so: without it, the token would begin earlier than asked.
    ...(maxAheadMs > 0 || starting !== undefined ? [startInput(timeZone, maxAheadMs, starting)] : []),
    input(fields.reason, "Reason", {
      element: {
        type: "plain_text_input",
        max_length: LONGEST_REASON,
        ...(desired?.reason !== undefined && { initial_value: desired.reason.slice(0, LONGEST_REASON) }),
      },
      hint: "Why you need it; the audit channel shows it.",
      optional: true,
    }),
  ];
  return { title: TITLE, blocks, callbackId: TOKEN_FORM, submit: "Make the token", close: "Cancel", keep };
}

function introduction(projects: readonly string[], desired: DesiredToken | undefined): string {
  const asked = desired?.command.in;
  const isOther = asked !== undefined && !projects.includes(asked);
  return [
    ...(isOther ? [`You may not make tokens for the project ${asked}.`] : []),
    ...(projects.length === 1 ? [`For the project ${projects[0]}.`] : []),
    "The token is shown to you alone, once.",
  ].join(" ");
}

/** The roles that allow a part of what a role allows. */
const narrower: Readonly<Record<Role, readonly Role[]>> = {
  recvonly: [],
  sendonly: [],
  sendrecv: ["recvonly", "sendonly"],
  any: ["recvonly", "sendonly", "sendrecv"],
};

/** The role that was asked for; if it is not allowed, one that allows less; none if all others allow more. */
function initialRole(desired: DesiredToken | undefined, allowed: Allowed): Role | undefined {
  const wanted = desired?.command.role ?? tokenDefaults.role;
  const initial = [wanted, ...narrower[wanted]].find((role) => allowed[role] !== undefined);
  if (initial !== undefined || desired) return initial;
  // If nothing was requested yet and there is one role, it is preselected.
  const [only, second] = roles.filter((role) => allowed[role] !== undefined);
  return second === undefined ? only : undefined;
}

/** The lifetimes to choose from, and the requested one or the longest one below it that is allowed. */
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
  return [
    { text: plain(`${role}: ${abouts[role]}`), value: role, description: plain(`for up to ${formatLength(mostMs)}`) },
  ];
}

function projectInput(projects: readonly string[], meant: string | undefined): InputBlock {
  const options = projects
    .filter((project) => project.length <= LONGEST_VALUE)
    // The one that is meant must be among those that fit.
    .sort((a, b) => Number(b === meant) - Number(a === meant))
    .slice(0, MOST_OPTIONS)
    .map((project) => ({ text: plain(shorten(project, MAX_LABEL)), value: project }));
  return select(fields.project, "Project", options, meant);
}

function startInput(timeZone: string, maxAheadMs: number, starting: number | undefined): InputBlock {
  return input(fields.start, "Start", {
    element: {
      type: "datetimepicker",
      ...(starting !== undefined && {
        initial_date_time: Math.min(Math.max(Math.floor(starting / 1000), EARLIEST_START), LATEST_START),
      }),
    },
    hint: `In your time zone, ${timeZone}; at most ${formatLength(maxAheadMs)} ahead. Empty means now.`,
    optional: true,
  });
}

// Slack takes times of ten digits.
const EARLIEST_START = 1_000_000_000;
const LATEST_START = 9_999_999_999;

function box(id: string, label: string, text: string): InputBlock {
  const options: PlainTextOption[] = [{ text: plain(text), value: id }];
  return input(id, label, { element: { type: "checkboxes", options }, optional: true });
}

function select(id: string, label: string, options: PlainTextOption[], initial: string | undefined): InputBlock {
  const initial_option = options.find(({ value }) => value === initial);
  return input(id, label, { element: { type: "static_select", options, ...(initial_option && { initial_option }) } });
}

interface InputOptions {
  element: InputBlock["element"];
  hint?: string;
  optional?: boolean;
}

function input(id: string, label: string, { element, hint, optional = false }: InputOptions): InputBlock {
  return {
    type: "input",
    block_id: id,
    label: plain(label),
    element: { ...element, action_id: id },
    optional,
    ...(hint !== undefined && { hint: plain(hint) }),
  };
}
