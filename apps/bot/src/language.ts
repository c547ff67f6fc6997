import { type CommandOf, command, coreCommands, defineLanguage, duration, oneOf, text } from "@media-ops/commands";

const project = text({ name: "project", example: "demo" });

/** The commands that only Slack has. */
const ownCommands = [
  command({
    name: "connect",
    aliases: ["login"],
    effect: "makes",
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
    name: "disconnect",
    aliases: ["logout"],
    effect: "deletes",
    about: "Disconnects a project and deletes its API key here.",
    arguments: { project: { value: project, about: "Which one.", required: true } },
    examples: [["disconnect demo", "deletes its key here"]],
  }),
] as const;

/** All commands that can be typed after `/media`. */
export const language = defineLanguage([...coreCommands, ...ownCommands]);

/** A parsed command. */
export type Command = CommandOf<(typeof coreCommands)[number] | (typeof ownCommands)[number]>;

/** The parsed command with this name. */
export type CommandNamed<Name extends Command["name"]> = Extract<Command, { name: Name }>;

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
