import { describe, expect, it } from "vitest";
import { formatWhy } from "../terminal/index.js";
import { now } from "../test/samples.js";
import { colours } from "../test/terminal-text.js";
import { calmWhy, partialWhy, why } from "../test/why-samples.js";

describe("an explanation in the terminal", () => {
  it("has the most likely cause, the totals, and each cause", () => {
    expect(formatWhy(why, { now, width: 110, title: "Why lobby, in the last 20 min" }).split("\n")).toEqual([
      "Why lobby, in the last 20 min",
      "Most likely: ICE timeout on node-2: 45 connections of 44 clients failed, 2 in the 20 min before.",
      "",
      "Connected   120 (118 before)",
      "Ended well  71 (110 before)",
      "Failed      45 (2 before)",
      "Refused     1,678 (0 before)",
      "Period      13:45:30–14:05:30 UTC, compared with the 20 min before",
      "",
      "ICE timeout on node-2: 45 connections of 44 clients failed, 2 before",
      "Clients: viewer-1 (2×, 4.4%), viewer-2 (1×), viewer-3 (1×), viewer-4 (1×), viewer-5 (1×) and 39 more",
      "Node: node-2",
      "Channels: lobby (30×, 67%), stage 2 & backstage (15×)",
      "",
      "Token expired in lobby: client c7 was refused 1,666 times, none before",
      "Client: c7",
      "Node: node-1",
      "Channel: lobby",
      "",
      "Channel full (5 of 5) in stage 2 & backstage: 12 attempts of 2 clients were refused",
      "Clients: c1 (10×, 83%), c3 (2×)",
      "Nodes: node-1 (7×, 58%), node-2 (5×)",
      "Channel: stage 2 & backstage",
    ]);
  });

  it("says that nothing failed, and of how many, only if all was counted", () => {
    expect(formatWhy({ ...calmWhy, before: undefined }, { now, width: 110 }).split("\n")).toEqual([
      "Why connections fail",
      "Nothing failed: 120 connections were made, 118 ended well, and no client was refused.",
      "",
      "Connected   120",
      "Ended well  118",
      "Failed      0",
      "Refused     0",
      "Period      13:45:30–14:05:30 UTC",
    ]);
    const partial = formatWhy(partialWhy, { now, width: 110, color: true });
    expect(colours(partial)).toMatch(
      /^<31>Incomplete: only 13:52:10–14:05:30 UTC was counted\.<39>\n<1>Why connections fail<22>\nNothing failed in what was counted/,
    );
  });
});
