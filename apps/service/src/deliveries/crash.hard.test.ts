import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { type FakeMedia, runTraffic, startFakeMedia } from "@media-ops/fake-media";
import { freePort } from "@media-ops/testing/servers";
import { expect, it } from "vitest";
import { serve } from "../cli/test/command-line.js";
import { crashDatabase } from "../test/crash-database.js";
import { temporaryFolder } from "../test/harness.js";
import { atNight } from "../test/level.js";
import { startFailingReceiver } from "../test/receiver.js";

const ROUNDS = atNight(12, 3);
const MOST_ROUNDS = 30;
const ENDS = [
  ["connections", "connection.destroyed", "connection_id"],
  ["sessions", "session.destroyed", "session_id"],
] as const;
const PROJECTS = ["alpha", "beta", "gamma", "delta"];

it(`keeps and delivers everything that it acknowledged, and stores nothing twice, after being killed ${ROUNDS} times`, async () => {
  const folder = await temporaryFolder();
  const database = await crashDatabase();
  const { url, sent, taken } = await startFailingReceiver();
  const tries = (): number => [...sent.values()].flat().length;
  const intakeKey = await database.prepare(PROJECTS, url);
  const port = await freePort();
  const env = { ...database.env, PATH: process.env.PATH, MEDIA_PORT: "0", MEDIA_INTAKE_PORT: String(port) };
  const media = await startFakeMedia({
    intakeUrl: `http://127.0.0.1:${port}/intake`,
    intakeKey,
    seed: 7,
    timeoutMs: 2000,
    // Some events are repeated only after the service was killed and started again.
    misbehaviour: { twice: 0.3, outOfOrder: 0.2, lateMs: 3000 },
  });
  const over = new AbortController();
  const traffic = runTraffic(media, {
    for: 3_600_000,
    rate: 60,
    channels: 60,
    projects: PROJECTS,
    staysMs: 250,
    updateEveryMs: 200,
    signal: over.signal,
  });

  const events = () => media.sent.filter(({ to }) => to === "event");
  const acknowledgedIds = () => idsIn(events().filter((event) => event.acknowledged));
  // Without these, the test would prove nothing.
  const provesSomething = (): boolean =>
    acknowledgedIds().size > 5 * ROUNDS &&
    tries() > taken.size &&
    ENDS.every(([, type, idName]) => {
      const sent = sentBy(media, type, idName);
      return sent.all.length > sent.acknowledged.length && sent.acknowledged.length > ROUNDS / 2;
    });

  for (let round = 0; round < ROUNDS || (round < MOST_ROUNDS && !provesSomething()); round++) {
    const { end } = await serve({ cwd: folder, env });
    // A media server that waits before its next try would otherwise find no service in many rounds.
    const before = acknowledgedIds().size;
    await expect.poll(() => acknowledgedIds().size).toBeGreaterThan(before);
    await setTimeout(randomInt(0, 600));
    expect(await end("SIGKILL")).toEqual([null, "SIGKILL"]);
    // In every other round, the next service starts on exactly what the killed one left.
    if (round % 2 === 0) await database.checkAfterKill();
  }

  const { end } = await serve({ cwd: folder, env });
  over.abort();
  await traffic;
  await media.close();
  // Leases expire after 15 s, and failed deliveries are retried after 5 s.
  await expect.poll(() => database.waiting(), { timeout: 60_000, interval: 500 }).toBe(0);
  expect(await end()).toEqual([0, null]);

  for (const [kind, type, idName] of ENDS) {
    const sent = sentBy(media, type, idName);
    const kept = (await database.entries(kind)).map((entry) => String(entry[idName]));
    expect(new Set(kept).size).toBe(kept.length);
    expect(sent.acknowledged.filter((id) => !kept.includes(id))).toEqual([]);
    // An event whose acknowledgement was lost leaves an entry, too.
    expect(kept.filter((id) => !sent.all.includes(id))).toEqual([]);
    expect(kept.length).toBeGreaterThan(ROUNDS / 2);
    expect(sent.all.length).toBeGreaterThan(sent.acknowledged.length);
  }
  const acknowledged = acknowledgedIds();
  const all = idsIn(events());
  expect([...acknowledged].filter((id) => !taken.has(id))).toEqual([]);
  expect([...taken].filter((id) => !all.has(id))).toEqual([]);
  expect(provesSomething()).toBe(true);
}, 300_000);

const idsIn = (events: FakeMedia["sent"]): Set<string> => new Set(events.map(({ body }) => String(body.id)));

/** The ids that a media server has sent in events of one type. */
function sentBy({ sent }: FakeMedia, type: string, idName: string) {
  const ofType = sent.filter(({ body }) => body.type === type);
  const idsOf = (requests: typeof ofType): string[] => [...new Set(requests.map(({ body }) => String(body[idName])))];
  return { all: idsOf(ofType), acknowledged: idsOf(ofType.filter((request) => request.acknowledged)) };
}
