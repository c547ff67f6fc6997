import { coreCommands } from "../commands.js";
import { type AnyCommand, command, type Effect } from "../grammar.js";
import { defineLanguage } from "../language.js";
import { oneOf, text } from "../values/value-type.js";
import { slackCommands } from "./slack-commands.js";
import { when } from "./when.js";

const project = { value: text({ name: "project", example: "demo" }), about: "Which one.", required: true } as const;

/** The core's commands, and some with every effect and similar names. */
export const language = defineLanguage([
  ...coreCommands,
  ...slackCommands,
  command({ name: "projects", effect: "reads", about: "Lists them.", examples: [["projects", ""]] }),
  command({ name: "connect", effect: "makes", about: "Makes one.", examples: [["connect", ""]] }),
  command({ name: "disconnect", effect: "deletes", about: "Forgets one.", arguments: { project }, examples: [] }),
  command({ name: "login", effect: "makes", about: "Keeps a key.", examples: [["login", ""]] }),
  command({ name: "logout", effect: "deletes", about: "Forgets a key.", examples: [["logout", ""]] }),
  command({
    name: "use",
    effect: "makes",
    about: "Chooses one.",
    arguments: { project },
    options: { where: { value: oneOf("place", { here: { about: "" }, everywhere: { about: "" } }), about: "Where." } },
    examples: [["use demo", ""]],
  }),
]);

/** The effect of each command. */
export const effects = new Map<string, Effect>(language.commands.map(({ name, effect }) => [name, effect]));

/** The command that is typed, if it parses. */
export function commandOf(typed: string, timeZone = "UTC"): AnyCommand | undefined {
  const result = language.parse(typed, { ...when, timeZone });
  return result.ok ? result.command : undefined;
}

/** The command that is suggested for input that does not parse; undefined if it parses. */
export function offerFor(typed: string, timeZone = "UTC"): AnyCommand | undefined {
  const result = language.parse(typed, { ...when, timeZone });
  if (result.ok) return undefined;
  const offer = commandOf(result.problem.nearest, timeZone);
  if (!offer) throw new Error(`${JSON.stringify(result.problem.nearest)} is offered, and not understood`);
  return offer;
}
