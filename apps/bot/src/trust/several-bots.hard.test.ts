import { textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, expect, it } from "vitest";
import type { Bot } from "../bot.js";
import { Mintings } from "../storage/records.js";
import { failure, ids, webhook } from "../test/entries.js";
import { startBadService } from "../test/services.js";
import { newRoom, type Stage, startStage } from "../test/stage.js";
import type { AtEnd } from "../test/storage.js";

/** Sends each of Slack's requests to several bots, as Slack may do when it retries. */
async function sendToAll({ slack }: Stage, bots: readonly Bot[], end: AtEnd): Promise<void> {
  const front = await startBadService(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const sent = { method: "POST", body: Buffer.concat(body), headers: textsIn(request.headers) };
    const [first] = await Promise.all(bots.map(({ url }) => fetch(`${url}/slack/events`, sent)));
    const contentType = first?.headers.get("content-type");
    response.writeHead(first?.status ?? 500, contentType ? { "content-type": contentType } : {});
    response.end(await first?.text());
  }, end);
  slack.app.requestUrl = `${front}/slack/events`;
}

let three: Stage;
const atEnd = closeAfterAll();
beforeAll(async () => {
  const stage = await startStage({ onDisk: true, atEnd });
  const others = await Promise.all([stage.startAnother(), stage.startAnother()]);
  await sendToAll(stage, [stage.bot, ...others], atEnd);
  const settled = async () => {
    for (const bot of [stage.bot, ...others]) await bot.settled();
  };
  three = { ...stage, settled };
});

/** How often the bots have answered. */
const answers = () => three.slack.transcript.filter(({ name }) => name === "response_url").length;

it("a command that is sent to three bots is answered once", async () => {
  const stage = newRoom(three);
  const before = answers();
  const asked = ["one", "two", "three", "four"].map(async (name) => {
    const { person, place } = stage.newcomer(name);
    await stage.ask(person, "/media projects", place);
    return { person, place };
  });
  const people = await Promise.all(asked);
  await stage.settled();
  for (const { person, place } of people) expect(person.sees(place)).toHaveLength(1);
  expect(answers() - before).toBe(people.length);
});

it("a token that is requested at three bots is created, recorded and shown once", async () => {
  const stage = newRoom(three);
  await stage.ask(stage.ann, "/media token lobby");
  await stage.settled();
  expect(stage.ann.sees(stage.general)).toHaveLength(1);
  const mintings = new Mintings(await stage.openStorage());
  expect(await mintings.latest(stage.team.id, { limit: 10 })).toHaveLength(1);
});

it("a button that is pressed twice, and sent to three bots each time, runs its action once", async () => {
  const stage = newRoom(three);
  await stage.service.add("webhooks", webhook());
  const message = await stage.ask(stage.ann, "/media logs webhooks");
  await stage.settled();
  const before = answers();
  await stage.ann.press(message, "Refresh", { times: 2 });
  await stage.settled();
  expect(answers() - before).toBe(1);
});

it("a shortcut that is sent to three bots opens one window, with one trace", async () => {
  const stage = newRoom(three);
  await stage.service.add("events", failure());
  const message = await stage.bob.says(ids.connection_id, { in: stage.general });
  await stage.ann.messageShortcut(message, "look_up");
  await stage.settled();
  expect(textOf(stage.ann.modal ?? [])).toContain(`Trace of connection ${ids.connection_id}`);
  expect(stage.slack.transcript.filter(({ name }) => name === "views.open")).toHaveLength(1);
});

it("a change at one bot applies to the other at once", async () => {
  const stage = await startStage({ onDisk: true });
  const other = await stage.startAnother();
  const [here, there] = [stage.bot, other].map(({ url }) => `${url}/slack/events`);
  const { apiKey } = stage.service.project("garden");

  await stage.ann.command("/media connect", { in: stage.general });
  await stage.form(stage.ann);
  stage.slack.app.requestUrl = there;
  await stage.ann.submit({ Address: stage.service.url, Project: "garden", "API key": apiKey });
  await stage.slack.until(() => stage.ann.modal?.title === "Connected");
  await stage.ann.close();
  stage.slack.app.requestUrl = here;
  expect(await stage.read(stage.ann, "/media use garden")).toContain("garden");
  stage.slack.app.requestUrl = there;
  expect(await stage.read(stage.bob, "/media status")).toContain("garden at 127.0.0.1");
});

it("an installation that starts at one bot ends at another, and both act in the workspace", async () => {
  const stage = await startStage({ oauth: true, onDisk: true });
  const other = await stage.startAnother();
  const page = await stage.slack.allow(`${other.url}/slack/install`, { by: stage.ann });
  expect(await page.text()).toContain("The bot is in acme");
  stage.slack.app.requestUrl = `${other.url}/slack/events`;
  expect(await stage.read(stage.ann, "/media projects")).toContain("No project is connected yet");
});

function textsIn(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const all = Object.entries(headers).filter(([name]) => name.startsWith("x-slack-") || name === "content-type");
  return Object.fromEntries(all.map(([name, value]) => [name, String(value)]));
}
