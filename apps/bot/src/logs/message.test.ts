import { logKinds } from "@media-ops/contract";
import { checkBlocks } from "@media-ops/fake-slack";
import type { SlackBlock, SlackMessage } from "@media-ops/formatters/slack";
import { createMediaClient, type LogKind } from "@media-ops/sdk";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry, Project } from "../connections/connections.js";
import { smallPrint } from "../slack/answer.js";
import { notShared } from "../test/entries.js";
import { type Bookmark, bookmarks, type Listing, NEWEST, positionOf } from "./listing.js";
import { buttonsFor, emptyMessage, pageDraft, sharedMessage } from "./logs.js";

const now = Date.parse("2026-11-21T14:05:30Z");
const kinds = Object.keys(logKinds) as LogKind[];

/** Texts with Slack's markup, long ones that fill a table before a page is full, and unusual ones. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("<!channel>", "<@U1>", "&".repeat(60), "😀".repeat(60), "x".repeat(5000), "\n", ""),
);
const anyTime = fc
  .date({ noInvalidDate: true, min: new Date("1960-01-01"), max: new Date("2200-01-01") })
  .map((date) => date.toISOString());

/** Any entries that a service may list, in any order. */
const anyEntries = (kind: LogKind): fc.Arbitrary<Entry[]> => {
  const value = fc.oneof(anyText, anyTime, fc.integer(), fc.constantFrom(200, 503, null));
  const fields = Object.keys(logKinds[kind].fields);
  const entry = fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] });
  // A third-party service may list anything, even against its contract.
  return fc.array(fc.oneof({ weight: 9, arbitrary: entry }, fc.jsonValue()), { maxLength: 60 }) as fc.Arbitrary<
    Entry[]
  >;
};

const anyListing: fc.Arbitrary<Listing> = fc.constantFrom(...kinds).chain((kind) =>
  fc
    .record({
      entries: anyEntries(kind),
      project: fc.oneof(
        fc.constant("demo"),
        anyText.filter((text) => text.trim() !== ""),
      ),
      heading: anyText,
      note: fc.option(anyText, { nil: undefined }),
      as: fc.constantFrom("table", "compact"),
      url: anyText,
      withBack: fc.boolean(),
    })
    .map(({ entries, project, heading, note, as, url, withBack }): Listing => {
      const test = { is: "containing", any: [url] } as const;
      const filters = url.trim() === "" || kind !== "webhooks" ? [] : [{ field: "url", negated: true, test }];
      const bookmark: Bookmark = { command: { name: "logs", kind, in: project, filters, as }, spot: NEWEST };
      const listing = listingOf(withBack ? { ...bookmark, back: bookmarks.write(bookmark) } : bookmark, entries);
      return { ...listing, heading, note };
    }),
);

const baseUrl = "http://127.0.0.1:1";
const client = createMediaClient({ baseUrl, apiKey: "planted" });

function listingOf(bookmark: Bookmark, entries: Entry[]): Listing {
  const id = bookmark.command.in ?? "demo";
  const connection = { teamId: "T1", projectId: id, baseUrl, connectedBy: undefined, connectedAt: undefined };
  const project: Project = { id, ask: (call) => call(client, {}), shared: notShared, connection };
  return {
    project,
    saved: bookmark,
    entries,
    found: entries.length,
    of: undefined,
    before: 0,
    hasOlder: false,
    heading: "logs",
    note: undefined,
    wider: [],
    now,
    timeZone: "Asia/Kolkata",
  };
}

/** Checks the invariants of every message: Slack accepts it, its controls are unique, and the notification is short. */
function expectRight({ blocks, text }: SlackMessage): void {
  expect(checkBlocks(blocks, "message")).toEqual({ ok: true });
  const ids = [...JSON.stringify(blocks).matchAll(/"action_id":"([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(text.length).toBeLessThan(2500);
  expect(text).not.toMatch(/<[!@#]/);
}

/** The number of entries shown. */
const rowsIn = (blocks: readonly SlackBlock[]): number =>
  blocks.reduce((sum, block) => {
    if (block.type === "data_table") return sum + block.rows.length - 1;
    return block.type === "section" ? sum + (block.text?.text.split("\n").length ?? 0) : sum;
  }, 0);

/** The number of entries before the start of the next page. */
function lastBeforeOlder(blocks: readonly SlackBlock[], entries: readonly Entry[]): number | undefined {
  const key = /"older:([^ ]+) /.exec(JSON.stringify(blocks))?.[1];
  return key === undefined ? undefined : positionOf(entries, key).at;
}

describe("for any entries and any query,", () => {
  it("Slack accepts the message, as a table and as lines, for one person and for everyone", () => {
    fc.assert(
      fc.property(anyListing, fc.boolean(), (listing, isShareable) => {
        if (listing.entries.length === 0) return expectRight(emptyMessage(listing, []));
        const draft = pageDraft(listing, (shownPage) => buttonsFor(listing, shownPage, isShareable));
        const shared = sharedMessage(listing, smallPrint("Shared"));
        if (typeof shared === "string") throw new Error(shared);
        for (const { compact, ...message } of [draft, shared]) {
          expectRight(message);
          if (compact) expectRight(compact());
        }
      }),
    );
  });

  it("the next page starts after the last entry shown, even if lines have less room than a table", () => {
    fc.assert(
      fc.property(anyListing, (listing) => {
        fc.pre(listing.entries.length > 0);
        const draft = pageDraft(listing, (shownPage) => buttonsFor(listing, shownPage, true));
        for (const { blocks } of [draft, ...(draft.compact ? [draft.compact()] : [])]) {
          const rows = rowsIn(blocks);
          expect(rows).toBeGreaterThan(0);
          expect([rows - 1, undefined]).toContain(lastBeforeOlder(blocks, listing.entries));
        }
      }),
    );
  });

  it("the next page starts earlier if lines have less room than a table", () => {
    const wide = "&".repeat(60);
    const entries = Array.from({ length: 30 }, (_, at): Entry => {
      const timestamp = new Date(now - at * 1000).toISOString();
      return { timestamp, type: wide, url: wide, status: 200, elapsed_time_ms: at };
    });
    const command = { name: "logs", kind: "webhooks", in: "demo", filters: [] } as const;
    const listing = listingOf({ command, spot: NEWEST }, entries);
    const draft = pageDraft(listing, (shownPage) => buttonsFor(listing, shownPage, true));
    const lines = draft.compact?.().blocks ?? [];
    expect([rowsIn(draft.blocks), lastBeforeOlder(draft.blocks, entries)]).toEqual([20, 19]);
    expect(rowsIn(lines)).toBeLessThan(20);
    expect(lastBeforeOlder(lines, entries)).toBe(rowsIn(lines) - 1);
  });

  it("each control contains a bookmark of the page that it promises", () => {
    fc.assert(
      fc.property(anyListing, (listing) => {
        fc.pre(listing.entries.length > 0);
        const { blocks } = pageDraft(listing, (shownPage) => buttonsFor(listing, shownPage, true));
        const values = [...JSON.stringify(blocks).matchAll(/"value":("(?:[^"\\]|\\.)*")/g)];
        for (const [, value = '""'] of values) {
          const read = bookmarks.read(String(JSON.parse(value)), now);
          expect(read?.command).toMatchObject({ kind: listing.saved.command.kind, in: listing.saved.command.in });
        }
      }),
    );
  });
});
