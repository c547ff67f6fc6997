import { type CommandLine, readCommandLine as read } from "@media-ops/settings/command-line";
import { type Command, UsageError } from "./command.js";
import { commonOptions, usageOf, versionOption } from "./usage.js";

/**
 * Reads what was typed after `media-ops`. `json`, `help` and, without a command, `version` are among the options.
 *
 * @throws {UsageError} which says what is wrong, and what is right.
 */
export function readCommandLine(args: readonly string[], commands: readonly Command[]): CommandLine<Command> {
  const commandLine = read(args, { name: "media-ops", commands, options: [versionOption], commonOptions, usageOf });
  const [fault] = commandLine.faults;
  if (fault !== undefined) throw new UsageError(fault);
  return commandLine;
}
