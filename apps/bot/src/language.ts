import {
  type CommandOf,
  checkInTerminal,
  command,
  coreCommands,
  dailySpan,
  defineLanguage,
  duration,
  failedFilter,
  kind,
  oneOf,
  operationCommands,
  selectionOptions,
  slackChannel,
  text,
  threshold,
  timeOfDay,
} from "@media-ops/commands";

const project = text({ name: "project", example: "demo" });

const ownCommands = [
  command({
    name: "watch",
    hints: "alert alarm notify tell page monitor",
    effect: "makes",
    about: "Watches a log: posts to this channel when matching entries appear, fail too often or take too long.",
    arguments: { kind: { value: kind, about: "The log.", required: true } },
    filters: true,
    options: {
      when: {
        value: threshold,
        about:
          "The limit that must be exceeded: of entries, of the share that failed, or of a percentile of elapsed times.",
        default: "count>0, any entry",
      },
      over: {
        value: duration({ min: 10_000, max: 6 * 3_600_000, example: "5m", short: true }),
        aliases: ["within"],
        about: "The time over which it measures, from 10s to 6h.",
        default: "5m",
        phrase: "within {}",
      },
      in: selectionOptions.in,
      quiet: {
        value: dailySpan,
        about: "The time of every day in which it posts nothing.",
        default: "none",
        phrase: "quiet from {}",
      },
    },
    heading: ["watch of {kind} logs", "of {in}"],
    examples: [
      [`watch webhooks ${failedFilter}`, "every webhook that fails or gets no answer"],
      ["watch webhooks when:failed>5% over:10m", "if more than 5% of the webhooks in 10 minutes failed"],
      ["watch api when:p95>2s over:5m", "if one call in 20 takes longer than 2 seconds"],
      ["watch events reason:ice-timeout when:count>20 over:5m", "if clients find no network path again and again"],
      [`watch events ${failedFilter} quiet:22:00-07:00`, "what failed or was refused, but not at night"],
      ["watch connections channel:lobby bytes>10GB", "each connection of one channel with a high volume"],
    ],
  }),
  command({
    name: "watches",
    aliases: ["unwatch"],
    hints: "alerts alarms",
    effect: "reads",
    about: "Lists the watches of this workspace.",
    options: { in: selectionOptions.in },
    heading: ["watches", "of {in}"],
    examples: [["watches", "each with its channel, and what it reports"]],
  }),
  command({
    name: "digest",
    hints: "daily report",
    effect: "makes",
    keepsReferences: "channels",
    about: "Posts the day's figures to a channel, every day at the same time.",
    options: {
      at: { value: timeOfDay, about: "The time of day; off ends it.", default: "none: shows how it is set" },
      channel: {
        value: slackChannel,
        word: "in",
        about: "The channel of Slack that it is posted to.",
        default: "this channel",
        phrase: "in {}",
      },
      project: { value: project, about: "The project.", default: "the one in use" },
    },
    heading: ["daily digest", "of {project}"],
    examples: [
      ["digest", "shows how it is set"],
      ["digest at:09:00", "every morning, in this channel"],
      ["digest at:17:30 in:#general project:demo", "in another channel, about another project"],
      ["digest at:off", "no more"],
    ],
  }),
  command({
    name: "connect",
    aliases: ["login"],
    effect: "makes",
    opensWindow: "always",
    about: "Connects a project: asks for the service's address, the project and its API key in a window of its own.",
    examples: [["connect", "the key is never typed into a conversation"]],
  }),
  command({
    name: "projects",
    aliases: ["project"],
    effect: "reads",
    about: "Lists the connected projects, and where each is used.",
    examples: [["projects", "the one that is used here has a star"]],
  }),
  command({
    name: "use",
    effect: "makes",
    about: "Sets the project that commands here use if they name none.",
    arguments: { project: { value: project, about: "Which one.", required: true } },
    options: {
      where: {
        value: oneOf("place", {
          channel: { about: "in this channel", aliases: ["here"] },
          workspace: { about: "in all channels without a default of their own", aliases: ["everywhere"] },
        }),
        word: "for",
        about: "Where it is used.",
        default: "channel",
        phrase: "for the {}",
      },
    },
    examples: [
      ["use demo", "in this channel"],
      ["use demo for:workspace", "in all channels without a default of their own"],
    ],
  }),
  command({
    name: "forget",
    aliases: ["logout"],
    hints: "remove",
    effect: "deletes",
    about: "Removes a project from this workspace, and deletes its API key here.",
    arguments: { project: { value: project, about: "Which one.", required: true } },
    examples: [["forget demo", "deletes its key here"]],
  }),
] as const;

const commands = [...coreCommands, ...operationCommands, ...ownCommands] as const;

/** All commands that can be typed after `/media`. */
export const language = defineLanguage(commands, [checkInTerminal]);

/** A parsed command. */
export type Command = CommandOf<(typeof commands)[number]>;

/** The parsed command with this name. */
export type CommandNamed<Name extends Command["name"]> = Extract<Command, { name: Name }>;

/** The commands that change something at a service. Each is confirmed in a window. */
export type ActCommand = CommandNamed<"revoke" | "resend" | "enable" | "disconnect">;

/** The names of these commands. */
export const actNames: ReadonlySet<string> = new Set<ActCommand["name"]>(["revoke", "resend", "enable", "disconnect"]);

/** Whether a command asks about the entries of a project; the app home has buttons for the other ones that read. */
export const isQuestion = ({ name }: Command): boolean => language.commandNamed(name)?.isQuestion ?? false;

/** A command's text with its project. */
export const inProject = (text: string, projectId: string): string =>
  `${text} ${language.write({ name: "status", in: projectId }).replace("status ", "")}`;

const MAX_MS = 10 * 365 * 24 * 3_600_000;
// A duration depends on neither the current time nor the time zone.
const anywhere = {
  now: 0,
  zone: { name: "UTC", wallAt: (instant: number) => instant, instantAt: (wall: number) => wall },
  subject: "",
  topics: [],
};
const length = duration({ min: 0, max: MAX_MS, example: "1h" });

/** Parses a duration such as `10m`, `1h` or `2 days` as commands do, into milliseconds; undefined if it is invalid. */
export function readLength(text: string): number | undefined {
  const read = length.parse(text, anywhere);
  return read.ok ? read.value : undefined;
}

/** A duration in words, exactly: `1 hour 30 minutes`. */
export function formatLength(ms: number): string {
  return length.describe(ms, anywhere);
}
