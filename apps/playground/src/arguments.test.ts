import { describe, expect, it } from "vitest";
import { ArgumentError, readArguments } from "./command-line.js";

const nothing = { fresh: false, help: false, port: undefined };

describe("what is typed behind start", () => {
  it.each([
    [[], nothing],
    [["--fresh"], { ...nothing, fresh: true }],
    [["--", "--fresh"], { ...nothing, fresh: true }],
    [["--port", "4100"], { ...nothing, port: 4100 }],
    [["--port=4100", "--fresh"], { fresh: true, help: false, port: 4100 }],
    [["-h"], { ...nothing, help: true }],
  ])("%j is understood", (args, expected) => {
    expect(readArguments(args)).toEqual(expected);
  });

  it.each([
    [["--frehs"], "There is no option --frehs. There are: --fresh, --port, --help."],
    [["fresh"], "There is no option fresh. There are: --fresh, --port, --help."],
    [["--prot", "1"], "There is no option --prot. There are: --fresh, --port, --help."],
    [["--everything"], "There is no option --everything. There are: --fresh, --port, --help."],
    [["--port"], "--port is a number from 1 to 65535: --port 4100."],
    [["--port", "page"], "--port is a number from 1 to 65535, not page: --port 4100."],
    [["--port", "65536"], "--port is a number from 1 to 65535, not 65536: --port 4100."],
  ])("%j is told with what would be right", (args, message) => {
    expect(() => readArguments(args)).toThrow(new ArgumentError(message));
  });
});
