import { formatOf, limitOf, roles, selectionOptions } from "./commands.js";
import { type AbsentCommand, type CommandOf, command, type ParameterSpec } from "./grammar.js";
import { EVERY_CHANNEL, flag, moment, oneOf, refused, text, understood, uuid, type ValueType } from "./values.js";
import { harmless, shorten, takes } from "./words.js";

/** A person or program on whose behalf something was requested. */
export type Person =
  /** The person who types the command. */
  | { readonly is: "me" }
  /** A person of Slack, by their user id. */
  | { readonly is: "slack"; readonly user: string }
  /** Anybody, as the service stores them: `slack:T0PLAY/U0ANN`, `cli:ann@laptop`. */
  | { readonly is: "named"; readonly name: string };

// Slack itself writes a mention as <@U0ANN|ann>.
const MENTION = /^<@([A-Z\d]{1,80})(?:\|[^<>]*)?>$/;
const VISIBLE = /^[ -~]{1,255}$/;

/** Who requested something: `me`, a mention in Slack, or a name as listings show it. */
const person: ValueType<Person> = {
  name: "person",
  example: "me",
  parse(typed, { subject }) {
    const name = typed.trim();
    if (/^(?:me|myself)$/i.test(name)) return understood({ is: "me" });
    const user = MENTION.exec(name)?.[1];
    if (user !== undefined) return understood({ is: "slack", user });
    if (VISIBLE.test(name) && !/^[@<]/.test(name)) return understood({ is: "named", name });
    const wanted = "me, a mention in Slack, or a name as lists show it, such as cli:ann@laptop";
    return refused(takes(subject, wanted, typed));
  },
  complete: () => [["me", "yourself"]],
  write(who) {
    if (who.is === "me") return "me";
    return who.is === "slack" ? `<@${who.user}>` : who.name;
  },
  describe(who) {
    if (who.is === "me") return "you";
    return who.is === "slack" ? `<@${who.user}>` : harmless(shorten(who.name, 80));
  },
};

const isCutUuid = (typed: string): boolean =>
  /^(?=.{20})[\da-f]+(?:-[\da-f]*){2,}$/i.test(typed) || /^[\da-f]{4,}[\da-f-]*…/i.test(typed);

/** The id of an access token: a UUID, or after its name what a program has chosen that signs tokens itself. */
const tokenId: ValueType<string> = {
  ...uuid,
  name: "token id",
  isNear: isCutUuid,
  parseNamed: (typed) => (typed.length > 255 || isCutUuid(typed) ? undefined : understood(typed)),
};

/** One channel's name; unlike for a new token, every channel cannot be meant. */
const oneChannel: ValueType<string> = {
  ...text({ name: "channel", example: "lobby" }),
  parse: (typed, { subject }) =>
    typed === EVERY_CHANNEL ? refused(takes(subject, "one channel, such as lobby", typed)) : understood(typed),
};

/** The id of a connection. */
const connectionId: ValueType<string> = {
  ...text({ name: "connection id", example: "0J9V6TQ2M4EXK7C3R8ZB5HW1NA" }),
  isNear: (typed) => /^[\dA-Z]{26}$|^[\dA-Z]{4,}…[\dA-Z]*$/.test(typed),
  // A shortened id may be that of several.
  parse(typed, { subject }) {
    if (!typed.includes("…")) return understood(typed);
    return refused(takes(subject, "a connection's whole id", typed));
  },
};

/** Whether an id has the form of the service's own ids of deliveries. Those of events come from the media server. */
export function isDeliveryId(id: string): boolean {
  return /^[\da-z]{19}$/.test(id);
}

const STATES = /^(?:failed|failing|failures?|waiting|pending|delivered|all|everything)$/i;

/** The id of a delivery, or of its event. */
const deliveryOrEventId: ValueType<string> = {
  ...text({ name: "delivery or event id", example: "0mnqk2x1c000a7f3kq2" }),
  parse(typed, { subject }) {
    if (!STATES.test(typed)) return understood(typed);
    const wanted = "the id of a delivery or event, or since:1h for all that failed since then";
    return refused(takes(subject, wanted, typed));
  },
};

/** The exact type of an event. */
const eventType: ValueType<string> = {
  ...text({ name: "type", example: "connection.created" }),
  parse: (typed, { subject }) =>
    /[*…,]/.test(typed)
      ? refused(takes(subject, "one whole type, such as connection.created", typed))
      : understood(typed),
  complete: () => [
    ["session.created", "a session began"],
    ["session.destroyed", "a session ended"],
    ["connection.created", "a client connected"],
    ["connection.destroyed", "a connection ended"],
  ],
};

/** An action of the audit log. */
const auditAction: ValueType<string> = {
  ...text({ name: "action", example: "token.revoke" }),
  complete: () => [
    ["token.revoke", "a token was revoked"],
    ["deliveries.resend", "webhooks were sent again"],
    ["endpoint.enable", "a webhook endpoint was switched on"],
    ["media-api.DisconnectChannel", "all connections of a channel were ended"],
    ["media-api.DisconnectConnection", "a connection was ended"],
  ],
};

const { in: project, since, until, zone } = selectionOptions;

const lastOf = (things: string) => ({ ...limitOf(things), default: "100" }) as const;

const by = {
  value: person,
  isLoose: true,
  about: "On whose behalf: me, a mention in Slack, or a name as lists show it.",
  phrase: "by {}",
} as const satisfies ParameterSpec;

const role = { value: oneOf("role", roles) } as const;

const withDisconnect = {
  value: flag("disconnect", "disconnects its clients, too"),
  about: "Disconnects the clients that connected with such a token.",
  default: "connections stay",
  phrase: "and disconnect its clients",
} as const;

const tokens = command({
  name: "tokens",
  phrases: [
    "token list",
    "tokens list",
    "token ls",
    "list tokens",
    "show tokens",
    "which tokens",
    "which tokens are out",
  ],
  hints: "jwt jwts",
  effect: "reads",
  keepsReferences: "people",
  about: "Lists the active access tokens, without the tokens themselves.",
  arguments: {
    channel: {
      value: oneChannel,
      about: "The channel that they are valid for.",
      default: "all channels",
    },
    id: { value: tokenId, about: "The id (jti) of one token.", phrase: "with the id {}" },
    role: { ...role, about: "What their holders may do.", default: "any role" },
    all: {
      value: flag("all", "revoked and ended ones, too"),
      about: "Lists revoked and ended tokens, too.",
      default: "those that can be used",
    },
  },
  options: { by: { ...by, default: "anybody" }, last: lastOf("tokens"), in: project },
  heading: ["access tokens", "for {channel}", "of {in}"],
  examples: [
    ["tokens", "all that clients can use now"],
    ["tokens lobby role:sendonly", "those for one channel and role"],
    ["tokens by:me all", "your own, with revoked and ended ones"],
  ],
});

const revoke = command({
  name: "revoke",
  phrases: ["tokens revoke", "token revoke", "revoke token", "revoke tokens"],
  hints: "invalidate",
  effect: "deletes",
  isAct: true,
  opensWindow: "always",
  about: "Ends a token, or all tokens of a channel that were issued before a time.",
  arguments: {
    channel: { value: oneChannel, about: "The channel, for all of its tokens.", phrase: "all tokens for {}" },
    id: { value: tokenId, about: "The id (jti) of one token, as tokens lists it; id: before one that isn't a UUID." },
    disconnect: withDisconnect,
  },
  options: {
    before: {
      value: moment({ direction: "back", pastOnly: true, example: "09:00" }),
      about: "Only the channel's tokens that were issued before this time.",
      default: "now",
      phrase: "issued before {}",
    },
    in: project,
  },
  problemIn({ id, channel, before }) {
    if (id !== undefined && channel !== undefined) return "revoke takes a token or a channel, not both.";
    if (id !== undefined && before !== undefined) return "before is for the tokens of a channel, not for one token.";
    if (id !== undefined || channel !== undefined) return undefined;
    return "revoke needs the id of a token, as tokens lists it, or a channel, such as lobby.";
  },
  heading: ["revoke", "token {id}", "all tokens for {channel}", "of {in}"],
  examples: [
    ["revoke lobby before:09:00", "the tokens of a channel that were issued before nine o'clock"],
    ["revoke channel:lobby disconnect", "all tokens of a channel; their clients are disconnected, too"],
    ["revoke 5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11", "one token, by its id"],
  ],
});

const deliveries = command({
  name: "deliveries",
  aliases: ["delivery"],
  phrases: ["list deliveries", "deliveries list"],
  effect: "reads",
  about: "Lists webhook deliveries, newest first, each with its attempts and the time of the next one.",
  arguments: {
    state: {
      value: oneOf("state", {
        failed: { about: "given up after the last attempt", aliases: ["failing", "failures"] },
        waiting: { about: "waiting for the next attempt", aliases: ["pending", "queued"] },
        delivered: { about: "accepted by the receiver", aliases: ["ok", "done"] },
      }),
      about: "Only those in this state.",
      default: "all states",
    },
  },
  options: {
    since: { ...since, about: "Events that were received since this time. last:2h means the same." },
    until: { ...until, about: "Events that were received before this time." },
    zone,
    type: { value: eventType, about: "The event's exact type.", default: "all types", phrase: "type {}" },
    event: {
      value: text({ name: "event id", example: "2M4EXK7C4R8ZB5HW1NA0J9V6TQ" }),
      about: "The event's id, which is the webhook-id.",
      phrase: "of event {}",
    },
    id: {
      value: text({ name: "delivery id", example: "0mnqk2x1c000a7f3kq2" }),
      about: "The delivery's id.",
      phrase: "with the id {}",
    },
    last: lastOf("deliveries"),
    in: project,
  },
  heading: ["webhook deliveries", "of {in}"],
  examples: [
    ["deliveries failed since:1h", "those that were given up in the last hour"],
    ["deliveries waiting", "those that will be tried again"],
    ["deliveries type:connection.created last:20", "the newest of one type"],
  ],
});

const resend = command({
  name: "resend",
  phrases: ["deliveries resend", "delivery resend", "resend deliveries", "resend failed", "resend all failed"],
  hints: "redeliver replay retry",
  effect: "makes",
  isAct: true,
  opensWindow: "always",
  about: "Sends a webhook again, or all since a time whose delivery has failed.",
  arguments: {
    id: {
      value: deliveryOrEventId,
      about: "The id of a delivery, or of its event; event:2M4E… says which it is.",
      labels: "is",
    },
  },
  options: {
    since: { ...since, about: "All failed ones of events since this time.", default: "none" },
    until: { ...until, about: "With since: of events before this time." },
    zone,
    type: { value: eventType, about: "With since: of events of this type.", default: "all types", phrase: "type {}" },
    is: {
      value: oneOf("thing", { delivery: { about: "a delivery's id" }, event: { about: "an event's id" } }),
      about: "Whose id it is.",
      default: "found out",
      phrase: "by the id of the {}",
    },
    in: project,
  },
  problemIn({ id, since: from, until: to, type }) {
    const isPeriod = from !== undefined || to !== undefined || type !== undefined;
    if (id !== undefined && isPeriod) return "resend takes one id, or since: for all that failed since then, not both.";
    if (id !== undefined || from !== undefined) return undefined;
    if (isPeriod) return "resend needs since: with until: and type:, such as since:1h.";
    return "resend needs the id of a delivery or event, as deliveries lists it, or since:1h for all that failed since then.";
  },
  heading: ["resend", "{id}", "failed deliveries ({since})", "of {in}"],
  examples: [
    ["resend since:1h", "all that failed in the last hour, in their order"],
    ["resend since:09:00 until:10:00 type:connection.created", "one type, of an hour"],
    ["resend 0mnqk2x1c000a7f3kq2", "one delivery, whatever its state"],
    ["resend event:2M4EXK7C4R8ZB5HW1NA0J9V6TQ", "the delivery of one event"],
  ],
});

const endpoints = command({
  name: "endpoints",
  aliases: ["endpoint"],
  phrases: ["list endpoints", "endpoints list"],
  effect: "reads",
  about: "Shows the state of the project's webhook endpoints.",
  options: { in: project },
  heading: ["webhook endpoints", "of {in}"],
  examples: [["endpoints", "which accept webhooks, which fail, and which are off"]],
});

const enable = command({
  name: "enable",
  phrases: ["endpoints enable", "endpoint enable", "endpoints on", "endpoint on", "enable endpoint"],
  effect: "makes",
  isAct: true,
  opensWindow: "always",
  about: "Switches on a webhook endpoint that was switched off.",
  arguments: {
    endpoint: {
      value: oneOf("endpoint", {
        auth: { about: "decides which clients are admitted" },
        session: { about: "receives when sessions begin" },
        event: { about: "receives all events", aliases: ["events"] },
      }),
      about: "The endpoint.",
      required: true,
    },
  },
  options: { in: project },
  heading: ["enable", "the {endpoint} endpoint", "of {in}"],
  examples: [["endpoints enable event", "the endpoint for events; resend what failed meanwhile"]],
});

const disconnect = command({
  name: "disconnect",
  hints: "kick eject",
  effect: "deletes",
  isAct: true,
  opensWindow: "always",
  about: "Ends one connection, or all connections of a channel.",
  arguments: { channel: { value: oneChannel, about: "The channel." } },
  options: {
    connection: {
      value: connectionId,
      aliases: ["conn"],
      about: "The whole id of one connection in the channel.",
      default: "all connections of the channel",
    },
    in: project,
  },
  problemIn({ channel, connection }) {
    if (channel !== undefined) return undefined;
    if (connection !== undefined) return "disconnect needs the connection's channel, too, such as channel:lobby.";
    return "disconnect needs a channel, such as lobby, and connection: for one of its connections.";
  },
  heading: ["disconnect", "connection {connection} of", "channel {channel}", "in project {in}"],
  examples: [
    ["disconnect lobby", "all connections of a channel; clients may connect again"],
    ["disconnect connection:0J9V6TQ2M4EXK7C3R8ZB5HW1NA channel:lobby", "one connection"],
  ],
});

const audit = command({
  name: "audit",
  phrases: ["audit log", "audit logs"],
  hints: "changed changes",
  effect: "reads",
  keepsReferences: "people",
  about: "Lists who changed what: revocations, resends, endpoints, disconnects, and what was refused.",
  options: {
    since,
    until,
    zone,
    by: { ...by, default: "anybody" },
    action: { value: auditAction, about: "The action.", default: "all actions" },
    last: lastOf("entries"),
    in: project,
    as: formatOf({ table: { about: "a table" } }),
  },
  heading: ["audit log", "of {in}"],
  examples: [
    ["audit since:today", "what was changed today"],
    ["audit by:me action:token.revoke", "the tokens that you revoked"],
    ["audit since:30d as:csv", "a month, for a spreadsheet"],
  ],
});

/**
 * The commands for issued tokens, deliveries, endpoints, connections and the audit log. A program that runs them
 * adds them to its language, after {@link coreCommands}.
 */
export const operationCommands = [tokens, revoke, deliveries, resend, endpoints, enable, disconnect, audit] as const;

/** A parsed command of {@link operationCommands}. */
export type OperationCommand = CommandOf<(typeof operationCommands)[number]>;

const checkPhrases = ["token check", "tokens check", "check token", "verify token", "token verify"];

/** The command that only the terminal has: a token must not be typed into a conversation. */
export const checkCommand = command({
  name: "check",
  phrases: checkPhrases,
  effect: "reads",
  about: "Says whether a token is good now, and if not, why. It is read from a hidden question or a pipe.",
  options: {
    channel: {
      value: text({ name: "channel", example: "lobby" }),
      about: "The channel that a client would enter.",
      default: "the token's own",
    },
    role: { ...role, about: "The role that a client would have.", default: "the token's own" },
    in: project,
  },
  heading: ["check of a token", "for {channel}", "of {in}"],
  examples: [
    ["check", "asks for the token, and does not show it"],
    ["check channel:lobby role:sendonly", "whether it admits a client to a channel"],
  ],
});

/** A parsed {@link checkCommand}. */
export type CheckCommand = CommandOf<typeof checkCommand>;

/** The answer to {@link checkCommand} in Slack. */
export const checkInTerminal: AbsentCommand = {
  phrases: ["check", ...checkPhrases],
  reason:
    "check works in a terminal only, because a token must not be typed into a conversation. Run media token check there. Revoke a token that was posted here.",
  nearest: "tokens",
};
