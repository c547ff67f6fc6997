import { describe, expect, it } from "vitest";
import { ArgumentError, readArguments, welcome } from "./command-line.js";
import type { Playground } from "./playground.js";

const nothing = { fresh: false, help: false, port: undefined };

describe("the arguments of start", () => {
  it.each([
    [[], nothing],
    [["--fresh"], { ...nothing, fresh: true }],
    [["--", "--fresh"], { ...nothing, fresh: true }],
    [["--port", "4100"], { ...nothing, port: 4100 }],
    [["--port=4100", "--fresh"], { fresh: true, help: false, port: 4100 }],
    [["-h"], { ...nothing, help: true }],
  ])("%j are accepted", (args, expected) => {
    expect(readArguments(args)).toEqual(expected);
  });

  it.each([
    [["--frehs"], "start has no option --frehs. Did you mean --fresh? Options: --fresh, --port, --help."],
    [["fresh"], "start takes options only, and one of the words belongs to none. Options: --fresh, --port, --help."],
    [["--port"], "--port needs a value: --port <n>."],
    [["--port", "page"], '--port must be a number from 1 to 65535, but is "page". Example: --port 4100.'],
    [["--port", "65536"], '--port must be a number from 1 to 65535, but is "65536". Example: --port 4100.'],
  ])("%j are refused with a hint", (args, message) => {
    expect(() => readArguments(args)).toThrow(new ArgumentError(message));
  });
});

const playground: Playground = {
  url: "http://127.0.0.1:4000",
  realSlack: undefined,
  serviceUrl: "http://127.0.0.1:8080",
  internalUrl: "http://127.0.0.1:8081",
  botUrl: "http://127.0.0.1:3000",
  mediaApiUrl: "http://127.0.0.1:4002",
  projectId: "demo",
  folder: "/home/ann/media-ops/.data",
  keyFile: "/home/ann/media-ops/.data/demo.key",
  stop: async () => {},
};

const linesOf = (all: Playground): string[] => welcome(all, "/home/ann/media-ops").split("\n").filter(Boolean);

it("shows the page's URL first, then the other URLs, in about ten lines", () => {
  const lines = linesOf(playground);
  expect(lines[1]).toMatch(/^ {2}http:\/\/127\.0\.0\.1:4000 +Slack/);
  expect(lines.length).toBeLessThan(11);
  expect(lines.join("\n")).toMatch(/http:\/\/127\.0\.0\.1:8080\/docs/);
  expect(lines.at(-1)).toBe("Ctrl-C stops it. Its data is in .data; npx -y pnpm@12 start --fresh deletes that first.");
});

it("shows a curl command that reads the key from its file", () => {
  expect(welcome(playground, "/home/ann/media-ops")).toContain(`-H "Authorization: Bearer $(cat .data/demo.key)"`);
  const elsewhere = welcome({ ...playground, keyFile: "/home/ann/ann's data/demo.key" }, "/home/ann/media-ops");
  expect(elsewhere).toContain(`$(cat '/home/ann/ann'\\''s data/demo.key')"`);
});

it("reports a connection to the real Slack, without a page URL", () => {
  for (const realSlack of ["token", "oauth"] as const) {
    const lines = linesOf({ ...playground, url: undefined, realSlack });
    expect(lines[0]).toBe("Media Ops is running, and its bot is connected to the real Slack: type /media there.");
    expect(lines[1]).toMatch(/^ {2}http:\/\/127\.0\.0\.1:3000 +the bot; /);
    expect(lines.join()).not.toContain("4000");
  }
});
