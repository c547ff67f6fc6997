import { everyCommand, type WrongRow } from "./named.js";
import { deliveryId, eventId, tokenId } from "./right-operations.js";

const revokeNeeds = "revoke needs the id of a token, as tokens lists it, or a channel, such as lobby.";
const resendNeeds =
  "resend needs the id of a delivery or event, as deliveries lists it, or since:1h for all that failed since then.";
const unknown = (word: string): string =>
  `Unknown command "${word}"; commands are ${everyCommand.replace(" and help", "")}, help, tokens, revoke, deliveries, resend, endpoints, enable, disconnect and audit.`;
const cutId = tokenId.slice(0, -1);

export const wrongOperations: Readonly<Record<string, readonly WrongRow[]>> = {
  "an act without an object": [
    ["revoke", revokeNeeds, "help revoke"],
    ["tokens revoke", revokeNeeds, "help revoke"],
    ["revoke tokens", revokeNeeds, "help revoke"],
    ["revoke disconnect", revokeNeeds, "help revoke"],
    ["revoke before:2h", revokeNeeds, "help revoke"],
    ["resend", resendNeeds, "help resend"],
    ["deliveries resend", resendNeeds, "help resend"],
    ["resend failed", resendNeeds, "help resend"],
    ["resend until:1h", "resend needs since: with until: and type:, such as since:1h.", "help resend"],
    ["endpoints enable", "enable needs an endpoint: auth, session or event.", "help enable"],
    ["endpoint on", "enable needs an endpoint: auth, session or event.", "help enable"],
    [
      "disconnect",
      "disconnect needs a channel, such as lobby, and connection: for one of its connections.",
      "help disconnect",
    ],
    [
      "disconnect connection:c1",
      "disconnect needs the connection's channel, too, such as channel:lobby.",
      "help disconnect",
    ],
  ],
  "an act with an unclear object": [
    ["revoke *", 'revoke takes one channel, such as lobby, not "*".', "help revoke"],
    ["revoke channel:*", 'channel takes one channel, such as lobby, not "*".', "help revoke"],
    ["disconnect *", 'disconnect takes one channel, such as lobby, not "*".', "help disconnect"],
    [
      "revoke all",
      '"all" after revoke looks like a question. If the channel is really called that, write channel:all.',
      "help revoke",
    ],
    [
      "disconnect who",
      '"who" after disconnect looks like a question. If the channel is really called that, write channel:who.',
      "help disconnect",
    ],
    [
      `revoke ${cutId}`,
      `"${cutId}" looks like a token id, but is not a whole one. If it is the channel's name, write channel:${cutId}.`,
      "help revoke",
    ],
    [
      "revoke 5f0c8a52…",
      `"5f0c8a52…" looks like a token id, but is not a whole one. If it is the channel's name, write channel:"5f0c8a52…".`,
      "help revoke",
    ],
    [
      "disconnect 0J9V6TQ2M4EXK7C3R8ZB5HW1NA",
      '"0J9V6TQ2M4EXK7C3R8ZB5HW1NA" looks like a connection id: write connection: before it. If it is the channel\'s name, write channel:0J9V6TQ2M4EXK7C3R8ZB5HW1NA.',
      "help disconnect",
    ],
    ["disconnect lobby connection:0J9V…", 'connection takes a connection\'s whole id, not "0J9V…".', "help disconnect"],
    ["revoke main hall", 'Unexpected "hall": a channel with spaces needs quotes.', 'revoke "main hall"'],
    [`revoke ${tokenId} lobby`, "revoke takes a token or a channel, not both.", "help revoke"],
    [`revoke ${tokenId} before:2h`, "before is for the tokens of a channel, not for one token.", "help revoke"],
    ["revoke lobby before:tomorrow", 'before must be in the past, but "tomorrow" is in the future.', "help times"],
    [
      `resend ${eventId} since:1h`,
      "resend takes one id, or since: for all that failed since then, not both.",
      "help resend",
    ],
    [
      "resend waiting",
      'resend takes the id of a delivery or event, or since:1h for all that failed since then, not "waiting".',
      "help resend",
    ],
    [
      "resend since:1h type:connection.*",
      'type takes one whole type, such as connection.created, not "connection.*".',
      "help resend",
    ],
    ["enable webhooks", 'enable takes auth, session or event, not "webhooks".', "enable auth"],
  ],
  "an act that is misspelt": [
    ["revok lobby", 'Unknown command "revok". Did you mean revoke?', "revoke lobby"],
    ["revoke lobby disconect", 'Unexpected "disconect". Did you mean disconnect?', "revoke lobby disconnect"],
    ["tokne lobby", 'Unknown command "tokne". Did you mean tokens?', "tokens lobby"],
    ["toknes", 'Unknown command "toknes". Did you mean tokens?', "tokens"],
    ["please revoke lobby", unknown("please"), "help revoke"],
    ["lobby disconnect", unknown("lobby"), "help disconnect"],
    ["kick lobby", 'Unknown command "kick". Did you mean disconnect?', "help disconnect"],
    ["redeliver", 'Unknown command "redeliver". Did you mean resend?', "help resend"],
    ["revoke:lobby", "A space follows a command: revoke.", "help revoke"],
    ["channel:lobby before:2h", 'A command comes first, before "channel:lobby".', "help revoke"],
  ],
  listings: [
    ["tokens in lobby", '"in" is not needed before a channel; a project is written in:lobby.', "tokens lobby"],
    [
      "tokens expired",
      '"expired" after tokens looks like a question. If the channel is really called that, write channel:expired.',
      "tokens",
    ],
    [
      "tokens by:@ann",
      'by takes me, a mention in Slack, or a name as lists show it, such as cli:ann@laptop, not "@ann".',
      "tokens",
    ],
    ["tokens role:any", 'role takes recvonly, sendonly or sendrecv, not "any".', "tokens role:recvonly"],
    ["deliveries failde", 'deliveries takes failed, waiting or delivered, not "failde".', "deliveries failed"],
    ["deliveries channel:lobby", 'deliveries takes no filters, and "channel:lobby" is one.', "deliveries"],
    [
      `deliveries ${deliveryId}`,
      `"${deliveryId}" needs a name before it. Did you mean id:${deliveryId}?`,
      `deliveries id:${deliveryId}`,
    ],
    [
      `deliveries ${eventId}`,
      `"${eventId}" needs a name before it. Did you mean event:${eventId}?`,
      `deliveries event:${eventId}`,
    ],
    [
      "deliveries connection.created",
      '"connection.created" needs a name before it. Did you mean type:connection.created?',
      "deliveries type:connection.created",
    ],
    [
      "audit token.revoke",
      '"token.revoke" needs a name before it. Did you mean action:token.revoke?',
      "audit action:token.revoke",
    ],
    ["endpoints event", 'endpoints takes no "event".', "endpoints"],
    [
      "token lobby list",
      '"list" after token looks like a question. If the channel is really called that, write channel:list.',
      "help token",
    ],
  ],
};
