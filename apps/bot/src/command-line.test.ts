import { describe, expect, it } from "vitest";
import { help, readArguments, UsageError } from "./command-line.js";

const understand = (line: string) => readArguments(line === "" ? [] : line.split(" "));

function complaintAbout(line: string): string {
  try {
    understand(line);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error("It was understood.");
}

describe("the command line", () => {
  const migration = { kind: "migrate-store", from: "sqlite:a.db", to: "postgres://db/a" };

  it.each([
    ["", { kind: "start", isNew: false }],
    ["--", { kind: "start", isNew: false }],
    ["--new", { kind: "start", isNew: true }],
    ["--help", { kind: "help" }],
    ["-h", { kind: "help" }],
    ["migrate-store --help", { kind: "help" }],
    ["--version", { kind: "version" }],
    ["backup copy.db", { kind: "backup", file: "copy.db" }],
    ["restore copy.db", { kind: "restore", file: "copy.db" }],
    ["restore --help", { kind: "help" }],
    ["distribute", { kind: "distribute" }],
    ["migrate-store --from sqlite:a.db --to postgres://db/a", migration],
    ["-- --to=postgres://db/a --from=sqlite:a.db migrate-store", migration],
  ])("media-bot %s is read", (line, asked) => {
    expect(understand(line)).toEqual(asked);
  });

  it.each([
    ["serve", 'Unknown command "serve". media-bot --help lists the commands.'],
    ["--loud", "media-bot has no option --loud. Options: --new, --help, --version."],
    ["backup copy.db --new", "media-bot backup has no option --new. Options: --help, --version."],
    ["migrate-store --new", "media-bot migrate-store has no option --new. Options: --from, --to, --help, --version."],
    ["--from sqlite:a.db", "media-bot has no option --from. Options: --new, --help, --version."],
    ["migrate-store", "Missing --from: --from sqlite:./data/bot.db"],
    ["migrate-store --from sqlite:a.db", "Missing --to: --to postgres://media@db.example/media"],
    ["migrate-store --from --to b", "--from needs a value: --from <database>."],
    ["migrate-store a.db", /^Unexpected argument "a\.db"\. Usage: media-bot migrate-store --from/],
    ["distribute all", 'Unexpected argument "all". Usage: media-bot distribute'],
    ["restore", "Missing <backup>. Usage: media-bot restore <backup>"],
    ["backup a.db b.db", 'Unexpected argument "b.db". Usage: media-bot backup <file>'],
  ])("media-bot %s is refused with a hint at the correct usage", (line, complaint) => {
    expect(complaintAbout(line)).toMatch(complaint);
  });
});

it("the help lists every command and option, and fits a terminal of 80 columns", () => {
  for (const command of [
    "media-bot",
    "media-bot backup <file>",
    "media-bot restore <backup>",
    "media-bot migrate-store",
    "media-bot distribute",
  ]) {
    expect(help.split("\n")).toContain(command);
  }
  for (const option of ["--from", "--to", "--help", "--version"]) expect(help).toContain(`  ${option} `);
  expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
});
