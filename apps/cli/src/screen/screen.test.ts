import { expect, it } from "vitest";
import { screenOf } from "../session.js";

const terminal = { isTTY: true, columns: 120 };
const pipe = { isTTY: false, columns: 0 };

it.each([
  ["a terminal", terminal, {}, { width: 120, color: true }],
  ["a terminal with NO_COLOR", terminal, { NO_COLOR: "1" }, { width: 120, color: false }],
  ["a terminal with an empty NO_COLOR, which has no effect", terminal, { NO_COLOR: "" }, { width: 120, color: true }],
  ["a terminal without colours", terminal, { TERM: "dumb" }, { width: 120, color: false }],
  ["a terminal without a width", { isTTY: true, columns: 0 }, {}, { width: 80, color: true }],
  ["a terminal with COLUMNS", terminal, { COLUMNS: "60" }, { width: 60, color: true }],
  ["a terminal with an invalid COLUMNS", terminal, { COLUMNS: "-5" }, { width: 120, color: true }],
  ["a pipe", pipe, {}, { width: Number.POSITIVE_INFINITY, color: false }],
  ["a pipe with COLUMNS", pipe, { COLUMNS: "60" }, { width: 60, color: false }],
  ["a pipe with FORCE_COLOR", pipe, { FORCE_COLOR: "1" }, { width: Number.POSITIVE_INFINITY, color: true }],
  [
    "a pipe with FORCE_COLOR and NO_COLOR",
    pipe,
    { FORCE_COLOR: "1", NO_COLOR: "1" },
    { width: Number.POSITIVE_INFINITY, color: false },
  ],
])("%s", (_, output, env, screen) => {
  expect(screenOf(output, env)).toEqual(screen);
});
