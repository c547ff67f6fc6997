import { textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { always, startBadService } from "../test/services.js";
import { expectWords, labelsOf, startStage } from "../test/stage.js";

describe("/media status", () => {
  it("shows how fast the service answers, the age of each log's newest entry, and failures; Refresh shows newer ones in place", async () => {
    const stage = await startStage();
    const { bob, service } = stage;
    await service.add("webhooks", webhook(), webhook({ status: 503 }), webhook({ status: 0, minutesAgo: 90 }));
    const message = await stage.ask(bob, "/media status");
    expectWords(message, /demo at 127\.0\.0\.1:\d+ answered in \d+ ms\./, "▲ Webhooks fail: 1 of 2 in the last hour");
    expect(textOf(message)).toContain("Session log: empty");

    await service.add("webhooks", webhook({ status: 503 }));
    const refreshed = await stage.press(message, "Refresh", bob);
    expect(refreshed.ts).toBe(message.ts);
    expect(textOf(refreshed)).toContain("▲ Webhooks fail: 2 of 3 in the last hour");
    const failing = await stage.press(refreshed, "Look at webhooks", bob);
    expect(textOf(failing)).toContain("2 failed webhooks of 3 in the last hour, project demo");
  });

  it("does not count calls with a mistyped project or key as failures", async () => {
    const stage = await startStage();
    const { ann, general, service, slack } = stage;
    for (const [project, key] of [
      ["dmeo", service.apiKey],
      ["demo", `${service.apiKey.slice(0, -1)}_`],
    ] as const) {
      await ann.command("/media connect", { in: general });
      await stage.form(ann);
      await ann.submit({ Address: service.url, Project: project, "API key": key });
      await slack.until(() => textOf(ann.modal ?? []).includes("✗"));
      await ann.close();
    }
    const entries = await stage.ask(ann, "/media logs api status:403");
    expect(textOf(entries)).toMatch(/1 API call(?: of \d+)?, status 403, project demo/);
    const message = await stage.ask(ann, "/media status");
    expect(textOf(message)).not.toContain("▲");
    expect(labelsOf(message)).not.toContain("Look at api");
  });

  it("reports that the service is down, and retries by a button", async () => {
    const stage = await startStage({ serviceTimeoutMs: 500 });
    const { bob, service } = stage;
    const isWell = await stage.ask(bob, "/media status");
    await service.stop();
    const message = await stage.press(isWell, "Refresh", bob);
    expect(textOf(message)).toContain(`✗ *demo* at ${service.url.slice("http://".length)} can't be reached now.`);
    expect(textOf(message)).toContain("The service was not reached");
    expect(labelsOf(message)).toEqual(["Try again", "Projects"]);
  });

  it("reports that the key is refused, and offers people with permission to connect again", async () => {
    const stage = await startStage({ env: { MEDIA_API_KEY: "mo_0123456789abcdef_of_nobody_at_all_is_this_key" } });
    const { slack, ann, bob } = stage;
    const his = await stage.ask(bob, "/media status");
    expect(labelsOf(his)).toEqual(["Try again", "Projects"]);
    expect(textOf(his)).toContain("Ask an admin of this workspace to connect it again.");
    const message = await stage.ask(ann, "/media status");
    expect(textOf(message)).toContain("The API key was refused");
    expect(textOf(message)).not.toContain("Ask an admin");
    await ann.press(message, "Connect it again");
    const form = await stage.form(ann);
    expect(textOf(form)).toContain("Leave the defaults as they are");
    await ann.submit({ "API key": stage.service.apiKey });
    const done = await slack.until(() => (ann.modal?.title === "Connected" ? ann.modal : undefined));
    expectWords(done, "accepted the key of *demo*", "It is the only project, and used everywhere.");
  });

  it.each([
    ["webhook", "webhooks", "Session log"],
    ["session", "sessions", "Webhook log"],
  ])("reports that the log of every %s gave no answer though others did", async (path, name, other) => {
    const url = await startBadService((request, response) => {
      const isFailing = request.url?.includes(`list-${path}-logs`);
      always(isFailing ? 500 : 200, isFailing ? "broken" : [])(request, response);
    });
    const stage = await startStage({ media: { url } });
    const message = await stage.ask(stage.bob, "/media status");
    expectWords(message, `${other}: empty`, `*✗ No answer for ${name}.*`, "The service failed (status 500)");
  });
});
