import { harmless, shorten, takes } from "../messages.js";
import { type Choice, EVERY_CHANNEL, refused, text, understood, uuid, type ValueType } from "./value-type.js";

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
export const person: ValueType<Person> = {
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
export const tokenId: ValueType<string> = {
  ...uuid,
  name: "token id",
  isNear: isCutUuid,
  parseNamed: (typed) => (typed.length > 255 || isCutUuid(typed) ? undefined : understood(typed)),
};

/** One channel's name; unlike for a new token, every channel cannot be meant. */
export const oneChannel: ValueType<string> = {
  ...text({ name: "channel", example: "lobby" }),
  parse: (typed, { subject }) =>
    typed === EVERY_CHANNEL ? refused(takes(subject, "one channel, such as lobby", typed)) : understood(typed),
};

/** The id of a connection. */
export const connectionId: ValueType<string> = {
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

/** The id of a webhook delivery. */
export const deliveryId: ValueType<string> = {
  ...text({ name: "delivery id", example: "0mnqk2x1c000a7f3kq2" }),
};

/** The id of an event of the media server, which is the `webhook-id`, too. */
export const eventId: ValueType<string> = {
  ...text({ name: "event id", example: "2M4EXK7C4R8ZB5HW1NA0J9V6TQ" }),
};

const STATES = /^(?:failed|failing|failures?|waiting|pending|delivered|all|everything)$/i;

/** The id of a delivery, or of its event. */
export const deliveryOrEventId: ValueType<string> = {
  ...text({ name: "delivery or event id", example: "0mnqk2x1c000a7f3kq2" }),
  parse(typed, { subject }) {
    if (!STATES.test(typed)) return understood(typed);
    const wanted = "the id of a delivery or event, or since:1h for all that failed since then";
    return refused(takes(subject, wanted, typed));
  },
};

/** The exact type of an event. */
export const eventType: ValueType<string> = {
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

const actions: readonly Choice[] = [
  ["token.revoke", "a token was revoked"],
  ["deliveries.resend", "webhooks were sent again"],
  ["endpoint.enable", "a webhook endpoint was switched on"],
  ["media-api.DisconnectChannel", "all connections of a channel were ended"],
  ["media-api.DisconnectConnection", "a connection was ended"],
];

/** An action of the audit log. */
export const auditAction: ValueType<string> = {
  ...text({ name: "action", example: "token.revoke" }),
  complete: () => actions,
};
