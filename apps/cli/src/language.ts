import {
  type CommandOf,
  command,
  coreCommands,
  defineLanguage,
  duration,
  failedFilter,
  forShell,
  kind,
  oneOf,
  selectionOptions,
  text,
  type ValueType,
} from "@media-ops/commands";
import { CliError } from "./errors.js";
import { isProfileName } from "./profiles.js";
import type { Session } from "./session.js";

const profile: ValueType<string> = {
  ...text({ name: "profile", example: "demo" }),
  telling: true,
  parse(typed) {
    if (isProfileName(typed)) return { ok: true, value: typed };
    const reason = `A profile's name has letters, digits, ".", "_" and "-", and does not begin with "." or "-".`;
    return { ok: false, reason, nearest: typed.replace(/[^\p{L}\p{N}_.]+/gu, "-").replace(/^[.-]+|-$/g, "") || "demo" };
  },
};

/** What the terminal adds to the language. */
const ownCommands = [
  command({
    name: "follow",
    aliases: ["tail", "watch"],
    effect: "reads",
    about: "Shows each new entry of a log as it comes, until Ctrl-C.",
    arguments: { kind: { value: kind, about: "Which log.", required: true } },
    filters: true,
    options: {
      since: selectionOptions.since,
      every: {
        value: duration({ min: 1000, max: 3_600_000, example: "5s" }),
        about: "How long to wait between two looks.",
        default: "5s",
        phrase: "looking every {}",
      },
      in: selectionOptions.in,
      as: {
        value: oneOf("form", { compact: { about: "a line for each" }, json: { about: "JSON lines, for programs" } }),
        about: "How entries are written.",
        default: "compact",
      },
    },
    heading: ["{kind} logs", "of {in}"],
    examples: [
      [`follow webhooks ${failedFilter}`, "each webhook that fails, as it fails"],
      [
        "follow connections channel:lobby since:10m",
        "who left the lobby in the last 10 minutes, and who leaves it next",
      ],
    ],
  }),
  command({
    name: "login",
    effect: "makes",
    about: "Asks for address, project and API key of a service, tries them, and keeps them for you alone.",
    arguments: { profile: { value: profile, about: "A name for them. Without one: default." } },
    examples: [
      ["login", "one service"],
      ["login staging", "another one beside it"],
    ],
  }),
  command({
    name: "logout",
    effect: "deletes",
    about: "Forgets a profile and its key.",
    arguments: { profile: { value: profile, about: "Which one. Without one: the one that is used now." } },
    examples: [["logout staging", "its key is no longer kept here"]],
  }),
  command({
    name: "profiles",
    effect: "reads",
    about: "Lists the services that you logged in to.",
    examples: [["profiles", "the one that is used now has a star"]],
  }),
  command({
    name: "use",
    effect: "makes",
    about: "Says which profile is used from now on.",
    arguments: { profile: { value: profile, about: "Which one.", required: true } },
    examples: [["use staging", "what follows is asked there"]],
  }),
  command({
    name: "completion",
    effect: "reads",
    about: "Prints what a shell needs to complete commands.",
    arguments: {
      shell: {
        value: oneOf("shell", {
          bash: { about: 'into ~/.bashrc: eval "$(media completion bash)"' },
          zsh: { about: 'into ~/.zshrc: eval "$(media completion zsh)"' },
          fish: { about: "into config.fish: media completion fish | source" },
        }),
        about: "Which shell.",
        required: true,
      },
    },
    examples: [["completion bash", 'in ~/.bashrc: eval "$(media completion bash)"']],
  }),
] as const;

/** What can be typed after `media`. */
export const language = defineLanguage([...coreCommands, ...ownCommands]);

/** A command that was understood. */
export type Command = CommandOf<(typeof coreCommands)[number] | (typeof ownCommands)[number]>;

/** The one of them with this name. */
export type CommandNamed<Name extends Command["name"]> = Extract<Command, { name: Name }>;

/** What understanding needs of a session. */
interface Reading {
  readonly screen: Pick<Session["screen"], "now" | "timeZone">;
  readonly world: Pick<Session["world"], "now">;
}

/**
 * Understands what was typed.
 *
 * @throws {CliError} with what was wrong, and what would be right as it must be typed in a shell.
 */
export function understand(words: readonly string[], session: Reading): Command {
  const inUtc = language.parse(words, { now: session.world.now() });
  // To ask for the zone takes as long as all the rest.
  if (inUtc.ok && !language.isTimed(inUtc.command)) return inUtc.command;
  const read = language.parse(words, session.screen);
  if (read.ok) return read.command;
  const { reason, nearest } = read.problem;
  throw new CliError(nearest === "" ? reason : `${reason} Try: media ${forShell(nearest)}`, 2);
}
