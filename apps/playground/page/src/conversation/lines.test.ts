import { expect, test } from "vitest";
import { linesOf } from "./lines.js";

const at = (time: string, from: string, isOnlyVisibleToYou = false) => ({
  ts: String(Date.parse(time) / 1000),
  channelId: "C1",
  from,
  fromId: "",
  threadTs: undefined,
  text: time,
  blocks: [],
  isOnlyVisibleToYou,
  isEdited: false,
  files: [],
});

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
