import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { buttonsOf, textOf } from "@media-ops/fake-slack";
import { verifyWebhook } from "@media-ops/sdk/webhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { webhook } from "../test/entries.js";
import { always, startBadService } from "../test/services.js";
import { startStage } from "../test/stage.js";
import { temporaryFolder } from "../test/storage.js";
import {
  failedWebhook,
  notesOn,
  PROMPT,
  postedIn,
  sendOutside,
  setClock,
  startReceiver,
  startWatch,
  startWatching,
} from "../test/watching.js";
import { newSecret, sealTarget } from "./target.js";
import { WatchStore } from "./watch-store.js";

/** The address of a service that can be out of reach for a while. */
async function startAwayService() {
  let to: string | undefined;
  let refused = 0;
  const url = await startBadService(async (request, response) => {
    if (to === undefined) {
      refused += 1;
      return void response.destroy();
    }
    const body = await buffer(request);
    const { authorization = "", "content-type": type = "" } = request.headers;
    const headers = { authorization, "content-type": type };
    const sent = fetch(`${to}${request.url}`, { method: "POST", headers, body: new Uint8Array(body) });
    // The service stops at the end of the test.
    const answer = await sent.catch(() => undefined);
    if (!answer) return void response.destroy();
    const kept = ["content-type", "x-follow-cursor", "x-next-cursor", "x-searched-to"];
    for (const name of kept) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.statusCode = answer.status;
    response.end(await answer.text());
  });
  return {
    url,
    /** @param at the service's own address; undefined if it is out of reach. */
    lead(at: string | undefined): void {
      to = at;
    },
    /** How many calls it has not answered. */
    refused: () => refused,
  };
}

/** A stage with a watch of a service that can be out of reach. */
async function startWithAway() {
  const away = await startAwayService();
  const env = { MEDIA_BASE_URL: away.url, BOT_ALLOW_PRIVATE_WATCH_URLS: "true" };
  const watching = await startWatching({ watchPace: PROMPT, env });
  away.lead(watching.service.url);
  await startWatch(watching.stage, "watch webhooks failed");
  return { ...watching, away };
}

// Several bots, services and minutes of a set clock: a busy machine needs longer than for others.
describe("a watch", { timeout: 120_000 }, () => {
  it("posts to its channel once, edits the message at most once a minute, and says when it is over", async () => {
    const { stage, slack, bob, general, fail, says, pass, posted } = await startWatching();
    await startWatch(stage, "watch webhooks failed");
    expect(textOf(await says("watches failed webhooks"))).toContain("*demo* here");

    await fail(2);
    const message = await says("▲ Webhooks fail");
    expect(textOf(message)).toMatch(/2 webhooks failed since .*, all with 503/);
    expect(buttonsOf(message).map(({ text }) => text)).toEqual([
      "Entries",
      "Summary",
      "I'm on it",
      "Mute 1 h",
      "Stop watching",
    ]);
    await fail(3);
    await pass(1);
    expect(textOf(await says("5 webhooks failed"))).toContain("▲");
    await pass(6);
    const over = await says("Recovered after");
    expect(textOf(over)).toMatch(/✓ Webhooks failed.*\nRecovered after .*5 failures/s);
    await slack.until(() => notesOn(bob, general, over).some((note) => note.startsWith("Recovered after")));
    await pass(30);
    expect(posted().filter((one) => textOf(one).includes("Webhooks fail"))).toHaveLength(1);
    const edits = slack.transcript.filter(({ what, name }) => what === "call" && name === "chat.update");
    expect(edits).toHaveLength(2);
  });

  it("says that nothing is known while the service is away, and then looks through what it missed", async () => {
    const { stage, slack, service, clock, fail, posted, away } = await startWithAway();
    const says = (words: RegExp) => slack.until(() => posted().find((message) => words.test(textOf(message))));
    await fail();
    await says(/▲ Webhooks fail/);
    away.lead(undefined);
    await expect.poll(() => stage.logged()).toContain("failed to follow a log");
    clock.pass(3);
    await says(/hasn't answered since/);
    await says(/^\? Webhooks/);
    // What is logged meanwhile is counted, though nobody saw it then.
    await service.add("webhooks", failedWebhook(clock.now()));
    clock.pass(1);
    away.lead(service.url);
    await says(/answers again/);
    await says(/▲ Webhooks fail[\s\S]*2 webhooks failed/);
  });

  it("posts once that the service is away, even if another bot takes over meanwhile", async () => {
    const { stage, slack, service, clock, posted, away } = await startWithAway();
    const about = () => posted().filter((message) => /service.*answer/.test(textOf(message)));
    away.lead(undefined);
    await expect.poll(() => stage.logged()).toContain("failed to follow a log");
    clock.pass(3);
    await slack.until(() => about().length > 0);
    await stage.bot.stop();
    const before = away.refused();
    const another = await stage.startAnother({ MEDIA_BASE_URL: away.url });
    onTestFinished(() => another.stop());
    await expect.poll(() => away.refused()).toBeGreaterThan(before);
    clock.pass(3);
    away.lead(service.url);
    await slack.until(() => about().some((message) => textOf(message).includes("answers again")));
    // Until now, and not until the other bot began.
    expect(about().map(textOf)).toEqual([expect.stringContaining("to 2026-07-28T10:06:00Z it didn't")]);
  });

  it("posts to its URL outside Slack without waiting for Slack, also that its service is silent", async () => {
    const { url, received } = await startReceiver();
    const { stage, slack, service, clock, fail, posted, away } = await startWithAway();
    await sendOutside(stage, url);
    const types = () => received.map(({ message }) => message.type);

    slack.fail("chat.postMessage", { status: 500, times: 1000 });
    await fail();
    await expect.poll(types).toEqual(["watch.incident.began"]);
    expect(posted().some((one) => textOf(one).includes("Webhooks fail"))).toBe(false);

    away.lead(undefined);
    await expect.poll(() => stage.logged()).toContain("failed to follow a log");
    clock.pass(3);
    await expect.poll(types).toEqual(["watch.incident.began", "watch.silence.began"]);
    away.lead(service.url);
    await expect.poll(types).toContain("watch.silence.ended");
    const [, began, ended] = received;
    expect(began?.message.data).toMatchObject({ summary: "The service of demo doesn't answer", log: "webhooks" });
    expect(ended?.message.data.incident_id).toBe(began?.message.data.incident_id);
    expect(new Set(received.map(({ id }) => id)).size).toBe(received.length);
  });

  it("posts outside Slack that it began and that it ended, though the first answer comes later", async () => {
    let answer = () => {};
    const { url, received } = await startReceiver([204], new Promise((resolve) => (answer = resolve)));
    const { stage, slack, clock, fail, posted } = await startWatching({
      watchPace: PROMPT,
      env: { BOT_ALLOW_PRIVATE_WATCH_URLS: "true" },
    });
    await startWatch(stage, "watch webhooks failed");
    await sendOutside(stage, url);
    const types = () => received.map(({ message }) => message.type);
    await fail();
    await expect.poll(types).toEqual(["watch.incident.began"]);
    clock.pass(10);
    await slack.until(() => posted().some((one) => textOf(one).includes("Recovered after")));
    expect(received).toHaveLength(1);
    answer();
    await expect.poll(types).toEqual(["watch.incident.began", "watch.incident.ended"]);
  });

  it("shows who is on it, and stops only after a question", async () => {
    const { stage, slack, bob, general, fail, says, pass, posted } = await startWatching();
    await startWatch(stage, "watch webhooks failed");
    await fail();
    await bob.press(await says("▲ Webhooks fail"), "I'm on it");
    const taken = await says("is on it");
    await bob.press(taken, "Mute 1 h");
    const muted = await says("Muted until");
    await bob.press(muted, "Unmute");
    await slack.until(() => !posted().some((one) => textOf(one).includes("Muted until")));
    await bob.press(await says("is on it"), "Stop watching");
    await slack.until(() => bob.sees(general).some((one) => textOf(one).startsWith("✓ Stopped")));
    await says("was stopped or changed");
    await fail();
    await pass(1);
    expect(posted().filter((one) => textOf(one).includes("▲"))).toHaveLength(0);
  });

  it("is not posted again if somebody deletes the message, and ends quietly", async () => {
    const { stage, slack, fail, says, pass, posted } = await startWatching();
    await startWatch(stage, "watch webhooks failed");
    await fail();
    await says("▲ Webhooks fail");
    slack.fail("chat.update", { error: "message_not_found" });
    await pass(1);
    await fail();
    await pass(10);
    await fail();
    await pass(2);
    expect(posted().filter((one) => textOf(one).includes("Webhooks fail"))).toHaveLength(1);
  });

  it("says that nothing is known if its rule is changed while it fires", async () => {
    const { stage, slack, ann, fail, says, pass, posted } = await startWatching();
    await startWatch(stage, "watch webhooks failed");
    await fail();
    await says("▲ Webhooks fail");
    await ann.press(await stage.ask(ann, "/media watches"), "Edit…");
    await stage.form(ann);
    await ann.submit({ "Fires when": "count>100" });
    await slack.until(() => ann.modal?.title === "Saved");
    await pass(1);
    expect(textOf(await says("was stopped or changed"))).toMatch(/^\?/);
    await pass(20);
    expect(posted().filter((one) => textOf(one).includes("▲"))).toHaveLength(0);
  });

  it("keeps quiet in its quiet hours, and posts in the morning what still goes on", async () => {
    const { stage, clock, fail, says, pass, posted } = await startWatching();
    await startWatch(stage, "watch webhooks failed quiet:22:00-07:00");
    clock.pass(13 * 60);
    await fail();
    await pass(20);
    expect(posted()).toHaveLength(1);
    clock.pass(7 * 60 + 30);
    await fail();
    await pass(3);
    expect(posted()).toHaveLength(1);
    for (let at = 0; at < 10; at++) {
      await pass(1);
      await fail();
    }
    await says("▲ Webhooks fail");
  });

  it("pauses and notifies its owner if its channel is archived", async () => {
    const { stage, slack, ann, team, general, fail } = await startWatching();
    await startWatch(stage, "watch webhooks failed");
    team.archive(general);
    await fail();
    const notice = await slack.until(() => ann.direct().at(-1));
    expect(textOf(notice)).toMatch(
      /A watch of yours is paused:\*? The channel is archived\.\n• failed webhooks of demo in/,
    );
    expect(await stage.read(ann, "/media watches", stage.random)).toContain("Paused: The channel is archived.");
  });

  it("is refused where the bot can't post, with what to do", async () => {
    const { stage, ann, team, random } = await startWatching();
    const secret = team.addChannel({ name: "secret", members: [ann], kind: "private" });
    expect(await stage.read(ann, "/media watch webhooks failed", secret)).toContain("Invite it");
    expect(await stage.read(ann, "/media watches", random)).toContain("Nothing is watched yet");
  });
});

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
  expect(await stage.read(stage.bob, "/media watch webhooks failed")).toContain("You may not set up or change watches");
  await startWatch(stage, "watch webhooks failed");
  const list = await stage.ask(stage.bob, "/media watches");
  await stage.bob.press(list, "Stop");
  await stage.slack.until(() =>
    stage.bob.sees(stage.general).some((one) => textOf(one).includes("You may not set up")),
  );
  expect(await stage.read(stage.ann, "/media watches")).toContain("One watch");
});

it("is not added twice, and says when it would have fired in the last seven days", async () => {
  const stage = await start();
  const { ann, general, service, slack } = stage;
  const failures = [5, 6, 7, 3000, 3001].map((minutesAgo) => webhook({ minutesAgo, status: 500 }));
  await service.add("webhooks", ...failures, webhook({ minutesAgo: 100 }));
  await startWatch(stage, "watch webhooks failed");
  expect(await stage.read(stage.bob, "/media watch webhooks failed")).toContain("This is watched here already");
  expect(await stage.read(ann, "/media watches")).toContain("One watch");
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
  await stage.form(ann);
  await ann.submit({ Address: stage.service.url, Project: "demo", "API key": stage.service.apiKey });
  await slack.until(() => ann.modal?.title === "Connected");
  await ann.press(await slack.until(() => ann.modal), "Watch the usual here");
  const notice = await slack.until(() => postedIn(ann, general)[0]);
  expect(textOf(notice)).toContain("watches here:");
  expect(textOf(notice)).toMatch(
    /failed webhooks.*webhook logs, status 410.*outcome refused, more than 20.*status 5xx, more than 5/s,
  );
  await slack.until(() => ann.sees(general).some((one) => textOf(one).startsWith("✓ *demo* is watched here")));
  expect(await stage.read(ann, "/media watches")).toContain("4 watches");
});

it("is edited in a window, and then also posts signed messages outside Slack", async () => {
  const { url, received } = await startReceiver([500, 204]);
  const clock = setClock(new Date().toISOString());
  const stage = await start({
    env: { BOT_ALLOW_PRIVATE_WATCH_URLS: "true" },
    ...{ now: clock.now, slackNow: Date.now, watchPace: PROMPT },
  });
  const { ann, general, slack, service } = stage;
  await startWatch(stage, "watch webhooks failed");
  const list = await stage.ask(ann, "/media watches");
  await ann.press(list, "Edit…");
  await stage.form(ann);
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
  const { bob, team, service } = stage;
  await startWatch(stage, "watch webhooks failed");
  await bob.press(await stage.ask(bob, "/media watches"), "Edit…");
  await stage.form(bob);
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
  expect(await stage.read(bob, "/media watches")).toContain("Paused: The service refuses");
  expect(ann.direct()).toHaveLength(1);
  status = 200;
  await connect();
  expect(await stage.read(bob, "/media watches")).not.toContain("Paused");
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
  expect(await stage.read(ann, "/media digest", stage.random)).toContain("not posted the last time");
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
