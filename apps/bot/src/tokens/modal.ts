import { tokenDefaults } from "@media-ops/commands";
import type { SlackBlock } from "@media-ops/formatters/slack";
import type { InputBlock, PlainTextOption } from "@slack/types";
import { tellLength } from "../policy/lengths.js";
import { type Role, roles } from "../policy/policy.js";
import { plain, plainSection } from "../slack/sections.js";
import type { Modal } from "../slack/views.js";
import { type Allowed, anyOf, lengthsIn } from "./choices.js";

export const TOKEN_FORM = "token";
export const TITLE = "Access token";

/** What the window asks for; the ids of its blocks. */
export const fields = {
  project: "project",
  channel: "channel",
  role: "role",
  lifetime: "lifetime",
  limit: "limit",
  start: "start",
  reason: "reason",
} as const;

export const MOST_CONNECTIONS = 5000;
/** A reason is a sentence or two. */
const LONGEST_REASON = 300;
/** As the media server takes it, with the project's name. */
const LONGEST_CHANNEL = 255;
/** What a menu takes. */
const MOST_OPTIONS = 100;
const LONGEST_OPTION = 75;
const LONGEST_VALUE = 150;

export interface TokenModalOptions {
  /** What may be made, by project; only those for which something may be. */
  allowed: Readonly<Record<string, Allowed>>;
  /** The project that is meant where nothing is said. */
  project: string | undefined;
  timeZone: string;
  maxAheadMs: number;
  /** What the window keeps. */
  keep: string;
}

/** The window that asks for all that a token may say. Nothing can be chosen that the person may not make anywhere. */
export function tokenModal({ allowed, project, timeZone, maxAheadMs, keep }: TokenModalOptions): Modal {
  const projects = Object.keys(allowed);
  const all = anyOf(Object.values(allowed));
  const lengths = lengthsIn(all);
  const blocks: SlackBlock[] = [
    plainSection(
      `${projects.length === 1 ? `For the project ${projects[0]}. ` : ""}The token is shown to you alone, once.`,
    ),
    ...(projects.length > 1 ? [projectInput(projects, project)] : []),
    input(fields.channel, "Channel", {
      element: { type: "plain_text_input", max_length: LONGEST_CHANNEL, placeholder: plain("lobby") },
      hint: "Empty means every channel of the project.",
      optional: true,
    }),
    select(
      fields.role,
      "Role",
      roles.flatMap((role) => roleOption(role, all[role])),
      tokenDefaults.role,
    ),
    select(
      fields.lifetime,
      "Lifetime",
      lengths.map((ms) => ({ text: plain(tellLength(ms)), value: String(ms) })),
      String(lengths.filter((ms) => ms <= tokenDefaults.forMs).at(-1)),
    ),
    input(fields.limit, "Limit of connections", {
      element: { type: "number_input", is_decimal_allowed: false, min_value: "0", max_value: String(MOST_CONNECTIONS) },
      hint: "Nobody is let in while the channel has this many. Empty means no limit.",
      optional: true,
    }),
    ...(maxAheadMs > 0 ? [startInput(timeZone, maxAheadMs)] : []),
    input(fields.reason, "Reason", {
      element: { type: "plain_text_input", max_length: LONGEST_REASON },
      hint: "Why, for those who look after tokens.",
      optional: true,
    }),
  ];
  return { title: TITLE, blocks, callbackId: TOKEN_FORM, submit: "Make the token", close: "Cancel", keep };
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
    { text: plain(`${role}: ${abouts[role]}`), value: role, description: plain(`for up to ${tellLength(mostMs)}`) },
  ];
}

function projectInput(projects: readonly string[], meant: string | undefined): InputBlock {
  const options = projects
    .filter((project) => project.length <= LONGEST_VALUE)
    // The one that is meant must be among those that fit.
    .sort((a, b) => Number(b === meant) - Number(a === meant))
    .slice(0, MOST_OPTIONS)
    .map((project) => ({ text: plain(shorten(project)), value: project }));
  return select(fields.project, "Project", options, meant);
}

function startInput(timeZone: string, maxAheadMs: number): InputBlock {
  return input(fields.start, "Start", {
    element: { type: "datetimepicker" },
    hint: `In your own time zone, ${timeZone}; at most ${tellLength(maxAheadMs)} ahead. Empty means at once.`,
    optional: true,
  });
}

function select(id: string, label: string, options: PlainTextOption[], initial: string | undefined): InputBlock {
  // Nobody need choose where there is no choice.
  const initial_option = options.find(({ value }) => value === initial || options.length === 1);
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

const shorten = (text: string): string =>
  text.length <= LONGEST_OPTION ? text : `${text.slice(0, LONGEST_OPTION - 1)}…`;
