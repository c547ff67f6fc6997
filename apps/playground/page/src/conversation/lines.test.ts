import { expect, test } from "vitest";
import { linesOf } from "./lines.js";

const at = (time: string, from: string, isOnlyVisibleToYou = false) => ({
  ts: String(Date.parse(time) / 1000),
  channelId: "C1",
  from,
  fromId: "",
  text: time,
  blocks: [],
  isOnlyVisibleToYou,
  isEdited: false,
  files: [],
});

const told = (timeZone: string) =>
  linesOf(
    [
      at("2026-11-21T21:00:00Z", "ann"),
      at("2026-11-21T21:01:00Z", "ann"),
      at("2026-11-21T21:02:00Z", "bot", true),
      at("2026-11-21T21:03:00Z", "bot"),
      at("2026-11-21T21:30:00Z", "bot"),
      at("2026-11-21T23:30:00Z", "bot"),
    ],
    [{ id: 1, channelId: "C1", at: Date.parse("2026-11-21T21:02:30Z"), text: "/x failed" }],
    timeZone,
  ).map((line) => (line.kind === "message" ? `${line.message.from}${line.isNext ? " next" : ""}` : line.kind));

test("names a sender once for what they say in a row, but never what is for you alone", () => {
  expect(told("UTC")).toEqual(["day", "ann", "ann next", "bot", "notice", "bot", "bot", "bot"]);
});

test("begins a day where the reader's zone does", () => {
  expect(told("Europe/Berlin").filter((line) => line === "day")).toHaveLength(2);
});
