import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Person, type Place, type SeenView, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { always, startBadService } from "../test/services.js";
import { expectWords, labelsOf, NOT_CONNECTED, newRoom, type Stage, startStage } from "../test/stage.js";
import { temporaryFolder } from "../test/storage.js";

const wrongKey = "mo_0123456789abcdef_planted_wrong_key_that_nobody_may_see";
const REACH = "Use it for commands that name no project";

/** Workspaces without a project, and with demo from the environment. */
const atEnd = closeAfterAll();
const stages = { none: await startStage({ env: NOT_CONNECTED, atEnd }), demo: await startStage({ atEnd }) };

/** Two new people, the first of them an admin, in a workspace that nobody has connected to a project. */
let room: Stage;
const enter = (which: keyof typeof stages): void => {
  room = newRoom(stages[which]);
};
beforeEach(async () => {
  for (const { team, openStorage } of Object.values(stages)) {
    const { query } = await openStorage();
    for (const table of ["connection", "connection_default"] as const) {
      await query.deleteFrom(table).where("team_id", "=", team.id).execute();
    }
  }
  enter("none");
});

async function openForm(person: Person = room.ann, place: Place = room.general, { slack } = room): Promise<SeenView> {
  await person.command("/media connect", { in: place });
  return slack.until(() => (person.modal?.submit === undefined ? undefined : person.modal));
}

/** Submits the window, and returns its content after the key was checked. */
async function send(entries: Record<string, string>, person: Person = room.ann, { slack } = room): Promise<SeenView> {
  await person.submit(entries);
  return slack.until(() => (textOf(person.modal ?? []).includes("Checking the key") ? undefined : person.modal));
}

/** The right input. */
const demo = () => ({ Address: room.service.url, Project: "demo", "API key": room.service.apiKey });

describe("/media connect", () => {
  it("opens one window for all settings, and uses the project from then on", async () => {
    expect(textOf(await openForm())).toContain("stored encrypted and shown to nobody");
    const answer = await send({ ...demo(), Address: `${room.service.url}/` });
    expect(answer.title).toBe("Connected");
    expectWords(answer, "Used in the whole workspace.", "type `/media status`");
    expect(await room.read(room.bob, "/media status")).toContain("demo at 127.0.0.1");
    expect(room.ann.sees(room.general)).toEqual([]);
  });

  it("refuses people without permission, in the window, and names who can help", async () => {
    const { slack, bob, general } = room;
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
    await openForm(stage.bob, stage.general, stage);
  });

  it("refuses a person who has lost permission while the window was open", async () => {
    await openForm();
    room.ann.isAdmin = false;
    // Slack's answer about a person is cached for a short time.
    const present = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => present() + 10 * 60_000);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(textOf(await send(demo()))).toContain("You may not connect projects.");
    expect(await room.read(room.bob, "/media projects")).toContain("No project is connected yet.");
  });

  it.each([
    ["an unknown key", { "API key": wrongKey }, "The service doesn't know this key"],
    ["a key of another project", { Project: "other" }, "This key does not belong to other."],
    ["an unreachable service", { Address: "http://127.0.0.1:1" }, "No service answers at 127.0.0.1:1."],
  ])("reports what is wrong with %s, and requests only the key again", async (_, wrong, words) => {
    await openForm();
    const entries = { ...demo(), ...wrong };
    const again = await send(entries);
    expectWords(again, words, entries.Address);
    expect(JSON.stringify(again)).not.toContain(room.service.apiKey);
    expect(JSON.stringify(again)).not.toContain(wrongKey);
    await expect(room.ann.submit({})).rejects.toThrow("API key");
    expect((await send(demo())).title).toBe("Connected");
  });

  it.each([
    ["a web page", 200, "<!doctype html>"],
    ["another API", 404, { error: "no such path" }],
  ])("reports that the server is not a media service: %s", async (_, status, body) => {
    await openForm();
    const Address = await startBadService(always(status, body));
    expect(textOf(await send({ ...demo(), Address, "API key": wrongKey }))).toContain("is not a media service");
  });

  it("makes the only existing project the workspace's default, and says how to address the new one", async () => {
    enter("demo");
    await openForm();
    const { apiKey } = room.service.project("other");
    const entries = { Project: "other", "API key": apiKey, [REACH]: "Only for commands that name it" };
    const text = textOf(await send(entries));
    expect(text).toContain("It is used by commands that name it.");
    expect(text).toContain("*demo* stays the default everywhere else.");
    expect(text).toContain("type `/media status in:other`");
    expect(await room.read(room.bob, "/media status", room.random)).toContain("demo at 127.0.0.1");
  });

  it("keeps the defaults of a project that is connected again", async () => {
    enter("demo");
    await room.ask(room.ann, "/media use demo for:workspace");
    await openForm();
    const text = textOf(await send({ ...demo(), [REACH]: "Only for commands that name it" }));
    expect(text).toContain("Used in the whole workspace.");
    expect(text).not.toContain("where it is named");
  });

  it("never shows or logs the key, even if the service repeats it", async () => {
    const key = "a-key-of-another-kind-0123456789";
    await openForm();
    const detail = `The key ${key} is not known.`;
    const problem = { type: "about:blank", title: "Not authorized", status: 401, detail, request_id: key };
    const Address = await startBadService(always(401, problem, { "content-type": "application/problem+json" }));
    const again = await send({ Address, Project: "demo", "API key": key });
    expect(textOf(again)).toContain("The service doesn't know this key");
    expect(JSON.stringify(again) + room.logged()).not.toContain(key);
  });

  it("reports that the key of a project was replaced", async () => {
    enter("demo");
    expect(textOf(await openForm())).toContain("replaces its address and its key");
    expect(textOf(await send(demo()))).toContain("It replaces the connection from the bot's environment");
    await room.ann.close();
    await openForm();
    expect(textOf(await send(demo()))).toContain("The former key is deleted here, and stays valid until it is revoked");
  });

  it.each([
    ["that confirms the connection and offers watches", 200, "✓ Connected.", ["Watch the usual here"], false],
    ["that names the fault and offers another attempt", 401, "doesn't know this key", ["Open the window again"], true],
  ])("notifies a person who has closed the window by a message %s", async (_, status, words, labels, opensWindow) => {
    const { ann, general } = room;
    let goOn = (): void => {};
    const closed = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const Address = await startBadService(async (request, response) => {
      await closed;
      always(status, [])(request, response);
    });
    await openForm();
    const message = await room.next(ann, general, async () => {
      await ann.submit({ ...demo(), Address });
      await ann.close();
      goOn();
    });
    expect(textOf(message)).toContain(words);
    expect(labelsOf(message)).toEqual(labels);
    for (const label of opensWindow ? labels : []) {
      await ann.press(message, label);
      await room.form(ann);
    }
  });

  it("shows an unexpected error in the window, with a reference that the log contains, too", async () => {
    room = await startStage({ env: NOT_CONNECTED });
    const { slack, ann, general, service } = room;
    await openForm();
    const { query } = await room.openStorage();
    await query.schema.dropTable("connection").execute();
    const broken = await send(demo());
    const reference = /the log has it under ([0-9a-f]{8})/.exec(textOf(broken))?.[1] ?? "none";
    expect(room.logged()).toContain(`"reference":"${reference}"`);
    expect(JSON.stringify(broken) + room.logged()).not.toContain(service.apiKey);
    await ann.close();
    await ann.command("/media connect", { in: general });
    await slack.until(() => textOf(ann.modal ?? []).includes("Something went wrong here"));
  });

  it("keeps the projects of two people separate who connect at once, each for their own channel", async () => {
    const { ann, bob, general, random, service } = room;
    bob.isAdmin = true;
    await Promise.all([openForm(ann, general), openForm(bob, random)]);
    const here = { ...demo(), [REACH]: "In this channel" };
    const other = { ...here, Project: "other", "API key": service.project("other").apiKey };
    const answers = await Promise.all([send(here, ann), send(other, bob)]);
    expect(answers.map(({ title }) => title)).toEqual(["Connected", "Connected"]);
    const asked = await Promise.all([room.ask(bob, "/media status", general), room.ask(ann, "/media status", random)]);
    expect(asked.map((answer) => /(\w+) at 127\.0\.0\.1/.exec(textOf(answer))?.[1])).toEqual(["demo", "other"]);
  });
});
