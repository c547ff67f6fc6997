import { failedFilter } from "./filters/ordered-types.js";
import { kind } from "./kinds.js";
import { type CommandOf, command, type OptionSpec } from "./spec.js";
import { duration, writeDuration } from "./values/duration.js";
import { moment, since, until as untilMoment } from "./values/moment.js";
import { channel, EVERY_CHANNEL, oneOf, text, topic, uuid, wholeNumber } from "./values/value-type.js";

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;

const project = {
  value: text({ name: "project", example: "demo" }),
  word: "in",
  aliases: ["project"],
  about: "Which project.",
  default: "the one in use",
} as const satisfies OptionSpec;

const from = {
  value: since,
  aliases: ["from", "last", "past"],
  about: "Entries from this time on. last:2h means the same.",
  default: "as far back as there are any",
} as const satisfies OptionSpec;

const until = {
  value: untilMoment,
  aliases: ["to"],
  about: "Entries before this time. A day means its beginning: until:today leaves today out.",
  default: "now",
  phrase: "until {}",
} as const satisfies OptionSpec;

/** Options of a command that is about the entries of a log, for the tables of others. */
export const selectionOptions = { since: from, until, in: project } as const;

const kindOfLog = { value: kind, about: "Which log.", required: true } as const;

const lastly = { use: "since", rule: "say how far back, such as since:2h" };

const logs = command({
  name: "logs",
  aliases: ["log"],
  effect: "reads",
  about: "Lists entries of a log, the newest first.",
  arguments: { kind: kindOfLog },
  filters: true,
  implied: true,
  options: {
    since: from,
    until,
    last: {
      value: wholeNumber({ min: 1, max: 1000, example: "50" }),
      aliases: ["limit"],
      about: "How many entries at most, the newest.",
      phrase: "the newest {}",
    },
    in: project,
    as: {
      value: oneOf("form", {
        table: { about: "a table" },
        compact: { about: "a line for each entry" },
        csv: { about: "comma-separated values, for a spreadsheet" },
        json: { about: "JSON, an entry on each line" },
      }),
      aliases: ["format"],
      about: "How they are shown.",
      default: "table",
      phrase: "as {}",
    },
  },
  instead: { for: lastly },
  heading: ["{kind} logs", "of {in}"],
  examples: [
    [`logs webhooks ${failedFilter} since:2h`, "webhooks that failed or got no answer in the last two hours"],
    ["logs sessions channel:lobby since:yesterday", "sessions of one channel since yesterday"],
    ["logs connections bytes>10MB duration<5m", "short connections that moved much"],
    ["logs api status:5xx elapsed>500ms last:20", "slow calls that failed, at most twenty"],
    ["logs media-api target~Disconnect in:demo", "calls that disconnect somebody, in another project"],
    ["webhooks -type:session.created", "all webhooks but one kind; logs may be left out"],
  ],
});

const summary = command({
  name: "summary",
  aliases: ["sum", "stats"],
  effect: "reads",
  about: "Sums a log up: counts, failures, times and volumes.",
  arguments: { kind: kindOfLog },
  filters: true,
  options: selectionOptions,
  instead: { for: lastly },
  heading: ["summary of {kind} logs", "of {in}"],
  examples: [
    ["summary webhooks since:today", "how webhooks went today"],
    ["summary connections channel:lobby since:7d", "a channel's connections in a week"],
  ],
});

/** What holds for a token where nothing is said of it: the least that is of use, for as long as a demo takes. */
export const tokenDefaults = { role: "recvonly", forMs: 10 * MINUTE_MS } as const;

const token = command({
  name: "token",
  questions: ["tokens"],
  effect: "makes",
  about: "Makes an access token for clients.",
  arguments: {
    channel: {
      value: channel,
      about: `The channel that it is good for; ${EVERY_CHANNEL} is every channel of the project.`,
      open: EVERY_CHANNEL,
    },
  },
  options: {
    role: {
      value: oneOf("role", {
        recvonly: { about: "may only receive", aliases: ["recv", "receive"] },
        sendonly: { about: "may only send", aliases: ["send"] },
        sendrecv: { about: "may send and receive", aliases: ["both"] },
        any: { about: "is bound to no role" },
      }),
      about: "What its bearer may do.",
      default: tokenDefaults.role,
    },
    forMs: {
      // A token's times are whole seconds, and one that lasts for decades is a mistake.
      value: duration({ min: 1000, max: 10 * YEAR_MS, example: "10m" }),
      word: "for",
      about: "How long it is good.",
      default: writeDuration(tokenDefaults.forMs),
    },
    max: {
      value: wholeNumber({ min: 0, max: 5000, example: "5" }),
      about: "No connection is let in where the channel has this many already; 0 lets none in.",
      default: "no limit",
      phrase: "at most {} connections",
    },
    id: {
      value: uuid,
      about: "The token's own id, its jti.",
      default: "a new one",
      phrase: "with the id {}",
    },
    starting: {
      value: moment({ looking: "ahead", gone: false, example: "09:00" }),
      about: "From when on it is good.",
      default: "now",
      phrase: "from {}",
    },
    in: project,
  },
  instead: {
    until: { use: "for", rule: "say how long it is good, such as for:10m" },
    since: { use: "starting", rule: "say when it begins, such as starting:09:00" },
  },
  heading: ["token", "for {channel}", "of {in}"],
  examples: [
    ["token lobby role:recvonly for:10m", "for a viewer of one channel, for ten minutes"],
    ["token lobby max:5 starting:09:00 for:2h", "for five at once, from nine o'clock on"],
    ['token "main hall"', "quotes for a name with blanks"],
    ["token channel:* for:5m", "for every channel of the project"],
    ["token channel:list", "for a channel whose name reads like a question"],
  ],
});

const status = command({
  name: "status",
  aliases: ["stat"],
  effect: "reads",
  about: "Shows whether the service answers, when each log last got an entry, and what fails.",
  options: { in: project },
  heading: ["status", "of {in}"],
  examples: [["status", "whether all is well"]],
});

const help = command({
  name: "help",
  aliases: ["?", "-h", "--help"],
  effect: "reads",
  about: "Explains a command, a log and its fields, filters, or times.",
  arguments: { topic: { value: topic, about: "What to explain.", default: "all commands", rest: true } },
  heading: ["help", "on {topic}"],
  examples: [
    ["help", "all commands"],
    ["help webhooks", "the fields of webhook logs"],
    ["help filters", "how to filter"],
    ["help times", "how to write times"],
  ],
});

/** The commands that Slack and the terminal have in common. */
export const coreCommands = [logs, summary, token, status, help] as const;

/** A parsed command of {@link coreCommands}. */
export type CoreCommand = CommandOf<(typeof coreCommands)[number]>;
