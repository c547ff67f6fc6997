import { selectionOptions } from "../commands.js";
import { type CommandOf, command } from "../grammar.js";
import { kind } from "../kinds.js";
import { dailySpan, timeOfDay } from "../values/daily-types.js";
import { slackChannel } from "../values/slack-channel.js";
import { threshold } from "../values/threshold.js";
import { duration } from "../values/time-types.js";
import { text } from "../values/value-type.js";

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
    instead: {
      since: { use: "over", rule: "set the time with over:5m" },
      until: { command: "logs", rule: "logs lists a period" },
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
