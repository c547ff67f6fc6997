import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { language } from "./language.js";
import { notUnderstood, readCommand } from "./run.js";

describe("what would have been right", () => {
  it("stands on a button that Slack takes, however long it is, and the command's name", () => {
    for (const prefix of ["/media", "/media-of-the-acme-company-staging"]) {
      const { blocks } = notUnderstood("No.", `logs webhooks url:${"x".repeat(200)}`, { prefix });
      expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
      expect(JSON.stringify(blocks)).toContain(`${prefix} logs webhooks`);
    }
  });

  it("stands on none if it is more than a button bears", () => {
    const { blocks } = notUnderstood("No.", `logs webhooks url:${"x".repeat(2000)}`, { prefix: "/media" });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(JSON.stringify(blocks)).not.toContain("xx");
  });
});

describe("a time of any command", () => {
  const when = { now: Date.parse("2026-11-21T14:05:30Z") };
  const inTokyo = { ...when, timeZone: "Asia/Tokyo" };
  const request = { now: () => when.now, timeZone: inTokyo.timeZone };
  const typed = language.commands.flatMap(({ name, arguments: words = {}, options = {} }) => {
    const needed = Object.values(words).filter(({ required, open }) => required || open);
    const begun = [name, ...needed.map(({ value }) => value.example)].join(" ");
    const named = [...Object.keys(words), ...Object.entries(options).map(([member, { word = member }]) => word)];
    return named.map((word) => `${begun} ${word}:2026-11-20`);
  });

  it("is there", () => {
    const read = (text: string, where: object) => JSON.stringify(language.parse(text, { ...when, ...where }));
    expect(typed.filter((text) => read(text, when) !== read(text, inTokyo))).toContain(
      "token lobby starting:2026-11-20",
    );
  });

  it.each(typed.filter((text) => language.parse(text, when).ok))("is read in the person's own zone: %s", (text) => {
    expect(readCommand(text, request)).toEqual(language.parse(text, inTokyo));
  });
});
