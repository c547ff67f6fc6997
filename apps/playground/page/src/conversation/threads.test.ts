import type { SeenMessage } from "@media-ops/fake-slack";
import { expect, test } from "vitest";
import { threadAt, threadsOf } from "./threads.js";

const message = (ts: string, threadTs?: string, isOnlyVisibleToYou = false): SeenMessage => ({
  ...{ ts, threadTs, isOnlyVisibleToYou },
  ...{ channelId: "C1", from: "ann", fromId: "U1", text: ts, blocks: [], isEdited: false, files: [] },
});
const root = message("1.0");
const other = message("2.0");
const replies = [message("3.0", "1.0"), message("4.0", "1.0"), message("5.0", "1.0", true)];
const all = [root, other, ...replies];

test("a channel shows no replies, but how many everyone sees, and the time of the last one", () => {
  const { shown, replies: found } = threadsOf(all);
  expect(shown).toEqual([root, other]);
  expect([...found]).toEqual([["1.0", { count: 2, last: "4.0" }]]);
});

test("a thread has all replies that the person sees", () => {
  expect(threadAt(all, "1.0")).toEqual({ root, replies });
  expect(threadAt(all, "2.0")).toEqual({ root: other, replies: [] });
});

test.each([undefined, "9.0", "3.0"])("there is no thread at %s", (ts) => {
  expect(threadAt(all, ts)).toBeUndefined();
});
