import { type CommandOf, command, type ParameterSpec } from "./grammar.js";
import { failedFilter, grouping, kind, sortOrder } from "./kinds.js";
import { writeDuration } from "./times.js";
import {
  type Choices,
  channel,
  duration,
  EVERY_CHANNEL,
  moment,
  oneOf,
  since,
  text,
  timeZone,
  topic,
  traced,
  until as untilMoment,
  uuid,
  wholeNumber,
} from "./values.js";

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;

const project = {
  value: text({ name: "project", example: "demo" }),
  word: "in",
  aliases: ["project"],
  about: "The project.",
  default: "the one in use",
} as const satisfies ParameterSpec;

const from = {
  value: since,
  aliases: ["from", "last", "past"],
  about: "Entries since this time. last:2h means the same.",
  default: "the oldest entry",
} as const satisfies ParameterSpec;

const until = {
  value: untilMoment,
  aliases: ["to"],
  about: "Entries before this time. A day means its beginning: until:today excludes today.",
  default: "now",
  phrase: "until {}",
} as const satisfies ParameterSpec;

const zone = {
  value: timeZone,
  aliases: ["tz", "timezone"],
  about: "The time zone of the times in this command.",
  default: "that of since: or until:, if one has a zone, or yours",
} as const satisfies ParameterSpec;

/** How many of something a command shows. */
export const limitOf = (things: string) =>
  ({
    value: wholeNumber({ min: 1, max: 1000, example: "50" }),
    aliases: ["limit"],
    about: `The maximum number of ${things}, newest first.`,
    phrase: "the newest {}",
  }) as const satisfies ParameterSpec;

/** The option for the output format: the command's own forms, the first of which is the default, or one for programs. */
export const formatOf = <Form extends string>(forms: Choices<Form>) =>
  ({
    value: oneOf<Form | "csv" | "json">("form", {
      ...forms,
      csv: { about: "comma-separated values, for a spreadsheet" },
      json: { about: "JSON, one entry per line" },
    }),
    aliases: ["format"],
    about: "The output format.",
    default: Object.keys(forms)[0] ?? "",
    phrase: "as {}",
  }) as const satisfies ParameterSpec;

/** What the holder of a token may do. */
export const roles = {
  recvonly: { about: "may only receive", aliases: ["recv", "receive"] },
  sendonly: { about: "may only send", aliases: ["send"] },
  sendrecv: { about: "may send and receive", aliases: ["both"] },
} as const;

/** The options of a command that selects log entries, for the tables of other programs. */
export const selectionOptions = { since: from, until, zone, in: project } as const;

const kindOfLog = { value: kind, about: "The log.", required: true } as const;

const logs = command({
  name: "logs",
  aliases: ["log"],
  effect: "reads",
  isQuestion: true,
  about: "Lists the entries of a log, newest first.",
  arguments: { kind: kindOfLog },
  filters: true,
  implied: true,
  options: {
    since: from,
    until,
    zone,
    last: limitOf("entries"),
    top: {
      value: wholeNumber({ min: 1, max: 1000, example: "10" }),
      about: "The maximum number of entries with sort:, the first in that order.",
      phrase: "the top {}",
    },
    sort: {
      value: sortOrder,
      aliases: ["order"],
      about: "A number or time to sort all matches by, the largest first; -elapsed is the smallest first.",
      default: "time",
    },
    in: project,
    as: formatOf({ table: { about: "a table" }, compact: { about: "one line per entry" } }),
  },
  problemIn({ sort, top, last }) {
    if (sort === undefined) return top === undefined ? undefined : "top: needs sort:, such as sort:elapsed.";
    return last === undefined
      ? undefined
      : "last: lists the newest entries; those that come first by sort: are top:10.";
  },
  heading: ["{kind} logs", "of {in}"],
  examples: [
    [`logs webhooks ${failedFilter} since:2h`, "webhooks that failed or got no answer in the last two hours"],
    ["logs sessions channel:lobby since:yesterday", "sessions of one channel since yesterday"],
    ["logs connections bytes>10MB duration<5m", "short connections with high volume"],
    ["logs api status:5xx elapsed>500ms last:20", "slow calls that failed, twenty at most"],
    ["logs media-api target~Disconnect in:demo", "calls that disconnect clients, in another project"],
    ["logs connections since:7d top:10 sort:bytes", "the ten connections of the week with the highest volume"],
    ["logs events failed channel:lobby since:1h", "what failed or was refused in one channel"],
    ["webhooks -type:session.created", "all webhooks except one type; the word logs is optional"],
  ],
});

const summary = command({
  name: "summary",
  aliases: ["sum", "stats"],
  effect: "reads",
  isQuestion: true,
  about: "Summarizes a log: counts, failures, times and volumes.",
  arguments: { kind: kindOfLog },
  filters: true,
  options: {
    ...selectionOptions,
    by: {
      value: grouping,
      aliases: ["group"],
      about: "A field, or two with a comma, to count each value of.",
      phrase: "by {}",
    },
  },
  heading: ["summary of {kind} logs", "of {in}"],
  examples: [
    ["summary webhooks since:today", "today's webhooks"],
    ["summary webhooks failed by:url since:1d", "the day's failures, by receiver"],
    ["summary connections channel:lobby since:7d", "one channel's connections of the last week"],
    ["summary events failed by:reason,node since:1d", "the day's failures and refusals, by reason and node"],
  ],
});

const trace = command({
  name: "trace",
  aliases: ["timeline"],
  hints: "history happened find lookup story",
  effect: "reads",
  isQuestion: true,
  about: "Shows all that the logs have about a channel, session, connection, client or bundle, oldest first.",
  arguments: {
    what: {
      value: traced,
      about: "An id, in full, shortened or only its beginning, or a channel; client:c1 says which it is.",
      required: true,
      labels: "is",
    },
  },
  options: {
    ...selectionOptions,
    is: {
      value: oneOf("thing", {
        channel: { about: "a channel's name or full id", aliases: ["room"] },
        session: { about: "a session's id" },
        connection: { about: "a connection's id", aliases: ["conn"] },
        client: { about: "the id that a client chose for itself" },
        bundle: { about: "the id that a client chose for its bundle" },
      }),
      about: "Which of these it is.",
      default: "found out",
    },
    last: { ...limitOf("lines"), about: "The maximum number of lines, the newest ones.", default: "200" },
    as: formatOf({ timeline: { about: "a timeline, in words", aliases: ["table", "compact"] } }),
  },
  heading: ["trace of", "{is}", "{what}", "of {in}"],
  examples: [
    ["trace lobby since:1h", "the last hour of a channel"],
    ["trace 0J9V6TQ2…W1NA", "a connection or session, by its id as tables show it"],
    ["trace client:stage-camera-2 since:yesterday", "one client since yesterday"],
    ["trace channel:lobby since:09:00 until:10:00 as:csv", "an hour of a channel, for a spreadsheet"],
  ],
});

const anyChannel = {
  value: text({ name: "channel", example: "lobby" }),
  about: "The channel.",
  default: "all channels of the project",
} as const satisfies ParameterSpec;

/** How far back `why` looks if the command sets no start. */
export const whyDefaults = { periodMs: 60 * MINUTE_MS } as const;

const why = command({
  name: "why",
  hints:
    "reason reasons cause causes drop drops dropped dropping disconnects refusals problem problems incident incidents wrong down",
  effect: "reads",
  isQuestion: true,
  about: "Explains why connections failed or were refused, the most likely cause first.",
  arguments: {
    channel: anyChannel,
  },
  options: { ...selectionOptions, since: { ...from, default: "the last hour" } },
  heading: ["why connections failed", "in channel {channel}", "in project {in}"],
  examples: [
    ["why lobby since:20m", "why calls in a channel dropped in the last 20 minutes"],
    ["why", "the last hour of all channels"],
    ["why in:demo since:today", "today in another project"],
  ],
});

const live = command({
  name: "live",
  hints: "who users clients people participants viewers connected online occupancy seats",
  effect: "reads",
  isQuestion: true,
  about: "Shows who is connected now, by channel: connections, roles and seats taken.",
  arguments: {
    channel: { ...anyChannel, about: "The channel, with each of its connections." },
  },
  options: { in: project },
  heading: ["live connections", "in channel {channel}", "in project {in}"],
  examples: [
    ["live", "all channels that have connections"],
    ["live lobby", "the connections of one channel"],
  ],
});

/** Safe defaults for a demo: a short token that only receives. */
export const tokenDefaults = { role: "recvonly", forMs: 10 * MINUTE_MS } as const;

const token = command({
  name: "token",
  effect: "makes",
  isAct: true,
  opensWindow: "alone",
  about: "Creates an access token for clients.",
  arguments: {
    channel: {
      value: channel,
      about: `The channel that it is valid for; ${EVERY_CHANNEL} is every channel of the project.`,
      open: EVERY_CHANNEL,
    },
  },
  options: {
    role: {
      value: oneOf("role", { ...roles, any: { about: "any role" } }),
      about: "What its holder may do.",
      default: tokenDefaults.role,
    },
    forMs: {
      // A token's times are whole seconds, and one that lasts for decades is a mistake.
      value: duration({ min: 1000, max: 10 * YEAR_MS, example: "10m" }),
      word: "for",
      about: "How long it is valid.",
      default: writeDuration(tokenDefaults.forMs),
    },
    max: {
      value: wholeNumber({ min: 0, max: 5000, example: "5" }),
      about: "Refuses connections to a channel that has this many; 0 refuses all.",
      default: "no limit",
      phrase: "at most {} connections",
    },
    id: {
      value: uuid,
      about: "The token's id (jti).",
      default: "a new one",
      phrase: "with the id {}",
    },
    starting: {
      value: moment({ direction: "ahead", pastOnly: false, example: "09:00" }),
      about: "When it becomes valid.",
      default: "now",
      phrase: "from {}",
    },
    in: project,
  },
  heading: ["token", "for {channel}", "of {in}"],
  examples: [
    ["token lobby role:recvonly for:10m", "a viewer of one channel, for ten minutes"],
    ["token lobby max:5 starting:09:00 for:2h", "at most five connections, from nine o'clock on"],
    ['token "main hall"', "a name with spaces needs quotes"],
    ["token channel:* for:5m", "every channel of the project"],
    ["token channel:list", "a channel with a name that reads like a question"],
  ],
});

const status = command({
  name: "status",
  aliases: ["stat"],
  effect: "reads",
  isQuestion: true,
  about: "Shows whether the service answers, the newest entry of each log, and recent failures.",
  options: { in: project },
  heading: ["status", "of {in}"],
  examples: [["status", "the service and its logs"]],
});

const help = command({
  name: "help",
  aliases: ["?", "-h", "--help"],
  effect: "reads",
  about: "Explains a command, the fields of a log, filters, or times.",
  arguments: { topic: { value: topic, about: "The topic.", default: "all commands", rest: true } },
  heading: ["help", "on {topic}"],
  examples: [
    ["help", "all commands"],
    ["help webhooks", "the fields of webhook logs"],
    ["help filters", "how to filter"],
    ["help times", "how to write times"],
  ],
});

/** The commands that Slack and the terminal share. */
export const coreCommands = [logs, summary, trace, why, live, token, status, help] as const;

/** A parsed command of {@link coreCommands}. */
export type CoreCommand = CommandOf<(typeof coreCommands)[number]>;
