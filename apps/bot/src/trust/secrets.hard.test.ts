import { textOf } from "@media-ops/fake-slack";
import { expect, it } from "vitest";
import { webhook } from "../test/entries.js";
import { always, startBadService } from "../test/services.js";
import { type Stage, startStage, TOKEN } from "../test/stage.js";

/** All strings in a value at any depth, with their paths. */
function* placesOf(value: unknown, path = ""): Generator<[path: string, text: string]> {
  if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* placesOf(inner, `${path}/${name}`);
  } else yield [path, String(value)];
}

/** The paths of a secret in Slack's transcript. */
function foundIn(
  stage: Stage,
  secret: string,
): { what: string; name: string; users: readonly string[]; path: string }[] {
  return stage.slack.transcript.flatMap(({ what, name, users, detail }) =>
    [...placesOf(detail)].flatMap(([path, text]) => (text.includes(secret) ? [{ what, name, users, path }] : [])),
  );
}

it("shows a token only to the person who requested it, in one place, and stores it nowhere", async () => {
  const stage = await startStage({ env: { BOT_AUDIT_CHANNEL: "C0" }, onDisk: true });
  const shown = await stage.read(stage.ann, "/media token lobby");
  const [byArguments = "none"] = TOKEN.exec(shown) ?? [];
  await stage.ann.command("/media token", { in: stage.general });
  await stage.form(stage.ann);
  const message = await stage.next(stage.ann, stage.general, () => stage.ann.submit({ Channel: "lobby" }));
  const [byWindow = "none"] = TOKEN.exec(textOf(message)) ?? [];
  stage.slack.refuseBlocks(["rich_text"]);
  const simple = await stage.read(stage.ann, "/media token lobby");
  const [bySimpleBlocks = "none"] = TOKEN.exec(simple) ?? [];
  stage.slack.refuseBlocks(["rich_text", "section", "context", "actions"]);
  const plain = await stage.ask(stage.ann, "/media token lobby");
  expect(plain.blocks).toEqual([]);
  expect(plain.text).not.toMatch(TOKEN);
  await stage.settled();

  const stored = await stage.stored();
  for (const token of [byArguments, byWindow, bySimpleBlocks]) {
    expect(token).toMatch(TOKEN);
    const found = foundIn(stage, token);
    expect(found.length).toBeGreaterThan(0);
    for (const { what, name, users, path } of found) {
      expect(path).toMatch(/\/blocks\/\d+\/(?:elements\/\d+\/elements\/\d+\/text|text\/text)$/);
      if (what === "call") expect(name).toBe("response_url");
      else expect(users).toEqual([stage.ann.id]);
    }
    expect(stage.logged()).not.toContain(token);
    expect(stored).not.toContain(token);
    expect(JSON.stringify(stage.bob.sees(stage.general))).not.toContain(token);
  }
});

it("never shows the API key, after any error, and stores it encrypted", async () => {
  const stage = await startStage({ onDisk: true });
  const { apiKey } = stage.service.project("planted");
  const echo = await startBadService(
    always(
      401,
      { type: "about:blank", title: "No", status: 401, detail: `The key ${apiKey} is not known.`, request_id: apiKey },
      { "content-type": "application/problem+json" },
    ),
  );
  const page = await startBadService(
    always(500, `<p>Authorization: Bearer ${apiKey}</p>`, { "content-type": "text/html" }),
  );
  const nonsense = await startBadService(always(200, { apiKey }));

  const connect = async (address: string) => {
    await stage.ann.command("/media connect", { in: stage.general });
    await stage.form(stage.ann);
    await stage.ann.submit({ Address: address, Project: "planted", "API key": apiKey });
    await stage.settled();
  };
  for (const address of [echo, page, nonsense, "http://127.0.0.1:1"]) {
    await connect(address);
    expect(stage.ann.modal?.title).toBe("Connect a project");
    while (stage.ann.modal) await stage.ann.close();
  }
  await connect(stage.service.url);
  expect(stage.ann.modal?.title).toBe("Connected");
  await stage.ann.close();
  await stage.service.add("webhooks", webhook());
  await stage.ask(stage.bob, "/media logs webhooks in:planted");
  await stage.ask(stage.bob, "/media status in:planted");
  await stage.ask(stage.bob, "/media projects");
  await stage.ask(stage.bob, `/media connect ${apiKey}`);
  await stage.bob.openHome();
  await stage.settled();

  const everywhere = foundIn(stage, apiKey).filter(({ what, name }) => what !== "delivery" || name !== "interactive");
  // The bot can't remove a person's own text from a conversation.
  expect(everywhere.filter(({ name }) => name !== "slash_command")).toEqual([]);
  expect(stage.logged()).not.toContain(apiKey);
  const stored = await stage.stored();
  expect(stored).toContain("planted");
  expect(stored).not.toContain(apiKey);
  expect(stored).not.toContain(stage.service.apiKey);
  expect(JSON.stringify([stage.bob.sees(stage.general), stage.bob.home, stage.bob.modal])).not.toContain(apiKey);
});
