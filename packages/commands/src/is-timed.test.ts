import { describe, expect, it } from "vitest";
import { coreCommands, selectionOptions } from "./commands.js";
import { type CommandSpec, command } from "./grammar.js";
import { isTimed } from "./language.js";
import { slackCommands, when } from "./test/language.js";
import { zoneNamed } from "./times.js";
import { moment } from "./values.js";

const commands: CommandSpec[] = [
  ...coreCommands,
  ...slackCommands,
  command({
    name: "peak",
    effect: "reads",
    about: "Shows the busiest channel.",
    options: selectionOptions,
    examples: [["peak", ""]],
  }),
  command({
    name: "at",
    effect: "reads",
    about: "Shows how it was at a time.",
    arguments: {
      time: { value: moment({ direction: "back", pastOnly: true, example: "2h" }), about: "When." },
    },
    examples: [["at 09:00", ""]],
  }),
  command({ name: "login", effect: "makes", about: "Keeps a key.", examples: [["login", ""]] }),
];

describe("a command with times", () => {
  it("has filters, or an argument or option that is a time", () => {
    expect(commands.filter(isTimed).map(({ name }) => name)).toEqual([
      "logs",
      "summary",
      "trace",
      "why",
      "token",
      "watch",
      "peak",
      "at",
    ]);
  });

  it.each(commands)(
    "is detected by its values, each of which declares whether it depends on the time zone: $name",
    (spec) => {
      for (const [subject, { value }] of Object.entries({ ...spec.arguments, ...spec.options })) {
        const read = (zone: string, text: string) =>
          value.parse(text, { now: when.now, zone: zoneNamed(zone), subject, topics: [] });
        const depends = ["09:00", "yesterday", "2026-11-20"].some(
          (text) => JSON.stringify(read("UTC", text)) !== JSON.stringify(read("Asia/Tokyo", text)),
        );
        expect(value.zoned ?? false, subject).toBe(depends);
      }
    },
  );
});
