import { createMediaClient } from "@media-ops/sdk";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askTrace, type Trace, type TraceRequest } from "../index.js";
import { at, linesOf, lobby, now, setUp } from "../test/lobby.js";

describe("the pages of a trace", () => {
  /** All pages that follow one another in a direction. */
  async function walk(
    trace: (request: TraceRequest) => Promise<Trace>,
    request: TraceRequest,
    to: "older" | "newer",
  ): Promise<Trace[]> {
    const pages: Trace[] = [];
    for (let next: TraceRequest | undefined = request; next; next = pages.at(-1)?.[to]) {
      pages.push(await trace(next));
      if (pages.length > 40) throw new Error("The pages have no end.");
    }
    return pages;
  }

  it("have each line once, in order, for any limit, however many have the same time", async () => {
    const kinds = ["events", "connections", "sessions", "media-api", "webhooks"] as const;
    const entries = fc.array(fc.record({ kind: fc.constantFrom(...kinds), second: fc.nat(6), id: fc.nat(3) }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(
        entries,
        fc.integer({ min: 1, max: 7 }),
        fc.constantFrom(3, 100),
        async (added, limit, maxScanned) => {
          const service = createFakeMediaService({ now: () => now, maxScanned });
          for (const [index, { kind, second, id }] of added.entries()) {
            const entry = { timestamp: at(second), channel_id: lobby };
            const ids = { connection_id: `c${id}`, session_id: `s${id}` };
            if (kind === "events") {
              const type = ["connection.destroyed", "session.destroyed", "connection.created"][index % 3] ?? "";
              service.add("events", { ...entry, ...ids, type, event_id: `${index}` });
            } else if (kind === "media-api" || kind === "webhooks")
              service.add(kind, { ...entry, elapsed_time_ms: index });
            else service.add(kind, { ...entry, ...ids, duration_min: index });
          }
          const client = createMediaClient({ ...service.clientOptions, now: () => now });
          const trace = (request: TraceRequest) => askTrace(client, request);
          const request: TraceRequest = { what: lobby, as: "channel", limit };
          const { lines } = await trace({ ...request, limit: 1000 });
          const back = await walk(trace, request, "older");
          expect([...back].reverse().flatMap((page) => page.lines)).toEqual(lines);
          const forth = await walk(trace, { ...request, order: "oldest" }, "newer");
          expect(forth.flatMap((page) => page.lines)).toEqual(lines);
          // From the oldest page forth again, and from the newest back.
          const [oldest, newest] = [back.at(-1), forth.at(-1)];
          if (oldest?.newer) {
            const others = (await walk(trace, oldest.newer, "newer")).flatMap((page) => page.lines);
            expect([...oldest.lines, ...others]).toEqual(lines);
          }
          if (newest?.older) {
            const others = (await walk(trace, newest.older, "older")).reverse().flatMap((page) => page.lines);
            expect([...others, ...newest.lines]).toEqual(lines);
          }
          for (const page of [...back, ...forth]) {
            expect(page.lines.length).toBeLessThanOrEqual(limit);
            expect(page).toMatchObject({ complete: true, subject: "channel", id: lobby });
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("are asked for with the whole id and the range, so that nothing is looked up again", async () => {
    const { service, trace } = setUp();
    const { older, newer } = await trace({ what: "S1AA…", since: at(0), until: at(400), limit: 3 });
    const whole = { what: "S1AAAAAAAAAAAAAAAAAAAAAAAA", as: "session", limit: 3 };
    expect(older).toEqual({ ...whole, order: "newest", since: "2026-04-01T11:00:00Z", until: "2026-04-01T11:05:10Z" });
    expect(newer).toEqual({ ...whole, order: "oldest", since: "2026-04-01T11:06:40Z" });
    const before = service.calls.length;
    const page = await trace(older ?? { what: "" });
    expect(linesOf(page)).toEqual([
      "200 events connection.destroyed+end",
      "300 events connection.destroyed+end",
      "300 media-api Media_1.DisconnectChannel",
    ]);
    expect(service.calls.length - before).toBeLessThanOrEqual(11);
    expect(linesOf(await trace(page.newer ?? { what: "" }))).toEqual([
      "310 events session.destroyed+end",
      "310 webhooks session.destroyed",
      "340.1 webhooks session.destroyed",
    ]);
  });
});
