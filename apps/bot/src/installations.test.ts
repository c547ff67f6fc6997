import type { Installation } from "@slack/oauth";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.js";
import { Connections } from "./connections/connections.js";
import { createInstallationStore, createStateStore, forgetWorkspace } from "./slack/access.js";
import { manyWorkspaces } from "./test/config.js";
import { openTestStorage } from "./test/storage.js";
import { readWatchCommand, WatchStore } from "./watches/watch-store.js";

const NOW = 1_750_000_000_000;
const team = { teamId: "T01", enterpriseId: undefined, isEnterpriseInstall: false };
const organisation = { teamId: undefined, enterpriseId: "E01", isEnterpriseInstall: true };

const inTeam = (teamId: string, botToken: string): Installation<"v2", false> => ({
  team: { id: teamId, name: "Lobby" },
  enterprise: { id: "E01" },
  user: { id: "U01", token: undefined, scopes: undefined },
  bot: { token: botToken, scopes: ["commands"], id: "B01", userId: "U0B" },
  appId: "A01",
  tokenType: "bot",
  isEnterpriseInstall: false,
  authVersion: "v2",
});

const inOrganisation: Installation<"v2", true> = {
  ...inTeam("", "xoxb-org"),
  team: undefined,
  enterprise: { id: "E01", name: "Works" },
  isEnterpriseInstall: true,
};

async function openStore() {
  const storage = await openTestStorage();
  return { storage, store: createInstallationStore(storage, () => NOW) };
}

describe("an installation", () => {
  it("is found by its workspace, with all data from Slack", async () => {
    const { store } = await openStore();
    await store.storeInstallation(inTeam("T01", "xoxb-1"));
    await store.storeInstallation(inTeam("T02", "xoxb-2"));
    expect(await store.fetchInstallation(team)).toEqual(JSON.parse(JSON.stringify(inTeam("T01", "xoxb-1"))));
    expect((await store.fetchInstallation({ ...team, teamId: "T02" })).bot?.token).toBe("xoxb-2");
  });

  it("for a whole organization is found by the organization, and not by a workspace", async () => {
    const { store } = await openStore();
    await store.storeInstallation(inOrganisation);
    expect((await store.fetchInstallation(organisation)).bot?.token).toBe("xoxb-org");
    expect((await store.fetchInstallation({ ...organisation, teamId: "T01" })).bot?.token).toBe("xoxb-org");
    await expect(store.fetchInstallation({ ...team, enterpriseId: "E01" })).rejects.toThrow("not installed in T01");
  });

  it("replaces the former one", async () => {
    const { store } = await openStore();
    await store.storeInstallation(inTeam("T01", "xoxb-old"));
    await store.storeInstallation(inTeam("T01", "xoxb-new"));
    expect((await store.fetchInstallation(team)).bot?.token).toBe("xoxb-new");
  });

  it("is deleted when the app is removed, and those of others stay", async () => {
    const { store } = await openStore();
    await store.storeInstallation(inTeam("T01", "xoxb-1"));
    await store.storeInstallation(inOrganisation);
    await store.deleteInstallation(team);
    await expect(store.fetchInstallation(team)).rejects.toMatchObject({ name: "NotInstalledError" });
    expect((await store.fetchInstallation(organisation)).bot?.token).toBe("xoxb-org");
  });

  it("that does not exist is an error that says so", async () => {
    const { store } = await openStore();
    await expect(store.fetchInstallation(team)).rejects.toThrow(
      "The app is not installed in T01. Someone must add it to the workspace first.",
    );
    await expect(store.fetchInstallation({ ...team, teamId: "" })).rejects.toThrow("a workspace without an id");
  });

  it("that was copied to another workspace's row in the database cannot be decrypted", async () => {
    const { store, storage } = await openStore();
    await store.storeInstallation(inTeam("T01", "xoxb-1"));
    await storage.query.updateTable("installation").set({ team_id: "T02" }).execute();
    await expect(store.fetchInstallation({ ...team, teamId: "T02" })).rejects.toThrow("not sealed as installation T02");
  });
});

it("a workspace that removed the bot leaves nothing, unless it was added again since, and others keep theirs", async () => {
  const { store, storage } = await openStore();
  const connections = new Connections(storage, undefined, Date.now);
  const watches = new WatchStore(storage, Date.now);
  const text = "watch webhooks in:demo";
  const command = readWatchCommand(text) ?? expect.unreachable();
  for (const teamId of ["T01", "T02"]) {
    await store.storeInstallation(inTeam(teamId, "xoxb-1"));
    const to = { teamId, projectId: "demo", userId: "U01" };
    await connections.add({ ...to, baseUrl: "https://media.example", apiKey: "mo_k1_planted" });
    await connections.setDefault({ ...to, channelId: "C01" });
    const watch = { command, text, timeZone: "UTC", placeId: "C01", createdBy: "U01" };
    await watches.add({ teamId, isOrgWide: false }, [watch]);
  }
  const forget = forgetWorkspace(storage, { config: readConfig(manyWorkspaces), log: pino({ level: "silent" }) });
  const tables = ["installation", "connection", "connection_default", "watch_team", "watch"] as const;
  const left = async (): Promise<string[]> => {
    const rows = tables.map((table) => storage.query.selectFrom(table).select("team_id").orderBy("team_id").execute());
    return (await Promise.all(rows)).map((found) => found.map(({ team_id }) => team_id).join());
  };
  await forget("T01", NOW - 1000);
  expect(await left()).toEqual(tables.map(() => "T01,T02"));
  await forget("T01", NOW);
  expect(await left()).toEqual(tables.map(() => "T02"));
});

const MINUTE = 60_000;
const options = { scopes: ["commands", "chat:write"], redirectUri: "https://bot.example/slack/oauth_redirect" };

async function openStates() {
  const clock = { now: 1_750_000_000_000 };
  const storage = await openTestStorage();
  const store = createStateStore(storage, "state secret", () => clock.now);
  return {
    clock,
    storage,
    begin: () => store.generateStateParam(options, new Date(clock.now)),
    finish: (state: string, by = store) => by.verifyStateParam(new Date(clock.now), state),
  };
}

const invalid = { code: "slack_oauth_invalid_state" };

describe("a state", () => {
  it("returns the options that the installation was started with, once", async () => {
    const { begin, finish } = await openStates();
    const state = await begin();
    expect(await finish(state)).toEqual(options);
    await expect(finish(state)).rejects.toMatchObject(invalid);
  });

  it("that is returned many times at once is accepted once", async () => {
    const { begin, finish } = await openStates();
    const state = await begin();
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => finish(state)));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("is valid for ten minutes", async () => {
    const { begin, finish, clock } = await openStates();
    const [one, two] = [await begin(), await begin()];
    clock.now += 10 * MINUTE - 1;
    expect(await finish(one)).toEqual(options);
    clock.now += 1;
    await expect(finish(two)).rejects.toMatchObject(invalid);
  });

  it("is different each time, long, and stored only as a hash", async () => {
    const { begin, storage } = await openStates();
    const states = [await begin(), await begin()];
    expect(new Set(states).size).toBe(2);
    const rows = JSON.stringify(await storage.query.selectFrom("oauth_state").selectAll().execute());
    for (const state of states) {
      expect(state).toMatch(/^[\w-]{43}$/);
      expect(rows).not.toContain(state);
    }
  });

  it("that is unknown, or was created with another secret, is refused", async () => {
    const { begin, finish, storage, clock } = await openStates();
    await expect(finish("")).rejects.toMatchObject(invalid);
    await expect(finish("x".repeat(43))).rejects.toMatchObject(invalid);
    const other = createStateStore(storage, "another secret", () => clock.now);
    await expect(finish(await begin(), other)).rejects.toMatchObject(invalid);
  });
});
