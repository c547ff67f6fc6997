import { type Installation, InstallProvider } from "@slack/oauth";
import { describe, expect, it } from "vitest";
import { openTestStorage } from "../test/storage.js";
import { createInstallationStore } from "./installation-store.js";

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
  it("is found by its workspace, with all that Slack gave", async () => {
    const { store } = await openStore();
    await store.storeInstallation(inTeam("T01", "xoxb-1"));
    await store.storeInstallation(inTeam("T02", "xoxb-2"));
    expect(await store.fetchInstallation(team)).toEqual(JSON.parse(JSON.stringify(inTeam("T01", "xoxb-1"))));
    expect((await store.fetchInstallation({ ...team, teamId: "T02" })).bot?.token).toBe("xoxb-2");
  });

  it("for a whole organisation is found by that, and is none of one workspace", async () => {
    const { store } = await openStore();
    await store.storeInstallation(inOrganisation);
    expect((await store.fetchInstallation(organisation)).bot?.token).toBe("xoxb-org");
    expect((await store.fetchInstallation({ ...organisation, teamId: "T01" })).bot?.token).toBe("xoxb-org");
    await expect(store.fetchInstallation({ ...team, enterpriseId: "E01" })).rejects.toThrow("not installed in T01");
  });

  it("takes the place of the one before it", async () => {
    const { store } = await openStore();
    await store.storeInstallation(inTeam("T01", "xoxb-old"));
    await store.storeInstallation(inTeam("T01", "xoxb-new"));
    expect((await store.fetchInstallation(team)).bot?.token).toBe("xoxb-new");
  });

  it("is gone when the app was removed, and those of others are not", async () => {
    const { store } = await openStore();
    await store.storeInstallation(inTeam("T01", "xoxb-1"));
    await store.storeInstallation(inOrganisation);
    await store.deleteInstallation(team);
    await expect(store.fetchInstallation(team)).rejects.toMatchObject({ name: "NotInstalledError" });
    expect((await store.fetchInstallation(organisation)).bot?.token).toBe("xoxb-org");
  });

  it("of nobody is an error that says so", async () => {
    const { store } = await openStore();
    await expect(store.fetchInstallation(team)).rejects.toThrow(
      "The app is not installed in T01. Someone must add it to the workspace first.",
    );
    await expect(store.fetchInstallation({ ...team, teamId: "" })).rejects.toThrow("a workspace without an id");
  });

  it("that was put in another workspace's place in the database cannot be read", async () => {
    const { store, storage } = await openStore();
    await store.storeInstallation(inTeam("T01", "xoxb-1"));
    await storage.query.updateTable("installation").set({ team_id: "T02" }).execute();
    await expect(store.fetchInstallation({ ...team, teamId: "T02" })).rejects.toThrow("not sealed as installation T02");
  });

  it("is what Slack's own library authorizes requests by", async () => {
    const { store } = await openStore();
    await store.storeInstallation(inTeam("T01", "xoxb-1"));
    const provider = new InstallProvider({
      clientId: "1",
      clientSecret: "2",
      stateSecret: "3",
      installationStore: store,
    });
    expect(await provider.authorize(team)).toMatchObject({ botToken: "xoxb-1", teamId: "T01", botUserId: "U0B" });
    await expect(provider.authorize({ ...team, teamId: "T09" })).rejects.toThrow("not installed in T09");
  });
});
