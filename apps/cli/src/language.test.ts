import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LogKind as TypedLogKind } from "@media-ops/commands";
import type { LogKind } from "@media-ops/sdk";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type Command, language, slackCommands, understand } from "./language.js";

const when = { now: Date.parse("2026-11-21T14:05:30Z"), timeZone: "UTC" };
const HOUR = 3_600_000;

describe("the terminal's own commands", () => {
  it.each<[text: string, meaning: Command]>([
    ["follow webhooks", { name: "follow", kind: "webhooks", filters: [] }],
    ["tail hooks", { name: "follow", kind: "webhooks", filters: [] }],
    ["watch conns since:1h", { name: "follow", kind: "connections", filters: [], since: when.now - HOUR }],
    ["follow api every:2s as:json", { name: "follow", kind: "api", filters: [], every: 2000, as: "json" }],
    ["follow sessions in:demo", { name: "follow", kind: "sessions", filters: [], in: "demo" }],
    [
      "follow webhooks -status:200",
      {
        name: "follow",
        kind: "webhooks",
        filters: [{ field: "status", negated: true, test: { is: "within", any: [{ from: 200, to: 200 }] } }],
      },
    ],
    ["login", { name: "login" }],
    ["login staging", { name: "login", profile: "staging" }],
    ["logout", { name: "logout" }],
    ["logout staging", { name: "logout", profile: "staging" }],
    ["profiles", { name: "profiles" }],
    ["use staging", { name: "use", profile: "staging" }],
    ["completion zsh", { name: "completion", shell: "zsh" }],
    ["help follow", { name: "help", topic: "follow" }],
  ])("%s", (text, meaning) => {
    expect(language.parse(text, when)).toEqual({ ok: true, command: meaning });
    expect(language.parse(text.split(" "), when)).toEqual({ ok: true, command: meaning });
    expect(language.parse(language.write(meaning), when)).toEqual({ ok: true, command: meaning });
  });

  it.each([
    ["follow", "follow needs a kind: sessions, connections, api, media-api, webhooks or events. Try: help follow"],
    ["folow webhooks", 'Unknown command "folow". Did you mean follow? Try: follow webhooks'],
    ["follow webhook every:0s", 'every must be at least 1 second, not "0s". Try: help follow'],
    ["follow webhooks as:csv", 'as takes compact or json, not "csv". Try: help follow'],
    ["follow webhooks as:jsno", 'as takes compact or json, not "jsno". Try: follow webhooks as:json'],
    [
      "follow webhooks until:1h",
      "follow has no option until; logs, summary, trace, why, deliveries, resend and audit have it. Try: help follow",
    ],
    ["use", "use needs a profile, such as demo. Try: help use"],
    ["completion powershell", 'completion takes bash, zsh or fish, not "powershell". Try: help completion'],
    ["login a b", 'login takes one profile: "b" is one too many. Try: help login'],
    [
      'use "my profile"',
      'A profile name has letters, digits, ".", "_" and "-", and does not begin with "." or "-". Try: use my-profile',
    ],
  ])("%s is answered with one sentence", (text, message) => {
    const read = language.parse(text, when);
    expect(!read.ok && `${read.problem.reason} Try: ${read.problem.nearest}`).toBe(message);
  });
});

describe("a command that only the Slack bot has", () => {
  const understood = (...words: string[]) => understand(words, { screen: when, world: { now: () => when.now } });

  it.each([
    [["watches"], "watches", "media follow webhooks failed"],
    [["digest", "at:09:00"], "digest", "media summary webhooks since:1d"],
    [["help", "digest"], "digest", "media summary webhooks since:1d"],
    [["Projects"], "projects", "media profiles"],
  ])("%j is answered with where it works, and the nearest command here", (words, name, nearest) => {
    const message = `"${name}" is a command of the Slack bot: type /media ${name} there. Here, try: ${nearest}`;
    expect(() => understood(...words)).toThrow(expect.objectContaining({ message, exitCode: 2 }));
  });

  it("is answered so by each of its names, and with a valid command", () => {
    const source = readFileSync(join(import.meta.dirname, "../../bot/src/language.ts"), "utf8");
    const specs = source.matchAll(/\bcommand\(\{\s*name: "(\w+)",(?:\s*aliases: \[(.*)\])?/g);
    const names = [...specs].flatMap(([, name = "", aliases = ""]) => [name, ...(aliases.match(/\w+/g) ?? [])]);
    const here = language.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    const missing = names.filter((name) => !here.includes(name));
    expect(missing).toContain("watches");
    expect([...slackCommands.keys()].sort()).toEqual(missing.sort());
    for (const text of slackCommands.values()) expect(language.parse(text, when).ok).toBe(true);
  });

  it("is not taken for one that the terminal has, too", () => {
    expect(understood("watch", "webhooks")).toMatchObject({ name: "follow" });
    expect(understood("use", "staging")).toMatchObject({ name: "use" });
  });
});

it("knows the logs that the SDK can list", () => {
  expectTypeOf<TypedLogKind>().toEqualTypeOf<LogKind>();
});

describe("the times of any command", () => {
  const inTokyo = { ...when, timeZone: "Asia/Tokyo" };
  const session = { screen: inTokyo, world: { now: () => when.now } };
  const typed = language.commands.flatMap(({ name, arguments: words = {}, options = {} }) => {
    const needed = Object.values(words).filter(({ required, open }) => required || open);
    const begun = [name, ...needed.map(({ value }) => value.example)].join(" ");
    const named = [...Object.keys(words), ...Object.entries(options).map(([member, { word = member }]) => word)];
    return named.map((word) => `${begun} ${word}:2026-11-20`);
  });

  it("depend on the time zone", () => {
    const read = (text: string, where: typeof when) => JSON.stringify(language.parse(text, where));
    expect(typed.filter((text) => read(text, when) !== read(text, inTokyo))).toContain(
      "token lobby starting:2026-11-20",
    );
  });

  it.each(typed.filter((text) => language.parse(text, when).ok))("are in the user's own time zone: %s", (text) => {
    expect({ ok: true, command: understand(text.split(" "), session) }).toEqual(language.parse(text, inTokyo));
  });
});
