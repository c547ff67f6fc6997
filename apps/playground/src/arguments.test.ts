import { describe, expect, it } from "vitest";
import { ArgumentError, readArguments } from "./arguments.js";

const nothing = { fresh: false, help: false, port: undefined };

describe("the command line of start", () => {
  it.each([
    [[], nothing],
    [["--fresh"], { ...nothing, fresh: true }],
    [["--", "--fresh"], { ...nothing, fresh: true }],
    [["--port", "4100"], { ...nothing, port: 4100 }],
    [["--port=4100", "--fresh"], { fresh: true, help: false, port: 4100 }],
    [["-h"], { ...nothing, help: true }],
  ])("%j is read", (args, expected) => {
    expect(readArguments(args)).toEqual(expected);
  });

  it.each([
    [["--frehs"], "start has no option --frehs. Did you mean --fresh? Options: --fresh, --port, --help."],
    [["fresh"], "start takes options only, and one of the words belongs to none. Options: --fresh, --port, --help."],
    [["--port"], "--port needs a value: --port <n>."],
    [["--port", "page"], '--port must be a number from 1 to 65535, but is "page". Example: --port 4100.'],
    [["--port", "65536"], '--port must be a number from 1 to 65535, but is "65536". Example: --port 4100.'],
  ])("%j is refused with what is right", (args, message) => {
    expect(() => readArguments(args)).toThrow(new ArgumentError(message));
  });
});
