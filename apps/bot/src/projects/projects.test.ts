import { buttonsOf, checkBlocks, textOf } from "@media-ops/fake-slack";
import { createMediaClient, MediaTimeoutError } from "@media-ops/sdk";
import { describe, expect, it } from "vitest";
import type { Ask } from "../connections/connections.js";
import { defaultPolicy } from "../policy/policy.js";
import { Refused } from "../slack/answer.js";
import { connectProject, expectWords, labelsOf, type Stage, startStage } from "../test/stage.js";
import { connectFaults, givenIn } from "./connect.js";
import { askTogether } from "./open-project.js";
import { hostOf, usedText, whoConnects } from "./words.js";

/** A workspace with "demo" from the environment and "other", which ann connected and which is used if it is named. */
async function twoProjects(): Promise<Stage> {
  const stage = await startStage();
  await connectProject(stage, "other", "Only for commands that name it");
  return stage;
}

describe("/media projects", () => {
  it("lists who connected each project, and where it is used; a button changes that in place", async () => {
    const stage = await twoProjects();
    const { ann, general } = stage;
    const list = await stage.ask(ann, "/media projects");
    const words = ["*2 projects are connected*", "From the bot's environment", `Connected by @${ann.id}`, "★ *demo*"];
    for (const part of words) expect(textOf(list)).toContain(part);
    expect(textOf(list)).not.toContain("★ *other*");

    const changed = await stage.next(ann, general, () => ann.press(list, "use-here:1"));
    expect(changed.ts).toBe(list.ts);
    expectWords(changed, "✓ *other* is used in this channel by everyone from now on.", "★ *other*");

    expect(JSON.stringify(changed.blocks)).toContain("Commands that name no project then use other");
    const everywhere = await stage.next(ann, general, () => ann.press(changed, "use-everywhere:1"));
    expect(textOf(everywhere)).toContain("Used in this channel and the whole workspace");
  });

  it("shows people without permission no such button, and names who can help", async () => {
    const stage = await twoProjects();
    const list = await stage.ask(stage.bob, "/media projects");
    expect(labelsOf(list)).toEqual(["Use here"]);
    expect(textOf(list)).toContain("To connect another, ask an admin of this workspace to type `/media connect`.");
  });

  it("always shows the default projects, and counts the projects that don't fit", async () => {
    const stage = await startStage();
    const { bob } = stage;
    const names = [...Array.from({ length: 25 }, (_, at) => `p${at + 10}`), "used", "zoo"];
    for (const name of names) await stage.addConnection(name, { isDefault: name === "zoo" });
    await stage.ask(bob, "/media use used");
    const list = await stage.ask(bob, "/media projects");
    expect(checkBlocks(list.blocks, "message")).toEqual({ ok: true });
    const text = textOf(list);
    expect(text).toContain("*28 projects are connected*");
    expect(text).toMatch(/\*p26\*.*★ \*used\*.*Used in this channel.*\*zoo\*.*Used in the whole workspace/s);
    expect(text).not.toContain("*p27*");
    expect(text).toContain(
      "8 more are not shown; `/media use <project>` chooses any of them. ★ is used in this channel.",
    );
  });

  it("offers the others if the pressed one is no longer connected", async () => {
    const stage = await twoProjects();
    const { ann, bob, general } = stage;
    const list = await stage.ask(bob, "/media projects");
    const question = await stage.ask(ann, "/media forget other");
    await stage.next(ann, general, () => ann.press(question, "Remove other"));
    const offer = await stage.next(bob, general, () => bob.press(list, "use-here:1"));
    expect(textOf(offer)).toContain('No project "other" is connected.');
    const done = await stage.next(bob, general, () => bob.press(offer, "demo"));
    expect(textOf(done)).toContain("✓ *demo* is used in this channel");
  });
});

describe("/media use", () => {
  it("changes the project of one channel for everyone in it, and of no other channel", async () => {
    const stage = await twoProjects();
    const { ann, bob, general, random } = stage;
    expect(await stage.read(bob, "/media use other")).toContain("✓ *other* is used in this channel");
    expect(await stage.read(ann, "/media", general)).toContain("★ *other* is used in this channel");
    expect(await stage.read(ann, "/media", random)).toContain("★ *demo* is used in this channel");
  });

  it("must name a project after the default one was disconnected", async () => {
    const stage = await twoProjects();
    const { ann, bob, general, random } = stage;
    await connectProject(stage, "third", "In the whole workspace");
    const question = await stage.ask(ann, "/media forget third");
    expect(textOf(question)).toContain("Used in the whole workspace. No project is then the default there.");
    await stage.next(ann, general, () => ann.press(question, "Remove third"));
    expect(await stage.read(bob, "/media", random)).toContain("2 projects are connected, and none is the default");
    expect(await stage.read(bob, "/media status")).toContain("Several projects are connected. Which one do you mean?");
  });

  it("offers the most similar project first", async () => {
    const stage = await twoProjects();
    const { bob, general } = stage;
    const offer = await stage.ask(bob, "/media use othr");
    expect(textOf(offer)).toContain('No project "othr" is connected.');
    expect(labelsOf(offer)).toEqual(["other", "demo"]);
    const done = await stage.next(bob, general, () => bob.press(offer, "other"));
    expect(textOf(done)).toContain("✓ *other* is used in this channel");
  });

  it("lets only people with permission change the workspace's default", async () => {
    const stage = await twoProjects();
    const { ann, bob, random } = stage;
    const refusal = await stage.ask(bob, "/media use other for:workspace");
    expect(textOf(refusal)).toContain("but not that of the whole workspace. Ask an admin of this workspace.");
    await stage.ask(ann, "/media use demo for:workspace");
    expect(await stage.read(bob, "/media", random)).toContain("★ *demo* is used in this channel");
  });
});

describe("/media forget", () => {
  it("names what will be deleted, and deletes it after the confirmation", async () => {
    const stage = await twoProjects();
    const { ann, general } = stage;
    await stage.ask(ann, "/media use other");
    const question = await stage.ask(ann, "/media forget other");
    expect(textOf(question)).toContain("Used in this channel. *demo* is used there instead.");
    expect(textOf(question)).toContain("stays valid until it is revoked at the service: `media-ops keys revoke");
    expect(buttonsOf(question)[0]).toMatchObject({ text: "Remove other", style: "danger" });

    const done = await stage.next(ann, general, () => ann.press(question, "Remove other"));
    expect(done.ts).toBe(question.ts);
    expect(textOf(done)).toContain("✓ *other* is removed, and its key is deleted here.");
    expect(await stage.read(ann, "/media status in:other")).toContain('No project "other" is connected.');
    expect(await stage.read(ann, "/media")).toContain("★ *demo* is used in this channel");
  });

  it("is refused for people without permission", async () => {
    const stage = await twoProjects();
    const refusal = await stage.ask(stage.bob, "/media forget other");
    expect(textOf(refusal)).toContain("You may not remove projects. Ask an admin of this workspace.");
    expect(labelsOf(refusal)).toEqual([]);
  });

  it("says why the environment's project stays", async () => {
    const stage = await startStage();
    expect(await stage.read(stage.ann, "/media forget demo")).toContain("The bot's operator can remove MEDIA_BASE_URL");
  });
});

it("without any project people with permission see a button to connect one, and others see who can", async () => {
  const stage = await startStage({ media: "none" });
  const { ann, bob } = stage;
  for (const command of ["/media", "/media projects", "/media logs webhooks"]) {
    expect(await stage.read(bob, command)).toContain(
      "No project is connected yet. Ask an admin of this workspace to type `/media connect`.",
    );
  }
  const start = await stage.ask(ann, "/media");
  await ann.press(start, "Connect a project");
  const form = await stage.form(ann);
  expect(textOf(form)).toContain("API key");
});

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
