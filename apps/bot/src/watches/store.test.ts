import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { sweepAll } from "../storage/sweep.js";
import { openTestStorage } from "../test/storage.js";
import { silenceIncident } from "./message.js";
import { LeaseLostError, readWatchCommand, type Watch, WatchStore } from "./watch-store.js";

const served = { teamId: "T01", isOrgWide: false };
const DAY_MS = 24 * 60 * 60_000;

function watchOf(text: string): Pick<Watch, "command" | "text" | "timeZone" | "placeId" | "createdBy"> {
  const command = readWatchCommand(text);
  if (!command) throw new Error(`This is no watch: ${text}`);
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

it("nothing is left of a workspace that removed the bot", async () => {
  const { storage, watches } = await open();
  await watches.add(served, [watchOf("watch webhooks failed in:demo")]);
  await watches.forget("T01");
  expect(await watches.all("T01")).toEqual([]);
  expect(await storage.query.selectFrom("watch_team").selectAll().execute()).toEqual([]);
});
