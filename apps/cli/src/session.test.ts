import { PassThrough, Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { patiently } from "./connect.js";
import { harmlessCsv, harmlessJson } from "./output.js";
import { shownAddress } from "./profiles.js";
import { noFlags, openSession, requesterOf, screenOf, wrap } from "./session.js";

const terminal = { isTTY: true, columns: 120 };
const pipe = { isTTY: false, columns: 0 };
const width = Number.POSITIVE_INFINITY;

describe("the screen", () => {
  it.each([
    ["a terminal", terminal, {}, { width: 120, color: true }],
    ["a terminal with NO_COLOR", terminal, { NO_COLOR: "1" }, { width: 120, color: false }],
    ["a terminal with an empty NO_COLOR, which has no effect", terminal, { NO_COLOR: "" }, { width: 120, color: true }],
    ["a terminal without colours", terminal, { TERM: "dumb" }, { width: 120, color: false }],
    ["a terminal without a width", { isTTY: true, columns: 0 }, {}, { width: 80, color: true }],
    ["a terminal with COLUMNS", terminal, { COLUMNS: "60" }, { width: 60, color: true }],
    ["a terminal with an invalid COLUMNS", terminal, { COLUMNS: "-5" }, { width: 120, color: true }],
    ["a pipe", pipe, {}, { width, color: false }],
    ["a pipe with COLUMNS", pipe, { COLUMNS: "60" }, { width: 60, color: false }],
    ["a pipe with FORCE_COLOR", pipe, { FORCE_COLOR: "1" }, { width, color: true }],
    ["a pipe with FORCE_COLOR and NO_COLOR", pipe, { FORCE_COLOR: "1", NO_COLOR: "1" }, { width, color: false }],
  ])("of %s", (_, output, env, screen) => {
    expect(screenOf(output, env)).toEqual(screen);
  });
});

describe("a wrapped text", () => {
  const url = "http://127.0.0.1:8080/a";
  it.each([
    ["fits", "one two", 7, 0, "one two"],
    ["is broken between words", "one two three", 7, 0, "one two\nthree"],
    ["is indented below its first line", "term  meaning of it", 13, 6, "term  meaning\n      of it"],
    ["keeps a word whole that is longer than a line", `see ${url} now`, 10, 2, `see\n  ${url}\n  now`],
    ["stays one line in a pipe", "one two three", width, 0, "one two three"],
    ["may be empty", "", 10, 0, ""],
  ])("%s", (_, text, width, indent, lines) => {
    expect(wrap(text, { width, indent })).toBe(lines);
  });
});

it("a long result waits until its reader has taken enough of it, or the command is stopped", async () => {
  const taken: (() => void)[] = [];
  const slow = () =>
    Object.assign(new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void taken.push(done) }), pipe);
  const stopped = new AbortController();
  const outputs = { stdin: new PassThrough(), stdout: slow(), stderr: slow() };
  const machine = { env: {}, home: undefined, account: undefined, platform: "linux" } as const;
  const times = { now: () => 0, timeZone: () => "UTC" };
  const session = openSession({ ...outputs, ...machine, ...times, signal: stopped.signal }, noFlags);
  let delivered = 0;
  const first = session.deliver("first").then(() => {
    delivered += 1;
  });
  await new Promise(setImmediate);
  expect(delivered).toBe(0);
  taken[0]?.();
  await first;
  expect(delivered).toBe(1);
  const second = session.deliver("second");
  stopped.abort();
  await expect(second).rejects.toThrow("aborted");
});

describe("foreign text in a terminal", () => {
  /** Characters that move the cursor, change colours, or change the writing direction. */
  const HARMFUL = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
  const evil = ["\u001b[31mred", "\u009b31m", "\u007f", "\u202egnp.exe", "\u2028", "\u{e0041}"];

  it.each(evil)("is equivalent and harmless as JSON, visible and harmless as CSV: %j", (text) => {
    const json = harmlessJson(`${JSON.stringify({ text })}\n`);
    expect(json).not.toMatch(HARMFUL);
    expect(JSON.parse(json)).toEqual({ text });
    const csv = harmlessCsv(`a,b\r\n${text},2\r\n`);
    expect(csv.replaceAll("\r\n", "\n")).not.toMatch(HARMFUL);
    expect(csv.split("\r\n")).toHaveLength(3);
  });

  it("keeps emoji and scripts with joiners unchanged", () => {
    expect(harmlessJson('"👩‍👧 می‌خواهم"')).toBe('"👩‍👧 می‌خواهم"');
  });
});

describe("a call that takes long", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is reported once", async () => {
    const say = vi.fn();
    const answer = patiently(new Promise((resolve) => setTimeout(resolve, 60_000, "there")), say);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(say).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(57_000);
    expect(say).toHaveBeenCalledOnce();
    expect(await answer).toBe("there");
  });

  it("is not, if the answer arrives or fails in time", async () => {
    const say = vi.fn();
    await patiently(Promise.resolve(), say);
    await patiently(Promise.reject(new Error("no")), say).catch(() => {});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(say).not.toHaveBeenCalled();
  });
});

it.each([
  ["ann@laptop", "cli:ann@laptop"],
  [undefined, "cli:unknown"],
  ["José@büro", "cli:Jose@buro"],
  ["ann lee@laptop", "cli:ann?lee@laptop"],
  ["花子@laptop\n", "cli:??@laptop?"],
  ["a".repeat(300), `cli:${"a".repeat(251)}`],
])("the name by which %j requests things is visible ASCII: %s", (account, name) => {
  expect(requesterOf({ account })).toBe(name);
});

it.each([
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["https://media.example/", "https://media.example"],
  ["https://media.example/some/path/", "https://media.example/some/path"],
  ["https://user:secret@media.example", "https://media.example"],
  ["https://media.example?key=secret#secret", "https://media.example"],
  ["user:secret@media.example", "(no address)"],
  ["secret", "(no address)"],
  ["https://media.example/\u001b[31m", "https://media.example/%1B[31m"],
])("the address %s is shown as %s", (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});
