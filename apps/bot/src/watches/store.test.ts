import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { readConfig } from "../config.js";
import { Connections, createClients, createServices } from "../connections/connections.js";
import { sweepAll } from "../storage/sweep.js";
import { oneWorkspace } from "../test/config.js";
import { openTestStorage } from "../test/storage.js";
import { STEPWISE } from "../test/watching.js";
import { WatchKeeper } from "./keeper.js";
import { silenceIncident } from "./message.js";
import { TargetSender } from "./target.js";
import { LeaseLostError, readWatchCommand, type Watch, WatchStore } from "./watch-store.js";

const served = { teamId: "T01", isOrgWide: false };
const DAY_MS = 24 * 60 * 60_000;

function watchOf(text: string): Pick<Watch, "command" | "text" | "timeZone" | "placeId" | "createdBy"> {
  const command = readWatchCommand(text);
  if (!command) throw new Error(`This isn't a watch: ${text}`);
  return { command, text, timeZone: "UTC", placeId: "C01", createdBy: "U01" };
}

/** A store whose workspace is run by the process "a". */
async function open() {
  const storage = await openTestStorage();
  const watches = new WatchStore(storage, () => 1_000_000);
  await watches.touch(served);
  await watches.claim("T01", "a", { owner: undefined, until: undefined });
  const incident = silenceIncident({ projectId: "demo", since: 1000 }, "w1", "C01");
  return { storage, watches, incident };
}

it("watches are kept, changed and removed, and each change is seen by the process that runs them", async () => {
  const { watches } = await open();
  const [{ id } = { id: "" }] = await watches.add(served, [watchOf("watch webhooks failed in:demo")]);
  const version = async () => (await watches.teams())[0]?.version ?? 0;
  const before = await version();
  expect(await watches.change(served, id, { mutedUntil: 5 })).toBe(true);
  expect(await version()).toBeGreaterThan(before);
  expect(await watches.one("T01", id)).toMatchObject({ mutedUntil: 5, paused: undefined, placeId: "C01" });
  const paused = [await watches.pause(served, id, "why"), await watches.pause(served, id, "again")];
  expect(paused).toEqual([true, false]);
  await watches.resume(served, "demo", ["why"]);
  expect((await watches.all("T01"))[0]?.paused).toBeUndefined();
  expect([await watches.remove(served, id), await watches.remove(served, id)]).toEqual([true, false]);
});

it("one process at a time runs a workspace, and one that has lost it writes nothing more", async () => {
  const { watches } = await open();
  await watches.release("a");
  const [team] = await watches.teams();
  if (!team) throw new Error("There is no workspace.");
  const claimed = await Promise.all(["a", "b"].map((owner) => watches.claim("T01", owner, team)));
  expect(claimed.filter(Boolean)).toHaveLength(1);
  const [winner, loser] = claimed[0] ? ["a", "b"] : ["b", "a"];
  const follower = { projectId: "demo", kind: "webhooks", cursor: "c1", state: "{}" };
  await watches.write("T01", winner, (query) => watches.saveFollower("T01", follower, query));
  await expect(
    watches.write("T01", loser, (query) => watches.saveFollower("T01", { ...follower, cursor: "c2" }, query)),
  ).rejects.toThrow(LeaseLostError);
  expect(await watches.followers("T01")).toEqual([follower]);
  await watches.release(winner);
  expect((await watches.teams())[0]?.owner).toBeUndefined();
});

it("an incident is taken by one person, and forgotten a month after it is over", async () => {
  const { storage, watches, incident } = await open();
  await watches.write("T01", "a", (query) => watches.saveIncident("T01", incident, query));
  expect(await watches.take(served, "w1", 1000, "U02")).toBe(true);
  expect(await watches.take(served, "w1", 1000, "U03")).toBe(false);
  expect((await watches.newest("T01")).get("w1")).toMatchObject({ takenBy: "U02", isOpen: true });
  await sweepAll(storage.database, 40 * DAY_MS);
  expect(await watches.openIncidents("T01")).toHaveLength(1);
  await watches.write("T01", "a", (query) => watches.saveShown("T01", incident, { isOpen: false }, query));
  expect(await watches.openIncidents("T01")).toEqual([]);
  await sweepAll(storage.database, 40 * DAY_MS);
  expect((await watches.newest("T01")).size).toBe(0);
});

it("an incident can be taken while the process that runs its watch stores what Slack shows of it", async () => {
  const { watches, incident } = await open();
  await watches.write("T01", "a", (query) => watches.saveIncident("T01", incident, query));
  let taken = Promise.resolve(false);
  await watches.write("T01", "a", async (query) => {
    taken = watches.take(served, "w1", 1000, "U02");
    await wait(200);
    await watches.saveShown("T01", incident, { messageTs: "1.2" }, query);
  });
  expect(await taken).toBe(true);
  expect((await watches.newest("T01")).get("w1")).toMatchObject({ takenBy: "U02", messageTs: "1.2" });
});

const now = Date.now;
const workspace = (teamId: string) => ({ teamId, isOrgWide: false });

/** The watches of all workspaces, some of which cannot be read, as while one of several PostgreSQL is down. */
class PartlyDownStore extends WatchStore {
  readonly down = new Set<string>();
  /** The workspaces whose watches were read, in order. */
  readonly read: string[] = [];

  override async all(teamId: string) {
    if (this.down.has(teamId)) throw new Error("a worker is down");
    this.read.push(teamId);
    return super.all(teamId);
  }
}

async function startKeeper(before: (store: WatchStore) => Promise<void> = async () => {}) {
  const storage = await openTestStorage();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const store = new PartlyDownStore(storage, now);
  await before(store);
  const connections = new Connections(storage, undefined, now);
  const keeper = new WatchKeeper({
    config: readConfig(oneWorkspace),
    access: { authorize: async () => ({ botToken: "xoxb-1-planted" }) },
    watches: store,
    connections,
    clients: createClients({ connections, services: createServices(now, log), log, now }),
    targets: new TargetSender({ vault: storage.vault, fetch, log, now }),
    log,
    pace: STEPWISE,
    now,
    postDigests: async () => {},
  });
  onTestFinished(() => keeper.stop());
  return { keeper, store, lines };
}

it("the watches of a workspace run while those of another cannot be read, which begin once they can", async () => {
  const { keeper, store, lines } = await startKeeper();
  store.down.add("T01");
  for (const teamId of ["T01", "T02"]) await store.touch(workspace(teamId));
  await keeper.settled();
  expect(store.read).toEqual(["T02"]);
  expect(lines.join()).toContain("a worker is down");
  await store.touch(workspace("T02"));
  await keeper.settled();
  expect(store.read).toEqual(["T02", "T02"]);
  store.down.clear();
  await keeper.settled();
  expect(store.read).toEqual(["T02", "T02", "T01"]);
});

it("a change that could not be read is read later", async () => {
  const { keeper, store } = await startKeeper();
  await store.touch(workspace("T01"));
  await keeper.settled();
  store.down.add("T01");
  await store.touch(workspace("T01"));
  await keeper.settled();
  store.down.clear();
  await keeper.settled();
  expect(store.read).toEqual(["T01", "T01"]);
});

it("a watch that is saved before anything runs, as while the bot connects to Slack, runs from then on", async () => {
  const { keeper, store } = await startKeeper((early) => early.touch(workspace("T01")));
  await keeper.settled();
  expect(store.read).toContain("T01");
});
