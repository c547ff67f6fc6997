import type { LogKind } from "@media-ops/contract";
import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { searchOf, whereOf } from "./filters.js";
import { defineLanguage } from "./language.js";
import { when } from "./test/language.js";

const language = defineLanguage(coreCommands);

function selection(typed: string) {
  const result = language.parse(typed, when);
  if (!result.ok || result.command.name !== "logs") throw new Error(`${typed} was not understood`);
  return result.command;
}

describe("the API's form of a filter", () => {
  it.each<[LogKind, string, object]>([
    ["webhooks", "failed", { failed: true }],
    ["webhooks", "ok", { failed: false }],
    ["webhooks", "status:404", { status: { eq: 404 } }],
    ["webhooks", "-status:404", { status: { not: { eq: 404 } } }],
    ["webhooks", "status:404,500", { status: { eq: [404, 500] } }],
    ["webhooks", "status:404,5xx", { status: { any: [{ eq: 404 }, { gte: 500, lte: 599 }] } }],
    ["webhooks", "status>=400 status<500", { status: { all: [{ gte: 400 }, { lt: 500 }] } }],
    ["webhooks", "elapsed>1.5s", { elapsed_time_ms: { gt: 1500 } }],
    ["webhooks", "url~hooks,HALL", { url: { contains: ["hooks", "HALL"] } }],
    ["webhooks", "-url~hooks", { url: { not: { contains: "hooks" } } }],
    ["webhooks", "type:session.*", { type: { starts_with: "session." } }],
    ["webhooks", "event-id:2M4E*", { event_id: { starts_with: "2M4E" } }],
    ["webhooks", "type:*.created", { type: { like: "*.created" } }],
    ["webhooks", "type:a,b*,c*d", { type: { any: [{ eq: "a" }, { starts_with: "b" }, { like: "c*d" }] } }],
    ["webhooks", 'url:"a*b\\"*', { url: { starts_with: "a*b\\" } }],
    ["webhooks", 'url:*"a*b\\"', { url: { like: "*a\\*b\\\\" } }],
    ["webhooks", "time>=09:00", { timestamp: { gte: "2026-11-21T09:00:00.000Z" } }],
    ["webhooks", "time>09:00", { timestamp: { gte: "2026-11-21T09:00:00.001Z" } }],
    ["webhooks", "time<=09:00", { timestamp: { lt: "2026-11-21T09:00:00.001Z" } }],
    ["webhooks", "time<09:00", { timestamp: { lt: "2026-11-21T09:00:00.000Z" } }],
    ["webhooks", "time:yesterday", { timestamp: { gte: "2026-11-20T00:00:00.000Z", lt: "2026-11-21T00:00:00.000Z" } }],
    ["webhooks", "time<=9999-12-31", { timestamp: { lt: "9999-12-31T23:59:59.999999999Z" } }],
    ["connections", "bytes>10MB", { total_bytes: { gt: 10_000_000 } }],
    ["connections", "duration<90s", { duration_min: { lt: 1.5 } }],
    ["connections", "session:7N3D…B6RY", { session_id: { like: "7N3D*B6RY" } }],
    ["connections", "channel:lobby", { channel: { eq: "lobby" } }],
    ["connections", "-channel~lob", { channel: { not: { contains: "lob" } } }],
    ["connections", "channel~b@d", { channel_id: { contains: "b@d" } }],
    ["sessions", "max:2..10", { max_connections: { gte: 2, lte: 10 } }],
    ["webhooks", "connection:0J9V…W1NA", { connection_id: { like: "0J9V*W1NA" } }],
    ["events", "failed -outcome:refused", { failed: true, outcome: { not: { eq: "refused" } } }],
    ["events", "reason:ICE_TIMEOUT,ice-failed", { reason: { eq: ["ice-timeout", "ice-failed"] } }],
    ["api", "from:bot", { from: { eq: "bot" } }],
    ["api", "-from:*", { from: { not: { like: "*" } } }],
  ])("in %s, %s", (kind, typed, where) => {
    expect(whereOf(kind, selection(`logs ${kind} ${typed}`).filters)).toEqual(where);
  });

  it("of a channel with an @ is its id, or a name with an @", () => {
    const { kind, filters } = selection("logs sessions channel:ann@home");
    expect(whereOf(kind, filters, "demo")).toEqual({ channel_id: { eq: ["ann@home", "ann@home@demo"] } });
    const named = { all: [{ starts_with: "ann@home@" }, { not: { like: "ann@home@*@*" } }] };
    expect(whereOf(kind, filters)).toEqual({ channel_id: { any: [{ eq: "ann@home" }, named] } });
  });

  it("of contradicting words selects nothing", () => {
    const failed = { negated: false, test: { is: "failed" } } as const;
    const both = (field: string) => [
      { field, ...failed },
      { field, ...failed, negated: true },
    ];
    expect(whereOf("webhooks", both("status"))).toEqual({ status: { lt: 0, gt: 0 } });
    expect(whereOf("events", both("outcome"))).toEqual({ outcome: { eq: "ok", not: { eq: "ok" } } });
  });

  it("has at most a hundred members in each list", () => {
    const { kind, filters } = selection(`logs webhooks status:${Array.from({ length: 201 }, (_, n) => n).join(",")}`);
    const { status } = whereOf(kind, filters);
    expect(status?.any?.map(({ eq }) => [eq].flat().length)).toEqual([100, 100, 1]);
    const many = Array.from({ length: 101 }, () => ({
      field: "status",
      negated: false,
      test: { is: ">", value: 1 } as const,
    }));
    expect(whereOf("webhooks", many).status?.all?.map(({ all }) => all?.length)).toEqual([100, undefined]);
  });

  it("of a field that the log does not have is refused", () => {
    const filters = [{ field: "client", negated: false, test: { is: "like", any: [["lobby"]] } as const }];
    expect(() => whereOf("webhooks", filters)).toThrow('webhook logs have no field "client".');
  });
});

describe("the search for a command's entries", () => {
  it("has the period, the end excluded, and only what was asked for", () => {
    expect(searchOf(selection("logs webhooks failed since:2h until:1h"))).toEqual({
      since: "2026-11-21T10:00:00.000Z",
      until: "2026-11-21T11:00:00.000Z",
      where: { failed: true },
    });
    expect(searchOf(selection("logs webhooks"))).toEqual({});
  });
});
