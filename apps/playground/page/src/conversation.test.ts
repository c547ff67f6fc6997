import type { SeenMessage } from "@media-ops/fake-slack";
import { expect, test } from "vitest";
import { linesOf, threadAt, threadsOf } from "./conversation.js";

const message = (ts: string, more: Partial<SeenMessage> = {}): SeenMessage => ({
  ...{ ts, channelId: "C1", from: "ann", fromId: "U1", threadTs: undefined, text: ts, blocks: [], files: [] },
  ...{ isOnlyVisibleToYou: false, isEdited: false },
  ...more,
});
const at = (time: string, from: string, isOnlyVisibleToYou = false) =>
  message(String(Date.parse(time) / 1000), { from, isOnlyVisibleToYou });

const shown = (timeZone: string) =>
  linesOf(
    [
      at("2026-11-21T21:00:00Z", "ann"),
      at("2026-11-21T21:01:00Z", "ann"),
      at("2026-11-21T21:02:00Z", "bot", true),
      at("2026-11-21T21:03:00Z", "bot"),
      at("2026-11-21T21:30:00Z", "bot"),
      at("2026-11-21T23:30:00Z", "bot"),
      // The page adds Slackbot's lines without sorting them.
      at("2026-11-21T21:02:30Z", "Slackbot", true),
    ],
    timeZone,
  ).map(({ message, isNext }) => (message ? `${message.from}${isNext ? " next" : ""}` : "day"));

test("shows a sender once for consecutive messages, except for private ones", () => {
  expect(shown("UTC")).toEqual(["day", "ann", "ann next", "bot", "Slackbot", "bot", "bot", "bot"]);
});

test("starts a new day at midnight in the reader's time zone", () => {
  expect(shown("Europe/Berlin").filter((line) => line === "day")).toHaveLength(2);
});

const [root, other] = [message("1.0"), message("2.0")];
const replies = [
  message("3.0", { threadTs: "1.0" }),
  message("4.0", { threadTs: "1.0" }),
  message("5.0", { threadTs: "1.0", isOnlyVisibleToYou: true }),
];
const all = [root, other, ...replies];

test("a channel shows no replies, but how many everyone sees, and the time of the last one", () => {
  const { shown, replies: found } = threadsOf(all);
  expect(shown).toEqual([root, other]);
  expect([...found]).toEqual([["1.0", { count: 2, last: "4.0" }]]);
});

test("a thread has all replies that the person sees", () => {
  expect(threadAt(all, "1.0")).toEqual({ root, replies });
  expect(threadAt(all, "2.0")).toEqual({ root: other, replies: [] });
  for (const ts of [undefined, "9.0", "3.0"]) expect(threadAt(all, ts)).toBeUndefined();
});
