import { tokenDefaults } from "@media-ops/commands";
import type { SlackBlock } from "@media-ops/formatters/slack";
import type { InputBlock, NumberInput, PlainTextOption } from "@slack/types";
import { formatLength } from "../language.js";
import { type Allowed, anyOf, lengthsIn } from "../policy/decide.js";
import { type Role, roles } from "../policy/policy.js";
import { projectInput } from "../projects/open-project.js";
import { optionOf, plain, plainSection } from "../slack/blocks.js";
import { input, type Modal, select, textInput } from "../slack/views.js";
import { type DesiredToken, LONGEST_REASON, MOST_CONNECTIONS } from "./desired-token.js";

export const TOKEN_FORM = "token";
export const TITLE = "Access token";

/** The media server's limit, including the project's name. */
const LONGEST_CHANNEL = 255;

/**
 * The window with all properties of a token. It offers only what the person may create in some project, and preselects
 * nothing that allows more than the request.
 *
 * @param options.allowed What the person may create, by project; projects without permission are left out.
 * @param options.project The default project.
 * @param options.desired The token that was requested before; fills the window as far as it is allowed.
 */
export function tokenModal({
  allowed,
  project,
  desired,
  timeZone,
  maxAheadMs,
  keep,
}: {
  allowed: Readonly<Record<string, Allowed>>;
  project: string | undefined;
  desired?: DesiredToken | undefined;
  timeZone: string;
  maxAheadMs: number;
  keep: string;
}): Modal {
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

/** The roles that allow a part of another role. */
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

/** The lifetimes to offer, and the requested one or the longest allowed one below it. */
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
