import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { language } from "../language.js";
import { BUTTON, OPTION } from "../saved-command.js";
import { Refused } from "../slack/blocks.js";
import { ids } from "../test/entries.js";
import { pageIn, readTraceView, type TraceView, traceViewIn, writeTraceView } from "./view.js";

const now = Date.parse("2026-11-21T14:05:30Z");

function viewOf(text: string, more: Partial<TraceView> = {}): TraceView {
  const read = language.parse(text, { now });
  if (!read.ok || read.command.name !== "trace") throw new Error(`no trace: ${text}`);
  return { command: read.command, page: undefined, periodMs: undefined, back: undefined, ...more };
}

const older = { order: "newest", skip: 2, since: undefined, until: "2026-11-21T14:03:22.123456Z" } as const;
const newer = { order: "oldest", skip: 0, since: "2026-11-21T14:03:22.0000000000001Z", until: undefined } as const;

describe("a serialized trace", () => {
  it.each([
    viewOf(`trace ${ids.connection_id} in:demo`),
    viewOf("trace 0J9V6TQ2…W1NA is:connection in:demo", { page: older }),
    viewOf('trace "main hall@demo" is:channel since:2h until:1h', { page: newer }),
    viewOf("trace client:c1 last:20", { back: "@why-page now why in:demo" }),
    viewOf("trace lobby since:2h", { page: { ...older, since: "2026-11-21T12:05:30Z" }, periodMs: 7_200_000 }),
  ])("is parsed as the same trace later, with its page and the way back: $command.what", (view) => {
    const later = now + 3_600_000;
    expect(readTraceView(writeTraceView(view) ?? "", later)).toEqual(view);
    const further = viewOf("trace client:c2", { back: writeTraceView(view) });
    expect(readTraceView(writeTraceView(further) ?? "", later)).toEqual(further);
  });

  it("means the last 2 hours before now, if it is of the newest lines", () => {
    const view = viewOf("trace lobby since:2h", { periodMs: 7_200_000 });
    const later = now + 1_800_000;
    const command = { ...view.command, since: later - 7_200_000 };
    expect(readTraceView(writeTraceView(view) ?? "", later)).toEqual({ ...view, command });
  });

  it("fits an option with its page, and leaves out the way back before anything else", () => {
    const view = viewOf(`trace ${ids.connection_id} is:connection in:demo`, { page: newer });
    const back = `@trace-page ${writeTraceView(viewOf("trace lobby@demo is:channel in:demo"))}`;
    expect(readTraceView(writeTraceView({ ...view, page: undefined, back }, OPTION) ?? "", now)?.back).toBe(back);
    const long = { ...view, back: `@trace-page ${"x".repeat(OPTION)}` };
    expect(readTraceView(writeTraceView(long, OPTION) ?? "", now)).toEqual(view);
    expect(writeTraceView(viewOf(`trace ${"x".repeat(OPTION)}`), OPTION)).toBeUndefined();
    expect(writeTraceView(viewOf(`trace ${"x".repeat(BUTTON)}`))).toBeUndefined();
  });

  it.each([
    "",
    "new",
    "new help",
    "new logs webhooks",
    "old trace lobby",
    "n,-,- trace lobby",
    "n,-,-,x trace lobby",
    "n,20261321140322,-,0 trace lobby",
    "x,-,-,0 trace lobby",
    "n,-,-,99999 trace lobby",
    "new 9999:trace lobby",
  ])("is parsed from no other text, and the person is told: %s", (text) => {
    expect(readTraceView(text, now)).toBeUndefined();
    expect(() => traceViewIn(text, { now: () => now, prefix: "/ops" })).toThrow(Refused);
  });

  it("is parsed from no random text", () => {
    fc.assert(fc.property(fc.string(), (text) => readTraceView(text, now) === undefined));
  });
});

it("the page of a request has its times as text", () => {
  const request = { what: "lobby", order: "oldest", since: new Date(now), skip: 3 } as const;
  expect(pageIn(request)).toEqual({ order: "oldest", since: "2026-11-21T14:05:30.000Z", until: undefined, skip: 3 });
});
