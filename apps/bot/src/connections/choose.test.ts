import { expect, it } from "vitest";
import { type Connection, chooseConnection, type Defaults } from "./connections.js";

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
