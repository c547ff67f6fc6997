import { expect, it } from "vitest";
import { Refused } from "../refused.js";
import { bookmarkIn } from "./listing.js";

const request = { now: () => Date.parse("2026-11-21T14:05:30Z"), prefix: "/media" };

it("says of a control that is no longer understood how to get a new one", () => {
  const words = "This message is too old to be used. /media logs shows a new one.";
  expect(() => bookmarkIn("new - logs parrots", request)).toThrow(Refused);
  expect(() => bookmarkIn("", request)).toThrow(words);
  expect(bookmarkIn("new - logs webhooks", request).command.kind).toBe("webhooks");
});
