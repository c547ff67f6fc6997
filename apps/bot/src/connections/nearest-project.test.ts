import { expect, it } from "vitest";
import { nearestProject } from "./nearest-project.js";

const projects = ["demo", "production", "staging-eu", "staging-us"];

it.each([
  ["dem", "demo"],
  ["Demo", "demo"],
  ["dmeo", "demo"],
  ["deom", "demo"],
  ["d", undefined],
  ["demoo", "demo"],
  ["prodction", "production"],
  ["staging-uss", "staging-us"],
  ["staging", "staging-eu"],
  ["x", undefined],
  ["", undefined],
  ["🎥🎥🎥🎥", undefined],
  ["demo".padEnd(64, "o"), undefined],
])("%j was meant to be %j", (typed, meant) => {
  expect(nearestProject(typed, projects)).toBe(meant);
});

it("where there is none, none was meant", () => {
  expect(nearestProject("demo", [])).toBeUndefined();
});
