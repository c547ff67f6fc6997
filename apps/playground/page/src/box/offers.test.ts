import { expect, test } from "vitest";
import { isContinued, namedOffers, readSuggestions } from "./offers.js";

const commands = [{ name: "/media", about: "Logs and tokens", hint: "logs webhooks" }];
const shortcuts = [{ callbackId: "media_token", name: "Make an access token", about: "A token" }];

test.each([
  ["/", ["/media", "Make an access token"]],
  ["/me", ["/media"]],
  ["/tok", ["Make an access token"]],
  ["/media", ["/media"]],
  ["/media ", []],
  ["hello /", []],
  ["", []],
])("to %j is offered %j", (text, words) => {
  expect(namedOffers(text, commands, shortcuts).map(({ word }) => word)).toEqual(words);
});

test("a line is continued by the playground once its command stands there", () => {
  expect(["/media ", "/media lo", "/media", "/mediation x", "hi"].map((text) => isContinued(text, commands))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("what is no suggestion is left out", () => {
  const one = { line: "/media logs", word: "logs", about: "Show logs" };
  expect(readSuggestions([one, {}, "x", { line: 1 }])).toEqual([one]);
  expect(readSuggestions({ error: "no" })).toEqual([]);
});
