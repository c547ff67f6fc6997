import { buffer } from "node:stream/consumers";
import { buttonsOf, textOf } from "@media-ops/fake-slack";
import { describe, expect, it, onTestFinished } from "vitest";
import { startBadService } from "../test/bad-service.js";
import {
  failedWebhook,
  notesOn,
  STEPWISE,
  sendOutside,
  startReceiver,
  startWatch,
  startWatching,
} from "../test/watching.js";

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
    const away = await startAwayService();
    const { stage, slack, service, clock, fail, posted } = await startWatching({
      watchPace: { ...STEPWISE, pollMs: 20, tickMs: 20 },
      env: { MEDIA_BASE_URL: away.url },
    });
    away.lead(service.url);
    const says = (words: RegExp) => slack.until(() => posted().find((message) => words.test(textOf(message))));
    await startWatch(stage, "watch webhooks failed");
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
    const away = await startAwayService();
    const { stage, slack, service, clock, posted } = await startWatching({
      watchPace: { ...STEPWISE, pollMs: 20, tickMs: 20 },
      env: { MEDIA_BASE_URL: away.url },
    });
    away.lead(service.url);
    await startWatch(stage, "watch webhooks failed");
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
    const away = await startAwayService();
    const { url, received } = await startReceiver();
    const { stage, slack, service, clock, fail, posted } = await startWatching({
      watchPace: { ...STEPWISE, pollMs: 20, tickMs: 20 },
      env: { MEDIA_BASE_URL: away.url, BOT_ALLOW_PRIVATE_WATCH_URLS: "true" },
    });
    away.lead(service.url);
    await startWatch(stage, "watch webhooks failed");
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
      watchPace: { ...STEPWISE, pollMs: 20, tickMs: 20 },
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
    await slack.until(() => ann.modal?.submit);
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
    const list = await stage.ask(ann, "/media watches", stage.random);
    expect(textOf(list)).toContain("Paused: The channel is archived.");
  });

  it("is refused where the bot can't post, with what to do", async () => {
    const { stage, ann, team, random } = await startWatching();
    const secret = team.addChannel({ name: "secret", members: [ann], kind: "private" });
    expect(textOf(await stage.ask(ann, "/media watch webhooks failed", secret))).toContain("Invite it");
    expect(textOf(await stage.ask(ann, "/media watches", random))).toContain("Nothing is watched yet");
  });
});
