import { coreCommands, selectionOptions } from "../commands.js";
import { type CommandOf, command } from "../grammar.js";
import { kind } from "../kinds.js";
import { defineLanguage, type ParseOptions } from "../language.js";
import { checkCommand, checkInTerminal, operationCommands } from "../operations.js";
import { duration, text } from "../values.js";
import { dailySpan, slackChannel, threshold, timeOfDay } from "../watch-values.js";

/** Saturday, 21 November 2026, 12:00 UTC. */
export const when: ParseOptions = { now: Date.parse("2026-11-21T12:00:00.000Z") };

/** Commands with the values that only Slack's commands have. */
export const slackCommands = [
  command({
    name: "watch",
    hints: "alert notify tell",
    effect: "makes",
    about: "Watches a log.",
    arguments: { kind: { value: kind, about: "The log.", required: true } },
    filters: true,
    options: {
      when: { value: threshold, about: "The limit." },
      over: {
        value: duration({ min: 10_000, max: 6 * 3_600_000, example: "5m", short: true }),
        about: "The time over which it measures.",
        phrase: "within {}",
      },
      in: selectionOptions.in,
      quiet: { value: dailySpan, about: "When it posts nothing.", phrase: "quiet from {}" },
    },
    heading: ["watch of {kind} logs", "of {in}"],
    examples: [["watch webhooks failed", "each failure"]],
  }),
  command({
    name: "watches",
    hints: "alerts",
    effect: "reads",
    about: "Lists the watches.",
    options: { in: selectionOptions.in },
    examples: [["watches", "all"]],
  }),
  command({
    name: "digest",
    effect: "makes",
    about: "Posts the day's figures.",
    options: {
      at: { value: timeOfDay, about: "The time of day." },
      channel: { value: slackChannel, word: "in", about: "The channel of Slack.", phrase: "in {}" },
      project: { value: text({ name: "project", example: "demo" }), about: "The project." },
    },
    heading: ["daily digest", "of {project}"],
    examples: [["digest at:09:00", "every morning"]],
  }),
] as const;

/** A parsed one of them. */
export type SlackCommand = CommandOf<(typeof slackCommands)[number]>;

/** The language of Slack, as far as this package has it. */
export const language = defineLanguage([...coreCommands, ...operationCommands, ...slackCommands], [checkInTerminal]);

/** The language of the terminal, as far as this package has it. */
export const terminal = defineLanguage([...coreCommands, ...operationCommands, checkCommand]);
