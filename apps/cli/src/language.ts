import {
  type CommandOf,
  checkCommand,
  command,
  coreCommands,
  defineLanguage,
  duration,
  failedFilter,
  forShell,
  kind,
  oneOf,
  operationCommands,
  selectionOptions,
  text,
  type ValueType,
} from "@media-ops/commands";
import type { TimeOptions } from "@media-ops/formatters";
import { isProfileName } from "./profiles.js";
import { CliError, type Session } from "./session.js";

const profile: ValueType<string> = {
  ...text({ name: "profile", example: "demo" }),
  distinctive: true,
  parse(typed) {
    if (isProfileName(typed)) return { ok: true, value: typed };
    const reason = `A profile name has letters, digits, ".", "_" and "-", and does not begin with "." or "-".`;
    return { ok: false, reason, nearest: typed.replace(/[^\p{L}\p{N}_.]+/gu, "-").replace(/^[.-]+|-$/g, "") || "demo" };
  },
};

const ownCommands = [
  command({
    name: "follow",
    aliases: ["tail", "watch"],
    effect: "reads",
    about: "Prints each new entry of a log, until Ctrl-C.",
    arguments: { kind: { value: kind, about: "The log.", required: true } },
    filters: true,
    options: {
      since: {
        ...selectionOptions.since,
        about: "Entries since this time come first, at most the newest 1,000. last:2h means the same.",
        default: "new entries only",
      },
      every: {
        value: duration({ min: 1000, max: 3_600_000, example: "5s" }),
        about: "The time until the next request after a failure, or if the service does not hold requests.",
        default: "5s",
        phrase: "every {}",
      },
      in: selectionOptions.in,
      as: {
        value: oneOf("form", { compact: { about: "one line per entry" }, json: { about: "JSON lines, for programs" } }),
        about: "The output format.",
        default: "compact",
      },
    },
    heading: ["{kind} logs", "of {in}"],
    examples: [
      [`follow webhooks ${failedFilter}`, "webhooks that fail, as they fail"],
      [
        "follow connections channel:lobby since:10m",
        "connections of the lobby that ended in the last 10 minutes, and new ones",
      ],
    ],
  }),
  command({
    name: "login",
    effect: "makes",
    about: "Asks for address, project and API key of a service, tries them, and stores them for you alone.",
    arguments: { profile: { value: profile, about: "A name for them.", default: "default" } },
    examples: [
      ["login", "one service"],
      ["login staging", "a second one"],
    ],
  }),
  command({
    name: "logout",
    effect: "deletes",
    about: "Removes a profile and its key.",
    arguments: { profile: { value: profile, about: "The profile.", default: "the current one" } },
    examples: [["logout staging", "removes its key from this machine"]],
  }),
  command({
    name: "profiles",
    effect: "reads",
    about: "Lists your profiles.",
    examples: [["profiles", "the current one has a star"]],
  }),
  command({
    name: "use",
    effect: "makes",
    about: "Makes a profile the current one.",
    arguments: { profile: { value: profile, about: "The profile.", required: true } },
    examples: [["use staging", "further commands go to staging"]],
  }),
  command({
    name: "completion",
    effect: "reads",
    about: "Prints the completion setup for a shell.",
    arguments: {
      shell: {
        value: oneOf("shell", {
          bash: { about: 'into ~/.bashrc: eval "$(media completion bash)"' },
          zsh: { about: 'into ~/.zshrc: eval "$(media completion zsh)"' },
          fish: { about: "into config.fish: media completion fish | source" },
        }),
        about: "The shell.",
        required: true,
      },
    },
    examples: [["completion bash", 'in ~/.bashrc: eval "$(media completion bash)"']],
  }),
] as const;

const commands = [...coreCommands, ...operationCommands, checkCommand, ...ownCommands] as const;

/** The language of `media`. */
export const language = defineLanguage(commands);

/** A parsed command. */
export type Command = CommandOf<(typeof commands)[number]>;

/** The parsed command with this name. */
export type CommandNamed<Name extends Command["name"]> = Extract<Command, { name: Name }>;

/** The commands that only the Slack bot has, by each of their names, and the nearest ones of the terminal. */
export const slackCommands: ReadonlyMap<string, string> = new Map([
  ["watches", `follow webhooks ${failedFilter}`],
  ["unwatch", `follow webhooks ${failedFilter}`],
  ["digest", "summary webhooks since:1d"],
  ["connect", "login"],
  ["projects", "profiles"],
  ["project", "profiles"],
  ["forget", "logout"],
]);

/** The answer to a command that only the Slack bot has, or to a request for help on it; undefined for any other. */
function slackAnswer([first = "", second = ""]: readonly string[]): string | undefined {
  const name = (first === "help" ? second : first).toLowerCase();
  const nearest = slackCommands.get(name);
  return nearest && `"${name}" is a command of the Slack bot: type /media ${name} there. Here, try: media ${nearest}`;
}

// A JSON Web Token. Nothing else that is typed has three parts of which the first begins like this.
const TOKEN = /\beyJ[\w-]{10,}\.[\w-]+\.[\w-]+/;

const TOKEN_TYPED =
  "A token on the command line stays in the shell's history, so it was not used. Run media token check, which asks for it, or pipe it: media token check < file. To end it: media revoke <its id>.";

/** Parses a command; a {@link CliError} has the problem, and the nearest valid command as it is typed in a shell. */
export function understand(
  words: readonly string[],
  session: { readonly screen: TimeOptions; readonly world: Pick<Session["world"], "now"> },
): Command {
  const ofSlack = slackAnswer(words);
  if (ofSlack) throw new CliError(ofSlack, 2);
  if (words.some((word) => TOKEN.test(word))) throw new CliError(TOKEN_TYPED, 2);
  const inUtc = language.parse(words, { now: session.world.now() });
  // Determining the time zone takes as long as all other work.
  if (inUtc.ok && !language.isTimed(inUtc.command)) return inUtc.command;
  const read = language.parse(words, session.screen);
  if (read.ok) return read.command;
  const { reason, nearest } = read.problem;
  throw new CliError(nearest === "" ? reason : `${reason} Try: media ${forShell(nearest)}`, 2);
}
