import { checkBlocks } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { language } from "./language.js";
import { notUnderstood, readCommand } from "./run.js";

describe("the corrected command", () => {
  it("is on a button that Slack accepts, for any length of text and of the command's name", () => {
    for (const prefix of ["/media", "/media-of-the-acme-company-staging"]) {
      const { blocks } = notUnderstood("No.", `logs webhooks url:${"x".repeat(200)}`, { prefix });
      expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
      expect(JSON.stringify(blocks)).toContain(`${prefix} logs webhooks`);
    }
  });

  it("has no button if it exceeds the length of a button's value", () => {
    const { blocks } = notUnderstood("No.", `logs webhooks url:${"x".repeat(2000)}`, { prefix: "/media" });
    expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
    expect(JSON.stringify(blocks)).not.toContain("xx");
  });
});

describe("the times of any command", () => {
  const when = { now: Date.parse("2026-11-21T14:05:30Z") };
  const inTokyo = { ...when, timeZone: "Asia/Tokyo" };
  const request = { now: () => when.now, timeZone: inTokyo.timeZone };
  const typed = language.commands.flatMap(({ name, arguments: words = {}, options = {} }) => {
    const needed = Object.values(words).filter(({ required, open }) => required || open);
    const begun = [name, ...needed.map(({ value }) => value.example)].join(" ");
    const named = [...Object.keys(words), ...Object.entries(options).map(([member, { word = member }]) => word)];
    return named.map((word) => `${begun} ${word}:2026-11-20`);
  });

  it("depend on the time zone", () => {
    const read = (text: string, where: object) => JSON.stringify(language.parse(text, { ...when, ...where }));
    expect(typed.filter((text) => read(text, when) !== read(text, inTokyo))).toContain(
      "token lobby starting:2026-11-20",
    );
  });

  it.each(typed.filter((text) => language.parse(text, when).ok))("are in the person's own time zone: %s", (text) => {
    expect(readCommand(text, request)).toEqual(language.parse(text, inTokyo));
  });
});
