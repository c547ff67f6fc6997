import { closeAfterAll } from "@media-ops/testing/after-all";
import { expect, it } from "vitest";
import { signedHeaders } from "../test/requests.js";
import { startStage } from "../test/stage.js";

const command = (fields: Record<string, string>): string =>
  new URLSearchParams({
    command: "/media",
    text: "projects",
    trigger_id: "1.2.3",
    user_id: "U1",
    user_name: "eve",
    channel_id: "C1",
    channel_name: "general",
    api_app_id: "A1",
    ...fields,
  }).toString();

const REFUSED = "Only members of the workspace that this bot serves can use it.";

const stage = await startStage({ atEnd: closeAfterAll() });

/** A person of another workspace, in a channel of theirs. */
function stranger() {
  const other = stage.slack.addWorkspace({ name: "elsewhere" });
  const eve = other.addUser({ name: "eve" });
  return { other, eve, place: other.addChannel({ name: "shared", members: [eve], withBot: true }) };
}

it("ignores requests without a valid signature, and repeats of old requests", async () => {
  const url = `${stage.bot.url}/slack/events`;
  const body = command({ team_id: stage.team.id, response_url: `${stage.slack.url}/response/none` });
  const send = async (headers: Record<string, string>) => (await fetch(url, { method: "POST", headers, body })).status;
  expect(await send(signedHeaders(body, "another secret"))).toBe(401);
  expect(await send({ "content-type": "application/x-www-form-urlencoded" })).toBe(401);
  const anHourAgo = Math.floor(Date.now() / 1000) - 3600;
  expect(await send(signedHeaders(body, stage.slack.app.signingSecret, anHourAgo))).toBe(401);
  await stage.settled();
  expect(stage.slack.transcript.filter(({ name }) => name === "response_url")).toEqual([]);
});

it("answers Slack's unsigned certificate check, and does nothing else for it", async () => {
  const body = command({ ssl_check: "1", team_id: stage.team.id, response_url: `${stage.slack.url}/response/none` });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { status } = await fetch(`${stage.bot.url}/slack/events`, { method: "POST", headers, body });
  expect(status).toBe(200);
  await stage.settled();
  expect(stage.slack.transcript.filter(({ name }) => name === "response_url")).toEqual([]);
});

it("informs people of another workspace, in a shared channel, that it does not serve them", async () => {
  const { eve, place } = stranger();
  expect((await stage.ask(eve, "/media logs webhooks", place)).text).toBe(REFUSED);
});

it("informs them as well when they press a button, and does nothing", async () => {
  const { other, eve, place } = stranger();
  const message = await stage.next(eve, place, () => stage.postButton(place, "run:1", "projects", other));
  const told = await stage.press(message, "Press", eve, place);
  expect(told).toMatchObject({ text: REFUSED, isOnlyVisibleToYou: true });
});

it("answers no mention by them in their own workspace, where it is not", async () => {
  const { other, eve, place } = stranger();
  const said = await eve.says(`${other.botMention} token lobby`, { in: place });
  await stage.settled();
  expect(eve.sees(place)).toEqual([said]);
  expect(eve.direct()).toEqual([]);
  const { query } = await stage.openStorage();
  expect(await query.selectFrom("minting").selectAll().execute()).toEqual([]);
});

it("reports that it runs, and that it is ready, and has no other pages", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    const response = await fetch(`${stage.bot.url}${path}`);
    expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
  }
  for (const path of ["/slack/install", "/slack/events"]) {
    expect((await fetch(`${stage.bot.url}${path}`)).status).toBe(404);
  }
});
