import { createMediaClient, MediaTimeoutError } from "@media-ops/sdk";
import { describe, expect, it } from "vitest";
import type { Ask } from "../connections/connections.js";
import { defaultPolicy } from "../policy/policy.js";
import { Refused } from "../slack/answer.js";
import { connectFaults, givenIn } from "./connect.js";
import { askTogether } from "./open-project.js";
import { hostOf, usedText, whoConnects } from "./words.js";

describe("texts about projects", () => {
  it("name who can help: the policy's contacts, or else the people who may connect", () => {
    expect(whoConnects(defaultPolicy)).toBe("an admin of this workspace");
    const connect = ["U1", "S2"];
    expect(whoConnects({ ...defaultPolicy, connect })).toBe("<@U1>, <!subteam^S2> or an admin of this workspace");
    expect(whoConnects({ ...defaultPolicy, connect, ask: ["U3", "U4"] })).toBe("<@U3> or <@U4>");
  });

  it("name a service by its host and path", () => {
    expect(hostOf({ baseUrl: "https://media.example:8443/v1/" })).toBe("media.example:8443/v1");
  });

  it("name the channels that use a project, and only count other people's conversations", () => {
    const channels = new Map([
      ["C1", "demo"],
      ["C2", "demo"],
      ["C3", "other"],
      ["D4", "demo"],
    ]);
    const defaults = { workspace: "demo", channels };
    expect(usedText("demo", defaults, "C1")).toBe(
      "Used in this channel, the whole workspace, <#C2> and a private conversation",
    );
    expect(usedText("demo", defaults, "D4")).toBe("Used in this conversation, the whole workspace, <#C1> and <#C2>");
    expect(usedText("other", defaults, undefined)).toBe("Used in <#C3>");
    expect(usedText("none", defaults, "C1")).toBe("");
  });

  it("count the channels after the first few", () => {
    const channels = new Map(Array.from({ length: 8 }, (_, at) => [`C${at}`, "demo"]));
    expect(usedText("demo", { workspace: undefined, channels }, undefined)).toContain("<#C4> and 3 more channels");
  });
});

const right = { address: "https://media.example", project: "demo", key: "mo_0123_0123456789abcdefghij" };
const faultsOf = (values: object, allowPrivate = true) =>
  connectFaults({ values: { ...right, ...values } }, allowPrivate);

describe("the input for connecting a project", () => {
  it("is accepted if it is well-formed", () => {
    expect(faultsOf({})).toBeUndefined();
    expect(faultsOf({ project: `a${"b".repeat(62)}`, address: "http://10.0.0.1:8080/media" })).toBeUndefined();
    expect(faultsOf({ key: "another.service~s/key+=" })).toBeUndefined();
  });

  it.each([
    ["address", { address: "media.example" }],
    ["address", { address: "ftp://media.example" }],
    ["address", { address: "https://user:word@media.example" }],
    ["address", { address: undefined }],
    ["project", { project: "-demo" }],
    ["project", { project: "a@b" }],
    ["project", { project: "a".repeat(64) }],
    ["key", { key: "with blank" }],
    ["key", { key: "schlüssel" }],
    ["key", { key: '"quoted"' }],
    ["key", { key: "<mo_key>" }],
    ["key", { key: undefined }],
  ])("is marked at the field %s: %o", (field, values) => {
    expect(Object.keys(faultsOf(values) ?? {})).toEqual([field]);
  });

  it("may be private only if the bot may connect to private addresses", () => {
    expect(faultsOf({ address: "https://192.168.0.1" }, false)).toHaveProperty("address");
    expect(faultsOf({ address: "http://media.example" }, false)).toHaveProperty("address");
  });

  it("is stored without the address's trailing slash, so that each service has one address", () => {
    expect(givenIn({ values: { ...right, address: "https://media.example//" } }).address).toBe(right.address);
  });
});

const client = createMediaClient({ baseUrl: "http://127.0.0.1:1", apiKey: "mo_0123" });
const ask: Ask = (call) => call(client, { timeoutMs: 5 });
const NOW = Date.parse("2026-11-21T14:05:30Z");
const request = (leftMs: number) => ({ answerBy: NOW + leftMs, now: () => NOW });

/** Resolves never; rejects as the client does if the call is aborted. */
const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

describe("a call of many requests", () => {
  it("ends before the answer is due, and the person reads how to ask for less", async () => {
    const asked = askTogether({ ask }, request(1010), (_, { signal }) => untilAborted(signal));
    await expect(asked).rejects.toThrow(Refused);
    await expect(asked).rejects.toThrow("A shorter time is faster");
  });

  it("keeps the service's own timeout, and any other error", async () => {
    const slow = new MediaTimeoutError("slow");
    await expect(askTogether({ ask }, request(9000), () => Promise.reject(slow))).rejects.toBe(slow);
    await expect(askTogether({ ask }, request(0), () => Promise.reject(slow))).rejects.toBe(slow);
  });

  it("gives each request the timeout of the caller", async () => {
    expect(await askTogether({ ask }, request(9000), async (_, { timeoutMs }) => timeoutMs)).toBe(5);
  });
});
