import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buttonsOf, type Person, type Place, type SeenView, textOf } from "@media-ops/fake-slack";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { always, startBadService } from "../test/bad-service.js";
import { NOT_CONNECTED, type Stage, startStage } from "../test/stage.js";
import { temporaryFolder } from "../test/storage.js";

const wrongKey = "mo_0123456789abcdef_planted_wrong_key_that_nobody_may_see";

async function openForm({ slack }: Stage, person: Person, place: Place): Promise<SeenView> {
  await person.command("/media connect", { in: place });
  return slack.until(() => (person.modal?.submit === undefined ? undefined : person.modal));
}

/** Submits the window, and returns its content after the key was checked. */
async function send({ slack }: Stage, person: Person, entries: Record<string, string>): Promise<SeenView> {
  await person.submit(entries);
  return slack.until(() => (textOf(person.modal ?? []).includes("Checking the key") ? undefined : person.modal));
}

describe("/media connect", () => {
  it("opens one window for all settings, and uses the project from then on", async () => {
    const stage = await startStage({ env: NOT_CONNECTED });
    const { ann, bob, general, service } = stage;
    const form = await openForm(stage, ann, general);
    expect(textOf(form)).toContain("stored encrypted and shown to nobody");

    const answer = await send(stage, ann, { Address: `${service.url}/`, Project: "demo", "API key": service.apiKey });
    expect(answer.title).toBe("Connected");
    expect(textOf(answer)).toContain("Used in the whole workspace.");
    expect(textOf(answer)).toContain("type `/media status`");
    expect(textOf(await stage.ask(bob, "/media status"))).toContain("demo at 127.0.0.1");
    expect(ann.sees(general)).toEqual([]);
  });

  it("refuses people without permission, in the window, and names who can help", async () => {
    const stage = await startStage();
    const { slack, bob, general } = stage;
    await bob.command("/media connect", { in: general });
    const modal = await slack.until(() => (textOf(bob.modal ?? []).includes("may not") ? bob.modal : undefined));
    expect(textOf(modal)).toContain("You may not connect projects. Ask an admin of this workspace.");
    expect(modal.submit).toBeUndefined();
  });

  it("is allowed for the people that the policy names", async () => {
    const file = join(await temporaryFolder(), "policy.json");
    await writeFile(file, JSON.stringify({ connect: ["U0000000005"] }));
    const stage = await startStage({ env: { BOT_TOKEN_POLICY: file } });
    expect(stage.bob.id).toBe("U0000000005");
    await openForm(stage, stage.bob, stage.general);
  });

  it("refuses a person who has lost permission while the window was open", async () => {
    const stage = await startStage({ env: NOT_CONNECTED });
    const { ann, bob, general, service } = stage;
    await openForm(stage, ann, general);
    ann.isAdmin = false;
    // Slack's answer about a person is cached for a short time.
    const present = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => present() + 10 * 60_000);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const answer = await send(stage, ann, { Address: service.url, Project: "demo", "API key": service.apiKey });
    expect(textOf(answer)).toContain("You may not connect projects.");
    expect(textOf(await stage.ask(bob, "/media projects"))).toContain("No project is connected yet.");
  });

  it.each([
    ["an unknown key", { "API key": wrongKey }, "The service doesn't know this key"],
    ["a key of another project", { Project: "other" }, "This key does not belong to other."],
    ["an unreachable service", { Address: "http://127.0.0.1:1" }, "No service answers at 127.0.0.1:1."],
  ])("reports what is wrong with %s, and requests only the key again", async (_, wrong, words) => {
    const stage = await startStage({ env: NOT_CONNECTED });
    const { ann, general, service } = stage;
    await openForm(stage, ann, general);
    const right = { Address: service.url, Project: "demo", "API key": service.apiKey };
    const again = await send(stage, ann, { ...right, ...wrong });
    expect(textOf(again)).toContain(words);
    expect(textOf(again)).toContain({ ...right, ...wrong }.Address);
    const shown = JSON.stringify(again);
    expect(shown).not.toContain(service.apiKey);
    expect(shown).not.toContain(wrongKey);
    await expect(ann.submit({})).rejects.toThrow("API key");

    expect((await send(stage, ann, right)).title).toBe("Connected");
  });

  it.each([
    ["a web page", 200, "<!doctype html>"],
    ["another API", 404, { error: "no such path" }],
  ])("reports that the server is not a media service: %s", async (_, status, body) => {
    const stage = await startStage({ media: "none" });
    await openForm(stage, stage.ann, stage.general);
    const address = await startBadService(always(status, body));
    const again = await send(stage, stage.ann, { Address: address, Project: "demo", "API key": wrongKey });
    expect(textOf(again)).toContain("is not a media service");
  });

  it("makes the only existing project the workspace's default, and says how to address the new one", async () => {
    const stage = await startStage();
    const { ann, bob, general, random, service } = stage;
    const { apiKey } = service.project("other");
    await openForm(stage, ann, general);
    const reach = { "Use it for commands that name no project": "Only for commands that name it" };
    const text = textOf(await send(stage, ann, { Project: "other", "API key": apiKey, ...reach }));
    expect(text).toContain("It is used by commands that name it.");
    expect(text).toContain("*demo* stays the default everywhere else.");
    expect(text).toContain("type `/media status in:other`");
    expect(textOf(await stage.ask(bob, "/media status", random))).toContain("demo at 127.0.0.1");
  });

  it("keeps the defaults of a project that is connected again", async () => {
    const stage = await startStage();
    const { ann, general, service } = stage;
    await stage.ask(ann, "/media use demo for:workspace");
    await openForm(stage, ann, general);
    const reach = { "Use it for commands that name no project": "Only for commands that name it" };
    const text = textOf(await send(stage, ann, { Project: "demo", "API key": service.apiKey, ...reach }));
    expect(text).toContain("Used in the whole workspace.");
    expect(text).not.toContain("where it is named");
  });

  it("never shows or logs the key, even if the service repeats it", async () => {
    const stage = await startStage({ env: NOT_CONNECTED });
    const key = "a-key-of-another-kind-0123456789";
    await openForm(stage, stage.ann, stage.general);
    const detail = `The key ${key} is not known.`;
    const problem = { type: "about:blank", title: "Not authorized", status: 401, detail, request_id: key };
    const address = await startBadService(always(401, problem, { "content-type": "application/problem+json" }));
    const again = await send(stage, stage.ann, { Address: address, Project: "demo", "API key": key });
    expect(textOf(again)).toContain("The service doesn't know this key");
    expect(JSON.stringify(again)).not.toContain(key);
    expect(stage.logged()).not.toContain(key);
  });

  it("reports that the key of a project was replaced", async () => {
    const stage = await startStage();
    const { ann, general, service } = stage;
    const entries = { Project: "demo", "API key": service.apiKey };
    expect(textOf(await openForm(stage, ann, general))).toContain("replaces its address and its key");
    expect(textOf(await send(stage, ann, entries))).toContain("It replaces the connection from the bot's environment");
    await ann.close();
    await openForm(stage, ann, general);
    expect(textOf(await send(stage, ann, entries))).toContain(
      "The former key is deleted here, and stays valid until it is revoked",
    );
  });

  it.each([
    ["that confirms the connection and offers watches", 200, "✓ Connected.", ["Watch the usual here"], false],
    ["that names the fault and offers another attempt", 401, "doesn't know this key", ["Open the window again"], true],
  ])("notifies a person who has closed the window by a message %s", async (_, status, words, labels, opensWindow) => {
    const stage = await startStage({ env: NOT_CONNECTED });
    const { slack, ann, general, service } = stage;
    let goOn = (): void => {};
    const closed = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const address = await startBadService(async (request, response) => {
      await closed;
      always(status, [])(request, response);
    });
    await openForm(stage, ann, general);
    const message = await stage.next(ann, general, async () => {
      await ann.submit({ Address: address, Project: "demo", "API key": service.apiKey });
      await ann.close();
      goOn();
    });
    expect(textOf(message)).toContain(words);
    expect(buttonsOf(message).map(({ text }) => text)).toEqual(labels);
    for (const label of opensWindow ? labels : []) {
      await ann.press(message, label);
      await slack.until(() => ann.modal?.submit);
    }
  });

  it("shows an unexpected error in the window, with a reference that the log contains, too", async () => {
    const stage = await startStage({ env: NOT_CONNECTED });
    const { slack, ann, general, service } = stage;
    await openForm(stage, ann, general);
    const { query } = await stage.openStorage();
    await query.schema.dropTable("connection").execute();

    const broken = await send(stage, ann, { Address: service.url, Project: "demo", "API key": service.apiKey });
    const reference = /the log has it under ([0-9a-f]{8})/.exec(textOf(broken))?.[1] ?? "none";
    expect(stage.logged()).toContain(`"reference":"${reference}"`);
    expect(JSON.stringify(broken) + stage.logged()).not.toContain(service.apiKey);
    await ann.close();
    await ann.command("/media connect", { in: general });
    await slack.until(() => textOf(ann.modal ?? []).includes("Something went wrong here"));
  });

  it("keeps the projects of two people separate who connect at once, each for their own channel", async () => {
    const stage = await startStage({ env: NOT_CONNECTED });
    const { ann, bob, general, random, service } = stage;
    const other = service.project("other");
    bob.isAdmin = true;
    await Promise.all([openForm(stage, ann, general), openForm(stage, bob, random)]);
    const here = { Address: service.url, "Use it for commands that name no project": "In this channel" };
    const answers = await Promise.all([
      send(stage, ann, { ...here, Project: "demo", "API key": service.apiKey }),
      send(stage, bob, { ...here, Project: "other", "API key": other.apiKey }),
    ]);
    expect(answers.map(({ title }) => title)).toEqual(["Connected", "Connected"]);

    const [inGeneral, inRandom] = await Promise.all([
      stage.ask(bob, "/media status", general),
      stage.ask(ann, "/media status", random),
    ]);
    expect(textOf(inGeneral)).toContain("demo at 127.0.0.1");
    expect(textOf(inRandom)).toContain("other at 127.0.0.1");
  });
});
