import { describe, expect, it } from "vitest";
import { openTestStorage } from "../test/storage.js";
import { Connections } from "./connections.js";

const NOW = 1_750_000_000_000;
const media = { baseUrl: "http://127.0.0.1:8080", apiKey: "mo_env_planted", projectId: "house" };
const demo = {
  teamId: "T01",
  projectId: "demo",
  baseUrl: "https://media.example",
  apiKey: "mo_k1_planted",
  userId: "U01",
};

async function open(fromOutside?: typeof media) {
  const storage = await openTestStorage();
  return { storage, connections: new Connections(storage, fromOutside, () => NOW) };
}

describe("a workspace's connections", () => {
  it("are those that its people added, by project, and never another workspace's", async () => {
    const { connections } = await open();
    await connections.add(demo);
    await connections.add({ ...demo, projectId: "alpha", userId: "U02" });
    await connections.add({ ...demo, teamId: "T02", projectId: "other" });
    const { baseUrl } = demo;
    expect(await connections.all("T01")).toEqual([
      { teamId: "T01", projectId: "alpha", baseUrl, connectedBy: "U02", connectedAt: NOW },
      { teamId: "T01", projectId: "demo", baseUrl, connectedBy: "U01", connectedAt: NOW },
    ]);
    expect(await connections.all("T03")).toEqual([]);
  });

  it("include the environment's, in order", async () => {
    const { connections } = await open(media);
    for (const projectId of ["zeta", "demo"]) await connections.add({ ...demo, projectId });
    const all = await connections.all("T01");
    expect(all.map(({ projectId }) => projectId)).toEqual(["demo", "house", "zeta"]);
    expect(all[1]).toEqual({
      teamId: "T01",
      projectId: "house",
      baseUrl: media.baseUrl,
      connectedBy: undefined,
      connectedAt: undefined,
    });
  });

  it("precede the environment's if both have the same project", async () => {
    const { connections } = await open(media);
    await connections.add({ ...demo, projectId: "house" });
    const [connection, ...more] = await connections.all("T01");
    expect(more).toEqual([]);
    expect(connection).toMatchObject({ baseUrl: demo.baseUrl, connectedBy: "U01" });
    expect(connection && (await connections.apiKeyOf(connection))).toBe(demo.apiKey);
  });

  it("are replaced by a new connection to the same project", async () => {
    const { connections } = await open();
    await connections.add(demo);
    await connections.add({ ...demo, baseUrl: "https://new.example", apiKey: "mo_k2_planted", userId: "U02" });
    const [connection, ...more] = await connections.all("T01");
    expect(more).toEqual([]);
    expect(connection).toMatchObject({ baseUrl: "https://new.example", connectedBy: "U02" });
    expect(connection && (await connections.apiKeyOf(connection))).toBe("mo_k2_planted");
  });
});

describe("the key of a connection", () => {
  it("is returned for it", async () => {
    const { connections } = await open(media);
    await connections.add(demo);
    const all = await connections.all("T01");
    expect(await Promise.all(all.map((one) => connections.apiKeyOf(one)))).toEqual([demo.apiKey, media.apiKey]);
  });

  it("is not sent to the address of a former connection", async () => {
    const { connections } = await open();
    await connections.add(demo);
    const [old] = await connections.all("T01");
    await connections.add({ ...demo, baseUrl: "https://new.example" });
    await expect(old && connections.apiKeyOf(old)).rejects.toMatchObject({ name: "NotConnectedError" });
  });

  it("is not sent to an address that someone else wrote into the database", async () => {
    const { connections, storage } = await open();
    await connections.add(demo);
    await storage.query.updateTable("connection").set({ base_url: "https://evil.example" }).execute();
    const [connection] = await connections.all("T01");
    await expect(connection && connections.apiKeyOf(connection)).rejects.toThrow("not sealed");
  });

  it("is refused if the project is no longer connected", async () => {
    const { connections, storage } = await open(media);
    await connections.add(demo);
    const [own, house] = await connections.all("T01");
    await connections.remove("T01", "demo");
    await expect(own && connections.apiKeyOf(own)).rejects.toThrow("is no longer connected to demo");
    for (const other of [undefined, { ...media, projectId: "garden" }]) {
      const restarted = new Connections(storage, other, () => NOW);
      await expect(house && restarted.apiKeyOf(house)).rejects.toThrow("is no longer connected to house");
    }
  });
});

describe("defaults", () => {
  const choice = { teamId: "T01", channelId: undefined, projectId: "demo", userId: "U01" };

  it("start empty; then there is one for the workspace and one for each channel", async () => {
    const { connections } = await open();
    expect(await connections.defaults("T01")).toEqual({ workspace: undefined, channels: new Map() });
    await connections.setDefault(choice);
    await connections.setDefault({ ...choice, channelId: "C01", projectId: "alpha" });
    await connections.setDefault({ ...choice, channelId: "C01", projectId: "beta" });
    await connections.setDefault({ ...choice, teamId: "T02", projectId: "other" });
    expect(await connections.defaults("T01")).toEqual({ workspace: "demo", channels: new Map([["C01", "beta"]]) });
  });

  it("are removed with their connection, and stay if there was none", async () => {
    const { connections } = await open(media);
    await connections.add(demo);
    await connections.setDefault(choice);
    await connections.setDefault({ ...choice, channelId: "C01" });
    await connections.setDefault({ ...choice, channelId: "C02", projectId: "house" });
    expect(await connections.remove("T01", "demo")).toBe(true);
    expect(await connections.remove("T01", "demo")).toBe(false);
    expect(await connections.remove("T01", "house")).toBe(false);
    expect(await connections.defaults("T01")).toEqual({ workspace: undefined, channels: new Map([["C02", "house"]]) });
    expect((await connections.all("T01")).map(({ projectId }) => projectId)).toEqual(["house"]);
  });
});

it("a workspace that removed the app leaves no data, and all other workspaces keep theirs", async () => {
  const { connections, storage } = await open();
  for (const teamId of ["T01", "T02"]) {
    await connections.add({ ...demo, teamId });
    await connections.setDefault({ teamId, channelId: "C01", projectId: "demo", userId: "U01" });
  }
  await connections.forget("T01");
  expect(await connections.all("T01")).toEqual([]);
  expect((await connections.defaults("T01")).channels.size).toBe(0);
  expect(await connections.all("T02")).toHaveLength(1);
  expect(await storage.query.selectFrom("connection_default").selectAll().execute()).toHaveLength(1);
});
