import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { readConfig } from "../config.js";
import { Connections, createClients, createServices } from "../connections/connections.js";
import { oneWorkspace } from "../test/config.js";
import { openTestStorage } from "../test/storage.js";
import { STEPWISE } from "../test/watching.js";
import { WatchKeeper } from "./keeper.js";
import { TargetSender } from "./target.js";
import { WatchStore } from "./watch-store.js";

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
