import { type CoreCommand, coreCommands } from "./commands.js";
import { type DescribeOptions, defineLanguage } from "./language.js";

const core = defineLanguage(coreCommands);

/**
 * A command for people, in one line: for headings. With more commands than the core's, use the language's own.
 *
 * @example describe(command, { project: "demo", now }) // "webhook logs of demo, status ≥ 400, last 2 hours"
 */
export function describe(command: CoreCommand, options?: DescribeOptions): string {
  return core.describe(command, options);
}

/** The text that is parsed as this very command, now or at any later time: for a button. */
export function write(command: CoreCommand): string {
  return core.write(command);
}
