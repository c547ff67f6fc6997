import { describe, expect, it } from "vitest";
import { suggest } from "./suggest.js";

const app = {
  name: "Media Ops",
  commands: [{ command: "/media", description: "Logs and tokens", usage_hint: "logs webhooks", should_escape: false }],
  shortcuts: [{ type: "global", callback_id: "media_token", name: "Make an access token", description: "A token" }],
};
const linesFor = (line: string) => suggest(app, line).flatMap((suggestion) => suggestion.line ?? []);

describe("suggestions for a typed line", () => {
  it.each([
    ["/", ["/media "]],
    ["/me", ["/media "]],
    ["/media", ["/media "]],
    ["hello", []],
    ["", []],
    ["/other lo", []],
    ["/media lo", ["/media logs "]],
    ["/media logs web", ["/media logs webhooks "]],
    ["@", ["@Media Ops "]],
    ["is it us? @me", ["is it us? @Media Ops "]],
    ["@Media Ops logs web", ["@Media Ops logs webhooks "]],
    ["what do the @Media Ops lo", ["what do the @Media Ops logs "]],
    ["ann@me", []],
    ["@Bob", []],
    ["/media  token  role:r", ["/media  token  role:recvonly "]],
  ])("%j is completed to %j", (line, expected) => {
    expect(linesFor(line)).toEqual(expect.arrayContaining(expected));
    if (expected.length === 0) expect(linesFor(line)).toEqual([]);
  });

  it.each([
    ["/", ["/media", "Make an access token"]],
    ["/me", ["/media"]],
    ["/tok", ["Make an access token"]],
    ["/media", ["/media"]],
    ["hello /", []],
    ["/mediation x", []],
  ])("include the command and shortcuts whose name starts with %j", (line, words) => {
    expect(suggest(app, line).map(({ word }) => word)).toEqual(words);
  });

  it("exclude the word that is already typed", () => {
    expect(linesFor("/media status")).not.toContain("/media status ");
  });

  it("include filters without a trailing space, each with a description", () => {
    const filter = suggest(app, "/media logs webhooks sta").find(({ word }) => word.startsWith("status"));
    expect(filter?.line).toMatch(/^\/media logs webhooks status\W+$/);
    for (const { about } of suggest(app, "/media logs ")) expect(about).not.toBe("");
  });
});
