import { kinds } from "@media-ops/commands";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it } from "vitest";
import { ago, delivery, event } from "./test/entries.js";
import { startPlainService, startRunningService } from "./test/services.js";
import { atTerminal, type Ended, newUser } from "./test/user.js";

/** A few entries of each kind, the newest first, as in a project in use. */
function someEntries(): { [Kind in LogKind]: LogEntryOf<Kind>[] } {
  const session_id = "01KAKR6WJ0V8Q3T5Z7N2D4F6H8";
  const lived = { created_timestamp: ago(45), destroyed_timestamp: ago(1), duration_min: 44 };
  return {
    sessions: [
      { timestamp: ago(1), channel_id: "lobby@demo", session_id, total_connections: 12, max_connections: 7, ...lived },
    ],
    connections: [
      {
        timestamp: ago(1),
        channel_id: "lobby@demo",
        session_id,
        client_id: "camera-7",
        bundle_id: "bundle-1",
        connection_id: "01KAKV0A1H5K7N9Q2S4V6X8Z0B",
        total_received_bytes: 1_284_331_902,
        total_sent_bytes: 48_120,
        ...lived,
      },
    ],
    api: [{ timestamp: ago(1), url: "https://media.example/orgs/list-api-logs", status: 429, elapsed_time_ms: 3 }],
    "media-api": [
      {
        timestamp: ago(1),
        media_target: "Media_20151104.DisconnectChannel",
        channel_id: "lobby@demo",
        status: 200,
        elapsed_time_ms: 41,
      },
    ],
    webhooks: [
      delivery(1, "connection.created", 200, 84),
      delivery(2, "session.created", 503, 1240),
      delivery(130, "session.created", 404, 36),
    ],
    events: [
      event(1, "connection.destroyed", "ok"),
      event(2, "connection.failed", "failed", { reason: "ice-timeout", media_reason: "ICE-TIMEOUT" }),
      event(3, "admission.refused", "refused", { reason: "channel-full", detail: "5 of 5", count: 7 }),
    ],
  };
}

const entries = someEntries();
let media: (...words: string[]) => Promise<Ended>;

const atEnd = closeAfterAll();
beforeAll(async () => {
  const service = await startRunningService(atEnd);
  for (const kind of kinds) await service.add(kind, ...entries[kind]);
  media = (await newUser(service.env, atEnd)).run;
});

describe("media logs", () => {
  it.each([
    ["sessions", ["Time (UTC)", "lobby", "12", "7", "44 min", "01KAKR6W…F6H8"]],
    ["connections", ["camera-7", "1.28 GB", "48.1 kB", "01KAKV0A1H5K7N9Q2S4V6X8Z0B".slice(0, 8)]],
    ["api", ["▲ 429", "3 ms", "media.example/orgs/list-api-logs"]],
    ["media-api", ["✓ 200", "41 ms", "Media_20151104.DisconnectChannel", "lobby"]],
    ["webhooks", ["✗ 503", "1.24 s", "session.created", "hooks.example/media", "1 min ago"]],
    ["events", ["refused", "channel full (5 of 5)", "ICE timeout", "camera-7", "lobby"]],
  ])("shows %s as a table", async (kind, texts) => {
    const { code, out, err } = await media("logs", kind);
    for (const text of texts) expect(out).toContain(text);
    expect(err).toMatch(/^\d+ (?:media )?(?:API )?(?:session|connection|call|webhook|event)s?\n$/);
    expect(code).toBe(0);
  });

  it("shows the matching entries, and how many there are", async () => {
    const { out, err, code } = await media("logs", "webhooks", "status>=400", "since:1h");
    expect(out.split("\n")).toHaveLength(3);
    expect(out).toContain("✗ 503");
    expect(err).toBe("1 webhook of 2 in the last hour, status ≥ 400\n");
    expect(code).toBe(0);
  });

  it("says so if nothing matches, and prints nothing for programs", async () => {
    expect(await media("webhooks", "status:418")).toEqual({
      code: 0,
      out: "",
      err: "0 webhooks of 3, status 418\n",
    });
  });

  it("prints each entry unchanged as a line of JSON", async () => {
    for (const words of [["--json"], ["as:json"]]) {
      const { out, err } = await media("logs", "webhooks", ...words);
      const lines = out.trimEnd().split("\n");
      expect(lines.map((line) => JSON.parse(line))).toEqual(entries.webhooks);
      expect(err).toBe("");
    }
  });

  it("prints CSV with every field", async () => {
    const { out } = await media("connections", "as:csv");
    expect(out.split("\r\n")[0]?.split(",").toSorted()).toEqual(Object.keys(entries.connections[0] ?? {}).toSorted());
    expect(out).toContain(",1284331902,48120,");
    expect(out.endsWith("\r\n")).toBe(true);
  });

  it("shows at most the requested number", async () => {
    const { out, err } = await media("logs", "webhooks", "last:1", "as:compact");
    expect(out.trimEnd().split("\n")).toEqual([expect.stringContaining("✓ 200")]);
    expect(err).toContain("2 more: last:3 shows all, as:csv > webhooks.csv without last:1 writes all.");
  });

  it("shows fifty by default, and says how to see the others", async () => {
    const service = await startRunningService();
    await service.add("webhooks", ...Array.from({ length: 1000 }, (_, at) => delivery(at / 100, "x.y", 200, at)));
    const user = await newUser(service.env);
    const { out, err } = await user.media(["logs", "webhooks"]);
    expect(out.trimEnd().split("\n")).toHaveLength(51);
    expect(err).toBe("1,000 webhooks\n950 more: last:1000 shows all, as:csv > webhooks.csv writes all.\n");
    expect((await user.media(["logs", "webhooks", "as:json"])).out.trimEnd().split("\n")).toHaveLength(1000);
  });
});

describe("at a terminal", () => {
  const name = "\u001b[31mred\u009b1m\u202e";
  const channel_id = `${name}@demo`;
  const columns = 60;

  it.each(["as:table", "as:compact", "as:csv", "as:json"])(
    "%s shows control characters in a name, and the terminal executes none",
    async (as) => {
      const url = await startPlainService(() => [{ ...entries.sessions[0], channel_id }]);
      const { code, out } = await atTerminal(["logs", "sessions", as], columns, {
        MEDIA_BASE_URL: url,
        MEDIA_API_KEY: "mo_a_b",
        NO_COLOR: "1",
      });
      expect(code).toBe(0);
      expect(out).toContain("red");
      expect(out.replace(/\r?\n/g, "")).not.toMatch(/[\p{Cc}\u202e]/u);
    },
  );

  it("a program receives the same name unchanged", async () => {
    const url = await startPlainService(() => [{ ...entries.sessions[0], channel_id }]);
    const user = await newUser({ MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b" });
    expect((await user.media(["logs", "sessions", "as:csv"])).out).toContain(`,${channel_id},`);
    expect(JSON.parse((await user.media(["logs", "sessions", "--json"])).out)).toMatchObject({ channel_id });
  });

  it("no line is wider than the window, and continued lines are indented below their text", async () => {
    const url = await startPlainService(() => [delivery(1, "x.y", 500, 3)]);
    const env = { MEDIA_BASE_URL: url, MEDIA_API_KEY: "mo_a_b", NO_COLOR: "1" };
    const { out } = await atTerminal(["status"], columns, env);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(out).toMatch(/^▲ Webhook log: .*\n {2}\S/m);
    const { err } = await atTerminal(["logs", "webhooks", "status>=400", "since:2h", "type:x.y"], 40, env);
    expect(err.replaceAll("\n", " ")).toContain("status ≥ 400");
    expect(Math.max(...err.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
  });
});

describe("media summary", () => {
  it("summarizes the entries in words, with a chart", async () => {
    const { out, code } = await media("summary", "webhooks");
    expect(out).toContain("2 of 3 webhooks failed");
    expect(out).toContain("Webhooks over time");
    expect(code).toBe(0);
  });

  it("counts each refusal of an event's entry, by reason", async () => {
    const { out, code } = await media("summary", "events", "failed", "by:reason");
    expect(out).toMatch(/^Summary of 8 failed events of 9, by reason\n/);
    expect(out).toMatch(/channel full.* 7\b/);
    expect(code).toBe(0);
  });

  it("prints the figures for a program", async () => {
    const { out } = await media("summary", "webhooks", "status>=500", "--json");
    expect(JSON.parse(out)).toMatchObject({
      kind: "webhooks",
      count: 1,
      failures: { count: 1 },
      complete: true,
      elapsed: { max: 1240 },
    });
  });
});

describe("media status", () => {
  it("shows whether the service answers, the age of each log's newest entry, and failures", async () => {
    const { out, code } = await media("status");
    expect(out).toMatch(/^✓ http:\/\/127\.0\.0\.1:\d+ answered in \d/);
    expect(out).toContain("✓ Session log: newest 1 min ago, 1 session in the last hour.");
    expect(out).toContain("▲ Webhook log: newest 1 min ago, 2 webhooks in the last hour, 1 of them failed");
    expect(code).toBe(0);
    const { logs } = JSON.parse((await media("status", "--json")).out);
    expect(logs.map((log: { kind: string }) => log.kind)).toEqual(kinds);
  });
});
