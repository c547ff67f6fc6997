import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buttonsOf, textOf } from "@media-ops/fake-slack";
import { verifyWebhook } from "@media-ops/sdk/webhooks";
import { expect, it } from "vitest";
import { always, startBadService } from "../test/bad-service.js";
import { webhook } from "../test/entries.js";
import { startStage } from "../test/stage.js";
import { temporaryFolder } from "../test/storage.js";
import { failedWebhook, postedIn, STEPWISE, setClock, startReceiver, startWatch } from "../test/watching.js";
import { newSecret, sealTarget } from "./target.js";
import { WatchStore } from "./watch-store.js";

/** A stage whose channel has the bot. */
async function start(settings: Parameters<typeof startStage>[0] = {}) {
  const stage = await startStage(settings);
  stage.team.inviteBot(stage.general);
  return stage;
}

it("only those that the policy names may watch, and others see who can allow it", async () => {
  const file = join(await temporaryFolder(), "policy.json");
  await writeFile(file, JSON.stringify({ watch: ["admins"] }));
  const stage = await start({ env: { BOT_TOKEN_POLICY: file } });
  const refused = await stage.ask(stage.bob, "/media watch webhooks failed");
  expect(textOf(refused)).toContain("You may not set up or change watches");
  await startWatch(stage, "watch webhooks failed");
  const list = await stage.ask(stage.bob, "/media watches");
  await stage.bob.press(list, "Stop");
  await stage.slack.until(() =>
    stage.bob.sees(stage.general).some((one) => textOf(one).includes("You may not set up")),
  );
  expect(textOf(await stage.ask(stage.ann, "/media watches"))).toContain("One watch");
});

it("is not added twice, and says when it would have fired in the last seven days", async () => {
  const stage = await start();
  const { ann, general, service, slack } = stage;
  const failures = [5, 6, 7, 3000, 3001].map((minutesAgo) => webhook({ minutesAgo, status: 500 }));
  await service.add("webhooks", ...failures, webhook({ minutesAgo: 100 }));
  await startWatch(stage, "watch webhooks failed");
  const twice = await stage.ask(stage.bob, "/media watch webhooks failed");
  expect(textOf(twice)).toContain("This is watched here already");
  expect(textOf(await stage.ask(ann, "/media watches"))).toContain("One watch");
  const list = await stage.ask(ann, "/media watches");
  await ann.press(list, "Test");
  const tested = await slack.until(() => ann.sees(general).find((one) => textOf(one).includes("Would have fired")));
  expect(textOf(tested)).toMatch(/Would have fired 2 times in the last 7 days:\*? failed webhooks of \*demo/);
});

it("the usual watches are set up with one press, with limits above what is usual", async () => {
  const stage = await start();
  const { ann, general, slack } = stage;
  await stage.connectDemo(ann, general);
  await ann.command("/media connect", { in: general });
  await slack.until(() => ann.modal?.submit);
  await ann.submit({ Address: stage.service.url, Project: "demo", "API key": stage.service.apiKey });
  await slack.until(() => ann.modal?.title === "Connected");
  await ann.press(await slack.until(() => ann.modal), "Watch the usual here");
  const notice = await slack.until(() => postedIn(ann, general)[0]);
  expect(textOf(notice)).toContain("watches here:");
  expect(textOf(notice)).toMatch(
    /failed webhooks.*webhook logs, status 410.*outcome refused, more than 20.*status 5xx, more than 5/s,
  );
  await slack.until(() => ann.sees(general).some((one) => textOf(one).startsWith("✓ *demo* is watched here")));
  expect(textOf(await stage.ask(ann, "/media watches"))).toContain("4 watches");
});

it("is edited in a window, and then also posts signed messages outside Slack", async () => {
  const { url, received } = await startReceiver([500, 204]);
  const clock = setClock(new Date().toISOString());
  const stage = await start({
    env: { BOT_ALLOW_PRIVATE_WATCH_URLS: "true" },
    ...{ now: clock.now, slackNow: Date.now, watchPace: { ...STEPWISE, pollMs: 20, tickMs: 20 } },
  });
  const { ann, general, slack, service } = stage;
  await startWatch(stage, "watch webhooks failed");
  const list = await stage.ask(ann, "/media watches");
  await ann.press(list, "Edit…");
  await slack.until(() => ann.modal?.submit);
  await ann.submit({ "Fires when": "often" });
  expect(ann.modal?.errors.when).toMatch(/count>20/);
  await ann.submit({ "Fires when": "count>1", Within: "10s", "Also outside Slack": url });
  const saved = await slack.until(() => (ann.modal?.title === "Saved" ? ann.modal : undefined));
  expect(textOf(saved)).toContain("failed webhooks, more than 1, within 10 s of demo");
  const [secret = ""] = /whsec_[\w+/=]+/.exec(textOf(saved)) ?? [];
  expect(await stage.stored()).not.toContain(secret);
  expect(await stage.stored()).not.toContain("/hook");

  await service.add("webhooks", failedWebhook(clock.now()), failedWebhook(clock.now()));
  const receivedLater = (): number => {
    if (received.length > 0) clock.pass(0.05);
    return received.length;
  };
  await expect.poll(receivedLater).toBe(3);
  const [first, again, ended] = received;
  // The receiver failed once: the same message came again.
  expect(again).toMatchObject({ id: first?.id, message: { type: "watch.incident.began", data: { count: 2 } } });
  expect(ended?.message).toMatchObject({
    type: "watch.incident.ended",
    data: { incident_id: first?.message.data.incident_id, count: 2, project_id: "demo", log: "webhooks" },
  });
  for (const { headers, body } of received) await verifyWebhook({ headers, body, secret });
  expect(postedIn(ann, general)).toHaveLength(2);
});

it("never posts to a private address unless the operator allows it for watches", async () => {
  const { url, received } = await startReceiver();
  const stage = await start({ env: { BOT_ALLOW_PRIVATE_ADDRESSES: "true" } });
  const { bob, team, slack, service } = stage;
  await startWatch(stage, "watch webhooks failed");
  await bob.press(await stage.ask(bob, "/media watches"), "Edit…");
  await slack.until(() => bob.modal?.submit);
  for (const inside of [url, "http://169.254.169.254/latest/meta-data", "https://localhost/internal-admin"]) {
    await bob.submit({ "Also outside Slack": inside });
    expect(bob.modal?.errors.url).toContain("The address is private");
  }

  // A URL that was saved while private addresses were allowed.
  const storage = await stage.openStorage();
  const watches = new WatchStore(storage, Date.now);
  const [watch] = await watches.all(team.id);
  if (!watch) throw new Error("There is no watch.");
  const target = await sealTarget(storage.vault, watch, { url, secret: newSecret() });
  await watches.change({ teamId: team.id, isOrgWide: false }, watch.id, { target });
  await stage.watched();
  await service.add("webhooks", failedWebhook(Date.now()));
  await expect.poll(() => stage.logged(), { timeout: 40_000 }).toContain("PrivateAddressError");
  expect(received).toEqual([]);
});

it("pauses if the key is refused, notifies its owner once, and goes on when the project is connected again", async () => {
  const stage = await start();
  const { ann, bob, general, slack } = stage;
  let status = 200;
  // A service that has the six operations alone.
  const address = await startBadService((request, response) => always(status, [])(request, response));
  const connect = () => stage.connectDemo(ann, general, "other", { Address: address, "API key": "mo_any_key" });
  await connect();
  await startWatch(stage, "watch webhooks failed in:other");
  await startWatch(stage, "watch api status:5xx in:other");
  await stage.watched();
  status = 401;
  const notice = await slack.until(() => ann.direct().at(-1));
  expect(textOf(notice)).toContain("2 watches of yours are paused:* The service refuses the project's API key.");
  expect(textOf(await stage.ask(bob, "/media watches"))).toContain("Paused: The service refuses");
  expect(ann.direct()).toHaveLength(1);
  status = 200;
  await connect();
  expect(textOf(await stage.ask(bob, "/media watches"))).not.toContain("Paused");
});

it("says to its owner once why a digest was not posted", async () => {
  const clock = setClock("2026-07-28T08:58:00Z");
  const stage = await start({ now: clock.now, slackNow: Date.now });
  const { ann, general, slack, team } = stage;
  await ann.command("/media digest at:09:00", { in: general });
  await slack.until(() => ann.sees(general).some((one) => textOf(one).startsWith("✓ The digest")));
  team.archive(general);
  for (let day = 0; day < 2; day++) {
    clock.pass(day === 0 ? 2 : 24 * 60);
    await stage.watched();
    const [message, ...others] = await slack.until(() => (ann.direct().length > 0 ? ann.direct() : undefined));
    expect(message && textOf(message)).toMatch(
      /The digest of \*demo\* in #\w+ was not posted: Slack refused it \(is_archived\)/,
    );
    expect(others).toEqual([]);
  }
  expect(textOf(await stage.ask(ann, "/media digest", stage.random))).toContain("not posted the last time");
});

it("posts a digest every day at the time, in the channel, and shows it at once on request", async () => {
  const clock = { at: Date.parse("2026-07-28T08:58:00Z") };
  const stage = await start({ now: () => clock.at, slackNow: Date.now });
  const { ann, general, slack, service } = stage;
  await service.add("webhooks", webhook({ status: 503, minutesAgo: 0 }), { ...failedWebhook(clock.at - 3_600_000) });
  await ann.command("/media digest at:09:00", { in: general });
  const answer = await slack.until(() => ann.sees(general).find((one) => textOf(one).startsWith("✓ The digest")));
  expect(textOf(answer)).toContain("every day at 09:00 (UTC)");
  await ann.press(answer, "Show it now");
  const shown = await slack.until(() =>
    ann.sees(general).find((one) => textOf(one).includes("The last 24 hours of demo")),
  );
  expect(textOf(shown)).toMatch(/webhook/);
  clock.at += 2 * 60_000;
  const digests = () => postedIn(ann, general).filter((one) => textOf(one).includes("The last 24 hours"));
  const posted = await slack.until(() => digests()[0], { timeoutMs: 20_000 });
  expect(buttonsOf(posted)).toEqual([]);
  clock.at += 60_000;
  await stage.watched();
  expect(digests()).toHaveLength(1);
  await ann.command("/media digest at:off", { in: general });
  await slack.until(() => ann.sees(general).some((one) => textOf(one).includes("is ended")));
});
