import { LogLevel, WebClient } from "@slack/web-api";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { language } from "../language.js";
import { BUTTON, OPTION } from "../saved-command.js";
import { Refused } from "../slack/blocks.js";
import { type Bookmark, bookmarkIn, readBookmark, writeBookmark } from "./bookmark.js";
import { canShare } from "./message.js";

const now = Date.parse("2026-11-21T14:05:30Z");
const key = "hx3k9q2m1a.Zk3_9aQx.1";

function bookmarkOf(text: string, more: Partial<Bookmark> = {}): Bookmark {
  const read = language.parse(text, { now });
  if (!read.ok || read.command.name !== "logs") throw new Error(`no logs: ${text}`);
  return { command: read.command, spot: { is: "older", key }, first: undefined, back: undefined, ...more };
}

describe("a serialized bookmark", () => {
  it.each([
    bookmarkOf("logs webhooks in:demo"),
    bookmarkOf("logs webhooks status>=400 since:2h in:demo", { first: key }),
    bookmarkOf('logs sessions channel:"main hall" -channel:"a:b 7:c" last:50 as:compact', { spot: { is: "newest" } }),
    bookmarkOf("connections", { spot: { is: "around", key, before: 3, count: 20 } }),
    bookmarkOf("logs webhooks since:2h in:demo", { periodMs: 7_200_000 }),
  ])("is parsed as the same bookmark later, with the way back: $command.kind", (bookmark) => {
    const text = writeBookmark(bookmark) ?? "";
    const later = now + 3_600_000;
    expect(readBookmark(text, later)).toEqual(bookmark);
    const further = bookmarkOf("logs connections session:7N3DS2KQ4H1WZ9M5XG8TCVB6RY in:demo", { back: text });
    const written = writeBookmark(further) ?? "";
    expect(readBookmark(written, later)).toEqual(further);
    const furthest = bookmarkOf("logs sessions", { back: written });
    expect(readBookmark(writeBookmark(furthest) ?? "", later)).toEqual(furthest);
  });

  it("means the last 2 hours before now, if it points to the newest entries", () => {
    const bookmark = bookmarkOf("logs webhooks since:2h in:demo", { spot: { is: "newest" }, periodMs: 7_200_000 });
    const later = now + 1_800_000;
    const command = { ...bookmark.command, since: later - 7_200_000 };
    expect(readBookmark(writeBookmark(bookmark) ?? "", later)).toEqual({ ...bookmark, command });
  });

  it("drops the way back if the text would be too long, and is undefined if it is still too long", () => {
    const bookmark = bookmarkOf("logs webhooks in:demo", { back: "x".repeat(OPTION) });
    expect(writeBookmark(bookmark)).toContain("xxx");
    expect(readBookmark(writeBookmark(bookmark, OPTION) ?? "", now)).toEqual({ ...bookmark, back: undefined });
    const long = bookmarkOf(`logs webhooks url~${"x".repeat(OPTION)}`);
    expect(writeBookmark(long, OPTION)).toBeUndefined();
    expect(writeBookmark(long)?.length).toBeLessThanOrEqual(BUTTON);
  });

  it("is not parsed from any other text", () => {
    for (const text of ["", "new -", "new - help", "new x logs webhooks", "old - logs webhooks", "logs webhooks"]) {
      expect(readBookmark(text, now)).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (text) => readBookmark(text, now) === undefined));
  });
});

const request = { now: () => Date.parse("2026-11-21T14:05:30Z"), prefix: "/media" };

it("a control that can't be parsed says how to get a new one", () => {
  const words = "This message is too old to use. /media logs shows a new one.";
  expect(() => bookmarkIn("new - logs parrots", request)).toThrow(Refused);
  expect(() => bookmarkIn("", request)).toThrow(words);
  expect(bookmarkIn("new - logs webhooks", request).command.kind).toBe("webhooks");
});

describe("whether a page can be shared", () => {
  it("is no if Slack does not say which conversation it is, and the listing is still shown", async () => {
    const slackApiUrl = "http://127.0.0.1:1/api/";
    const slack = new WebClient("planted", { slackApiUrl, retryConfig: { retries: 0 }, logLevel: LogLevel.ERROR });
    expect(await canShare({ slack, userId: "U1", channelId: "D1" })).toBe(false);
  });
});
