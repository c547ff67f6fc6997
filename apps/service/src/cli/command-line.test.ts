import { expect, it } from "vitest";
import { UsageError } from "./command.js";
import { readCommandLine } from "./command-line.js";
import { commands } from "./run.js";

it("reads a command line by the table of commands", () => {
  const { command, parameters, given } = readCommandLine(["projects", "list", "--json"], commands);
  expect({ name: command?.name, parameters, json: given.switches.has("json") }).toEqual({
    name: "projects list",
    parameters: [],
    json: true,
  });
  expect(() => readCommandLine(["projects", "create"], commands)).toThrow(UsageError);
  expect(() => readCommandLine(["--jsno"], commands)).toThrow(
    "media-ops has no option --jsno. Did you mean --json? Options: --version, --json, --help.",
  );
});

it("options of the same name accept a value in every command, or in none", () => {
  const kinds = new Map<string, Set<boolean>>();
  for (const { name, value } of commands.flatMap(({ options = [] }) => options)) {
    kinds.set(name, (kinds.get(name) ?? new Set()).add(value !== undefined));
  }
  expect([...kinds].filter(([, { size }]) => size > 1)).toEqual([]);
});
