import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.js";

const commands = [
  "projects create",
  "projects list",
  "projects update",
  "webhooks set",
  "webhooks show",
  "webhooks remove",
  "serve",
];

describe("the nearest known word", () => {
  it.each([
    ["projects lst", "projects list"],
    ["project create", "projects create"],
    ["projects crate", "projects create"],
    ["sreve", "serve"],
    ["webhooks shwo", "webhooks show"],
  ])("is found for the slip %j", (typed, meant) => {
    expect(nearest(typed, commands)).toBe(meant);
  });

  it.each(["projects delete", "project delete", "projects remove", "webhooks get", "webhooks delete", "webhooks", "x"])(
    "is none for %j, which means another thing",
    (typed) => {
      expect(nearest(typed, commands)).toBeUndefined();
    },
  );
});
