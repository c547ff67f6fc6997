import { describe, expect, it } from "vitest";
import { help, readArguments, UsageError } from "./arguments.js";

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

describe("what is typed", () => {
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
    ["migrate-store --from sqlite:a.db --to postgres://db/a", migration],
    ["-- --to=postgres://db/a --from=sqlite:a.db migrate-store", migration],
  ])("as media-bot %s is understood", (line, asked) => {
    expect(understand(line)).toEqual(asked);
  });

  it.each([
    ["serve", 'There is no command "serve". media-bot alone starts the bot; media-bot --help says more.'],
    ["--loud", "There is no option --loud. Options are --new, --from, --to, --help and --version."],
    ["--constructor", "There is no option --constructor. Options are --new, --from, --to, --help and --version."],
    ["backup copy.db --new", "media-bot backup has no option --new."],
    ["migrate-store --new", "media-bot migrate-store has no option --new."],
    ["migrate-store -x", "There is no option -x. Options are --new, --from, --to, --help and --version."],
    ["--from sqlite:a.db", /^What is to be done with it\? Usage: media-bot migrate-store --from/],
    ["migrate-store", "--from is missing: --from sqlite:./data/bot.db"],
    ["migrate-store --from sqlite:a.db", "--to is missing: --to postgres://media@db.example/media"],
    ["migrate-store --from --to b", "--from needs a value: --from <sqlite:file>."],
    ["migrate-store --to", "--to needs a value: --to <postgres:address>."],
    ["migrate-store --to a --to b", "--to is given twice. Give it once."],
    ["migrate-store a.db", /^"a\.db" is one too many\. Usage: media-bot migrate-store --from/],
    ["restore", "The file is missing. Usage: media-bot restore <backup>"],
    ["backup a.db b.db", '"b.db" is one too many. Usage: media-bot backup <file>'],
    ["restore a.db --to b", "media-bot restore has no option --to."],
  ])("as media-bot %s is refused with what can be typed", (line, complaint) => {
    expect(complaintAbout(line)).toMatch(complaint);
  });
});

it("the help names every command and option, and fits a terminal of 80 columns", () => {
  for (const command of [
    "media-bot",
    "media-bot backup <file>",
    "media-bot restore <backup>",
    "media-bot migrate-store",
  ]) {
    expect(help.split("\n")).toContain(command);
  }
  for (const option of ["--from", "--to", "--help", "--version"]) expect(help).toContain(`  ${option} `);
  expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
});
