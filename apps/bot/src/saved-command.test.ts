import { LogLevel, WebClient } from "@slack/web-api";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CommandNamed, language } from "./language.js";
import { type Bookmark, bookmarks } from "./logs/listing.js";
import { canShare } from "./saved-command.js";
import { MAX_BUTTON_VALUE, MAX_OPTION_VALUE, Refused } from "./slack/answer.js";
import { ids } from "./test/entries.js";
import { type TraceView, traces } from "./trace/trace.js";

const now = Date.parse("2026-11-21T14:05:30Z");
const later = now + 3_600_000;
const PERIOD = { periodMs: 7_200_000 };

function commandOf<Name extends "logs" | "trace">(name: Name, text: string): CommandNamed<Name> {
  const read = language.parse(text, { now });
  const isNamed = (command: { name: string }): command is CommandNamed<Name> => command.name === name;
  if (!read.ok || !isNamed(read.command)) throw new Error(`no ${name}: ${text}`);
  return read.command;
}

const key = "hx3k9q2m1a.Zk3_9aQx.1";
const bookmarkOf = (text: string, more: Partial<Bookmark> = {}): Bookmark => ({
  command: commandOf("logs", text),
  spot: { is: "older", key },
  ...more,
});
const viewOf = (text: string, more: Partial<TraceView> = {}): TraceView => ({
  command: commandOf("trace", text),
  ...more,
});

const older = { order: "newest", skip: 2, since: undefined, until: "2026-11-21T14:03:22.123456Z" } as const;
const newer = { order: "oldest", skip: 0, since: "2026-11-21T14:03:22.0000000000001Z", until: undefined } as const;

describe("what a control contains", () => {
  it.each([
    bookmarkOf("logs webhooks in:demo"),
    bookmarkOf("logs webhooks status>=400 since:2h in:demo", { first: key }),
    bookmarkOf('logs sessions channel:"main hall" -channel:"a:b 7:c" last:50 as:compact', { spot: { is: "newest" } }),
    bookmarkOf("connections", { spot: { is: "around", key, before: 3, count: 20 } }),
    bookmarkOf("logs webhooks since:2h in:demo", PERIOD),
  ])("is parsed as the same page of a log later, with the way back: $command.kind", (bookmark) => {
    const text = bookmarks.write(bookmark) ?? "";
    expect(bookmarks.read(text, later)).toEqual(bookmark);
    const further = bookmarkOf("logs connections session:7N3DS2KQ4H1WZ9M5XG8TCVB6RY in:demo", { back: text });
    const written = bookmarks.write(further) ?? "";
    expect(bookmarks.read(written, later)).toEqual(further);
    const furthest = bookmarkOf("logs sessions", { back: written });
    expect(bookmarks.read(bookmarks.write(furthest) ?? "", later)).toEqual(furthest);
  });

  it.each([
    viewOf(`trace ${ids.connection_id} in:demo`),
    viewOf("trace 0J9V6TQ2…W1NA is:connection in:demo", { page: older }),
    viewOf('trace "main hall@demo" is:channel since:2h until:1h', { page: newer }),
    viewOf("trace client:c1 last:20", { back: "@why-page now why in:demo" }),
    viewOf("trace lobby since:2h", { page: { ...older, since: "2026-11-21T12:05:30Z" }, ...PERIOD }),
  ])("is parsed as the same page of a trace later, with the way back: $command.what", (view) => {
    expect(traces.read(traces.write(view) ?? "", later)).toEqual(view);
    const further = viewOf("trace client:c2", { back: traces.write(view) });
    expect(traces.read(traces.write(further) ?? "", later)).toEqual(further);
  });

  it("means the last 2 hours before now, if it points to the newest entries or lines", () => {
    const since = later - PERIOD.periodMs;
    const bookmark = bookmarkOf("logs webhooks since:2h in:demo", { spot: { is: "newest" }, ...PERIOD });
    const readBookmark = bookmarks.read(bookmarks.write(bookmark) ?? "", later);
    expect(readBookmark).toEqual({ ...bookmark, command: { ...bookmark.command, since } });
    const view = viewOf("trace lobby since:2h", PERIOD);
    expect(traces.read(traces.write(view) ?? "", later)).toEqual({ ...view, command: { ...view.command, since } });
  });

  it("drops the way back if the text would be too long, and is undefined if it is still too long", () => {
    const bookmark = bookmarkOf("logs webhooks in:demo", { back: "x".repeat(MAX_OPTION_VALUE) });
    expect(bookmarks.write(bookmark)).toContain("xxx");
    const read = bookmarks.read(bookmarks.write(bookmark, MAX_OPTION_VALUE) ?? "", now);
    expect(read).toEqual({ ...bookmark, back: undefined });
    const long = bookmarkOf(`logs webhooks url~${"x".repeat(MAX_OPTION_VALUE)}`);
    expect(bookmarks.write(long, MAX_OPTION_VALUE)).toBeUndefined();
    expect(bookmarks.write(long)?.length).toBeLessThanOrEqual(MAX_BUTTON_VALUE);
    expect(traces.write(viewOf(`trace ${"x".repeat(MAX_BUTTON_VALUE)}`))).toBeUndefined();
  });

  it("fits an option, if it is a trace with its page or with a way back", () => {
    const view = viewOf(`trace ${ids.connection_id} is:connection in:demo`, { page: newer });
    const back = `@trace-page ${traces.write(viewOf("trace lobby@demo is:channel in:demo"))}`;
    const written = traces.write({ ...view, page: undefined, back }, MAX_OPTION_VALUE) ?? "";
    expect(traces.read(written, now)?.back).toBe(back);
    const long = { ...view, back: `@trace-page ${"x".repeat(MAX_OPTION_VALUE)}` };
    expect(traces.read(traces.write(long, MAX_OPTION_VALUE) ?? "", now)).toEqual(view);
  });

  it.each([
    ...["", "new -", "new - help", "new x logs webhooks", "old - logs webhooks", "logs webhooks", "new - logs parrots"],
    ...["new", "new help", "new logs webhooks", "old trace lobby", "n,-,- trace lobby", "n,-,-,x trace lobby"],
    ...["n,20261321140322,-,0 trace lobby", "x,-,-,0 trace lobby", "n,-,-,99999 trace lobby", "new 9999:trace lobby"],
  ])("is parsed from no other text, and the person is told how to get a new answer: %j", (text) => {
    for (const kept of [bookmarks, traces]) {
      expect(kept.read(text, now)).toBeUndefined();
      const words = `This message is too old to use. /ops ${kept.name} shows a new one.`;
      expect(() => kept.in(text, { now: () => now, prefix: "/ops" })).toThrow(new Refused(words));
    }
  });

  it("is parsed from no random text", () => {
    const isRead = (text: string) => [bookmarks, traces].some((kept) => kept.read(text, now));
    fc.assert(fc.property(fc.string(), (text) => !isRead(text)));
  });
});

it("sharing is not offered if Slack does not say which conversation it is, and the answer is still shown", async () => {
  const slackApiUrl = "http://127.0.0.1:1/api/";
  const slack = new WebClient("planted", { slackApiUrl, retryConfig: { retries: 0 }, logLevel: LogLevel.ERROR });
  expect(await canShare({ slack, userId: "U1", channelId: "D1" })).toBe(false);
});
