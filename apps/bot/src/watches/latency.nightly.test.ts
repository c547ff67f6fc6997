import { textOf } from "@media-ops/fake-slack";
import type { LogKind } from "@media-ops/sdk";
import { expect, it, onTestFinished, vi } from "vitest";
import { Connections } from "../connections/connections.js";
import { connection, failure } from "../test/entries.js";
import { startRunningService } from "../test/services.js";
import { startStage } from "../test/stage.js";
import { temporaryFolder } from "../test/storage.js";
import { failedWebhook, postedIn, watchFrom } from "../test/watching.js";
import { USUAL_PACE } from "./run.js";
import { WatchStore } from "./watch-store.js";

const PROJECTS = 20;
const PER_PROJECT = 10;
const LONGEST_MS = 3000;
const MOST_HELD = 5;

const kinds: readonly LogKind[] = ["webhooks", "events", "api", "media-api", "connections"];

/** An entry of a log that only the watch with this number matches. */
function entryOf(kind: LogKind, number: number) {
  const timestamp = new Date().toISOString();
  const channel_id = `watch-${number}@p`;
  switch (kind) {
    case "webhooks":
      return failedWebhook(Date.now(), { channel_id });
    case "events":
      return failure({ timestamp, channel_id });
    case "connections":
      return { ...connection({ minutesAgo: 0 }), timestamp, channel_id };
    case "media-api":
      return {
        timestamp,
        status: 503,
        elapsed_time_ms: 5,
        media_target: "Media_20151104.DisconnectChannel",
        channel_id,
      };
    default:
      return { timestamp, status: 503, elapsed_time_ms: number, url: `/watch-${number}/` };
  }
}

it("with 200 watches over 20 projects, an incident is in Slack within 3 s of its entry at p99, at 5 held calls a project", async () => {
  const held = new Map<string, number>();
  let mostHeld = 0;
  const { fetch } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const body = typeof init?.body === "string" ? init.body : "";
    const key = String(new Headers(init?.headers).get("authorization"));
    const isHeld = /"wait_s":[1-9]/.test(body);
    const count = (by: number): void => void held.set(key, (held.get(key) ?? 0) + by);
    if (isHeld) count(1);
    mostHeld = Math.max(mostHeld, ...held.values());
    try {
      return await fetch(input, init);
    } finally {
      if (isHeld) count(-1);
    }
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const stage = await startStage({ onDisk: true, watchPace: USUAL_PACE });
  const { slack, team, ann } = stage;
  const names = Array.from({ length: PROJECTS }, (_, at) => `p${at}`);
  const service = await startRunningService(await temporaryFolder(), { onDisk: true, names, atEnd: onTestFinished });
  const storage = await stage.openStorage();
  const connections = new Connections(storage, undefined, Date.now);
  for (const projectId of names) {
    const { apiKey } = service.project(projectId);
    await connections.add({ teamId: team.id, projectId, baseUrl: service.url, apiKey, userId: ann.id });
  }
  const places = Array.from({ length: PROJECTS * PER_PROJECT }, (_, at) =>
    team.addChannel({ name: `watch-${at}`, members: [ann], withBot: true }),
  );
  const kindOf = (at: number): LogKind => kinds[Math.floor(at / PROJECTS) % kinds.length] ?? "webhooks";
  const watches = places.map((place, at) => {
    const filter = kindOf(at) === "api" ? `url:*watch-${at}/` : `channel:watch-${at}`;
    return watchFrom(`${kindOf(at)} ${filter} over:1m`, place, ann, names[at % PROJECTS]);
  });
  await new WatchStore(storage, Date.now).add({ teamId: team.id, isOrgWide: false }, watches);
  await stage.watched();

  const latencies = await Promise.all(
    places.map(async (place, at) => {
      // One after another within 20 s, as incidents of many projects are.
      await new Promise((resolve) => setTimeout(resolve, at * 100));
      const kind = kindOf(at);
      await service.project(names[at % PROJECTS] ?? "").add(kind, entryOf(kind, at) as never);
      const committed = Date.now();
      await slack.until(() => postedIn(ann, place)[0], { timeoutMs: 30_000 });
      return Date.now() - committed;
    }),
  );
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  const figures = `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most held calls of a project: ${mostHeld}`;
  process.stdout.write(`from commit to Slack: ${figures}\n`);
  expect(at(0.99), figures).toBeLessThanOrEqual(LONGEST_MS);
  expect(mostHeld).toBeGreaterThan(0);
  expect(mostHeld).toBeLessThanOrEqual(MOST_HELD);
  expect(textOf(postedIn(ann, places[0] as never)[0] as never)).toContain("p0");
}, 180_000);
