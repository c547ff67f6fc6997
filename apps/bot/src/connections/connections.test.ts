import { describe, expect, it } from "vitest";
import { openTestStorage } from "../test/storage.js";
import { type Connection, Connections, chooseConnection, type Defaults } from "./connections.js";

const NOW = 1_750_000_000_000;
const media = { baseUrl: "http://127.0.0.1:8080", apiKey: "mo_env_planted", projectId: "house" };
const baseUrl = "https://media.example";
const demo = { teamId: "T01", projectId: "demo", baseUrl, apiKey: "mo_k1_planted", userId: "U01" };
const added = { teamId: "T01", baseUrl, connectedBy: "U01", connectedAt: NOW };
const house = { teamId: "T01", projectId: "house", baseUrl: media.baseUrl };

async function open(fromOutside?: typeof media) {
  const storage = await openTestStorage();
  const connections = new Connections(storage, fromOutside, () => NOW);
  /** A connection, and its key. */
  const keyOf = async (project: string) => {
    const found = (await connections.all("T01")).find(({ projectId }) => projectId === project);
    return found && connections.apiKeyOf(found);
  };
  return { storage, connections, keyOf };
}

describe("a workspace's connections", () => {
  it("are those that its people added, by project, and never another workspace's", async () => {
    const { connections } = await open();
    await connections.add(demo);
    await connections.add({ ...demo, projectId: "alpha", userId: "U02" });
    await connections.add({ ...demo, teamId: "T02", projectId: "other" });
    expect(await connections.all("T01")).toEqual([
      { ...added, projectId: "alpha", connectedBy: "U02" },
      { ...added, projectId: "demo" },
    ]);
    expect(await connections.all("T03")).toEqual([]);
  });

  it("include the environment's, in order, unless the workspace has its own to the same project", async () => {
    const { connections, keyOf } = await open(media);
    for (const projectId of ["zeta", "demo"]) await connections.add({ ...demo, projectId });
    const own = (projectId: string) => ({ ...added, projectId });
    expect(await connections.all("T01")).toEqual([own("demo"), house, own("zeta")]);
    expect([await keyOf("demo"), await keyOf("house")]).toEqual([demo.apiKey, media.apiKey]);
    await connections.add({ ...demo, projectId: "house" });
    expect(await connections.all("T01")).toEqual([own("demo"), own("house"), own("zeta")]);
    expect(await keyOf("house")).toBe(demo.apiKey);
  });

  it("are replaced by a new connection to the same project", async () => {
    const { connections, keyOf } = await open();
    await connections.add(demo);
    await connections.add({ ...demo, baseUrl: "https://new.example", apiKey: "mo_k2_planted", userId: "U02" });
    expect(await connections.all("T01")).toMatchObject([{ baseUrl: "https://new.example", connectedBy: "U02" }]);
    expect(await keyOf("demo")).toBe("mo_k2_planted");
  });
});

describe("the key of a connection", () => {
  it.each<[string, (to: Awaited<ReturnType<typeof open>>) => Promise<unknown>, object]>([
    [
      "the address of a former connection",
      ({ connections }) => connections.add({ ...demo, baseUrl: "https://new.example" }),
      { name: "NotConnectedError" },
    ],
    [
      "a project that is no longer connected",
      ({ connections }) => connections.remove("T01", "demo"),
      { message: expect.stringContaining("is no longer connected to demo") },
    ],
  ])("is not sent to %s", async (_, change, error) => {
    const opened = await open();
    await opened.connections.add(demo);
    const [old] = await opened.connections.all("T01");
    await change(opened);
    await expect(old && opened.connections.apiKeyOf(old)).rejects.toMatchObject(error);
  });

  it("is not sent to an address that someone else wrote into the database", async () => {
    const { connections, storage, keyOf } = await open();
    await connections.add(demo);
    await storage.query.updateTable("connection").set({ base_url: "https://evil.example" }).execute();
    await expect(keyOf("demo")).rejects.toThrow("not sealed");
  });

  it.each([undefined, { ...media, projectId: "garden" }])(
    "of the environment is refused once that names no or another project: %j",
    async (other) => {
      const { connections } = await open(other);
      const former: Connection = house;
      await expect(connections.apiKeyOf(former)).rejects.toThrow("is no longer connected to house");
    },
  );
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
    const removed = [];
    for (const project of ["demo", "demo", "house"]) removed.push(await connections.remove("T01", project));
    expect(removed).toEqual([true, false, false]);
    expect(await connections.defaults("T01")).toEqual({ workspace: undefined, channels: new Map([["C02", "house"]]) });
    expect(await connections.all("T01")).toEqual([house]);
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

const to = (projectId: string): Connection => ({
  teamId: "T01",
  projectId,
  baseUrl: "https://media.example",
  connectedBy: "U01",
  connectedAt: 0,
});

const none: Defaults = { workspace: undefined, channels: new Map() };
const connections = [to("alpha"), to("beta"), to("demo")];
const defaults: Defaults = {
  workspace: "alpha",
  channels: new Map([
    ["C01", "beta"],
    ["C02", "gone"],
  ]),
};

it.each<[name: string, of: Connection[], by: Defaults, channel: string | undefined, asked: string | undefined, string]>(
  [
    ["the named project", connections, defaults, "C01", "demo", "demo"],
    ["the channel's default", connections, defaults, "C01", undefined, "beta"],
    ["the workspace's default", connections, defaults, "C09", undefined, "alpha"],
    ["the workspace's default outside of channels", connections, defaults, undefined, undefined, "alpha"],
    ["the workspace's default if the channel's is disconnected", connections, defaults, "C02", undefined, "alpha"],
    ["the only project", [to("demo")], none, "C01", undefined, "demo"],
    ["the only project if the defaults are disconnected", [to("demo")], defaults, "C02", undefined, "demo"],
  ],
)("the project is %s", (_, connections, defaults, channelId, asked, projectId) => {
  expect(chooseConnection(connections, defaults, channelId, asked)).toEqual({ ok: true, connection: to(projectId) });
});

it.each<[name: string, of: Connection[], by: Defaults, asked: string | undefined, expected: object]>([
  ["none is connected", [], defaults, "demo", { why: "none", asked: "demo" }],
  ["the choice is ambiguous", connections, none, undefined, { why: "several", connections }],
  [
    "the named project is not connected",
    connections,
    defaults,
    "dmeo",
    { why: "unknown", asked: "dmeo", nearest: "demo", connections },
  ],
  [
    "the only project has another name",
    [to("demo")],
    none,
    "production",
    { why: "unknown", asked: "production", nearest: undefined },
  ],
])("no project is chosen if %s", (_, connections, defaults, asked, expected) => {
  expect(chooseConnection(connections, defaults, "C01", asked)).toMatchObject({ ok: false, ...expected });
});

const projects = ["demo", "production", "staging-eu", "staging-us"];

it.each([
  ["dem", "demo"],
  ["Demo", "demo"],
  ["dmeo", "demo"],
  ["deom", "demo"],
  ["d", undefined],
  ["demoo", "demo"],
  ["prodction", "production"],
  ["staging-uss", "staging-us"],
  ["staging", "staging-eu"],
  ["x", undefined],
  ["", undefined],
  ["🎥🎥🎥🎥", undefined],
  ["demo".padEnd(64, "o"), undefined],
])("for %j, the nearest project is %j", (typed, meant) => {
  expect(chooseConnection(projects.map(to), none, undefined, typed)).toMatchObject({ ok: false, nearest: meant });
});

it("without projects, there is no nearest one", () => {
  expect(chooseConnection([], none, undefined, "demo")).not.toHaveProperty("nearest");
});
