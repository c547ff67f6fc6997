import type { FakeSlack } from "@media-ops/fake-slack";
import { createLog } from "@media-ops/secrets";
import { describe, expect, it } from "vitest";
import { controls, field, form, type Respond, startWindowStage, withForm } from "../test/window.js";
import { Log } from "./records.js";

describe("the log", () => {
  it("contains the programs' lines with all fields", () => {
    const log = new Log(10);
    const watched: unknown[] = [];
    const end = log.watch(() => watched.push(log.lines.at(-1)?.text));
    createLog({ level: "info", to: log.to("service") }).warn({ project: "demo" }, "late");
    createLog({ level: "info", to: log.to("bot") }).info("ready");
    end();
    createLog({ level: "info", to: log.to("bot") }).info("afterwards");
    expect(log.lines).toEqual([
      { id: 1, at: expect.any(Number), from: "service", level: "warn", text: "late", detail: { project: "demo" } },
      { id: 2, at: expect.any(Number), from: "bot", level: "info", text: "ready", detail: {} },
      { id: 3, at: expect.any(Number), from: "bot", level: "info", text: "afterwards", detail: {} },
    ]);
    expect(Math.abs((log.lines[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(watched).toEqual(["late", "ready"]);
  });

  it("keeps only the last lines", () => {
    const log = new Log(2);
    for (const text of ["1", "2", "3"]) log.to("bot").write(JSON.stringify({ level: "info", msg: text }));
    expect(log.lines.map(({ id, text }) => [id, text])).toEqual([
      [2, "2"],
      [3, "3"],
    ]);
  });

  it("keeps lines that are not log records as text", () => {
    const log = new Log(5);
    for (const line of ["Listening\n", "[1]", '{"level":30,"time":5,"msg":{}}', '{"time":"never"}'])
      log.to("bot", () => 1000).write(line);
    expect(log.lines).toMatchObject([
      { at: 1000, level: "info", text: "Listening", detail: {} },
      { at: 1000, level: "info", text: "[1]" },
      { at: 1000, level: "info", text: "" },
      { at: 1000, level: "info", text: "" },
    ]);
  });

  it("contains no secret, even if a program leaks one", () => {
    const log = new Log(5);
    log.to("bot").write('{"level":"info","msg":"xoxb-1-horse","password":"horse"}');
    log.to("bot").write("key mo_k1_horsehorsehorsehorse");
    expect(JSON.stringify(log.lines)).not.toContain("horse");
  });
});

function follow(slack: FakeSlack, keeps = 100) {
  const log = new Log(keeps);
  return { items: log.lines, stop: log.follow(slack) };
}

const connect = {
  ...form,
  title: { type: "plain_text", text: "Connect" },
  blocks: [
    field("address", "address", "Address"),
    field("1", "2", "API key"),
    field("password-1", "3", "What it is opened with"),
  ],
};
const opening: Respond = async (sent, call) =>
  sent.command === undefined ? withForm(undefined, connect)(sent, call) : { text: "ok" };

describe("the requests between Slack and the app", () => {
  it("are summarized in one line each, oldest first", async () => {
    const scopes = ["commands", "chat:write", "app_mentions:read"];
    const stage = await startWindowStage({ slack: { scopes }, respond: opening });
    const { ann, team, general, call, slack } = stage;
    const { items, stop } = follow(slack);
    await ann.command("/media logs webhooks status>=400", { in: general });
    const { ts = "" } = await call("chat.postMessage", { channel: general.id, text: "x", blocks: [controls("x")] });
    const message = { channelId: general.id, ts: String(ts) };
    const at = (actionId: string) => ({ blockId: "x", actionId });
    await ann.press(message, at("older"));
    await ann.choose(message, at("kind"), "api");
    await ann.messageShortcut(message, "look_up");
    await ann.shortcut("new_token");
    await ann.submit({ address: "a", 1: "b", "password-1": "c" });
    await ann.shortcut("new_token");
    await ann.close();
    await call("chat.postMessage", { channel: "C1", text: "x" });
    slack.limit("auth.test");
    await call("auth.test", {});
    slack.repeatNext();
    await ann.openHome();
    await ann.says(`${team.botMention} logs status>=500`, { in: general });
    stop();
    await call("auth.test", {});
    expect(items.map(({ from, level, text }) => `${from} ${level} ${text}`)).toEqual([
      "slack info ↓ /media logs webhooks status>=400",
      "slack info ↑ chat.postMessage → ok",
      "slack info ↓ block_actions Older",
      "slack info ↓ block_actions kind: API calls",
      "slack info ↓ message_action look_up",
      "slack info ↑ views.open → ok",
      "slack info ↓ shortcut new_token",
      "slack info ↓ view_submission Connect",
      "slack info ↑ views.open → ok",
      "slack info ↓ shortcut new_token",
      "slack info ↓ view_closed Connect",
      "slack info ↑ chat.postMessage → channel_not_found",
      "slack warn ↑ auth.test → ratelimited",
      "slack info ↓ app_home_opened",
      "slack info ↓ app_home_opened (retry 1)",
      "slack info ↓ app_mention @… logs status>=500",
    ]);
    expect(items.map(({ id }) => id)).toEqual(items.map((_, index) => index + 1));
  });

  it("include the full request and response", async () => {
    const { ann, general, slack } = await startWindowStage({ respond: opening });
    await ann.command("/media logs", { in: general });
    const [exchange] = follow(slack).items;
    expect(exchange).toMatchObject({
      at: expect.any(Number),
      detail: { payload: { command: "/media", text: "logs", user_id: ann.id }, status: 200, body: { text: "ok" } },
    });
  });

  it("are warnings if the app did not answer", async () => {
    const { ann, general, slack } = await startWindowStage();
    slack.app.requestUrl = "http://127.0.0.1:1";
    await ann.command("/media", { in: general });
    expect(follow(slack).items).toMatchObject([{ level: "warn", text: "↓ /media → no answer" }]);
  });

  it("contain no key or token anywhere", async () => {
    const { ann, general, call, team, slack } = await startWindowStage({ respond: opening });
    const secrets = [
      "mo_k1_abcdefghijklmnopqrstuvwxyz012345",
      "xoxb-12-abcdefghijkl",
      "eyJhbGciOi.eyJzdWIiOi.abcdefgh",
    ];
    for (const secret of secrets) {
      await ann.command(`/media connect ${secret}`, { in: general });
      await call("chat.postMessage", { channel: general.id, text: `It is \`${secret}\`.` });
      await call("chat.postMessage", { channel: general.id, text: JSON.stringify({ key: secret }) });
      await ann.shortcut("new_token");
      await ann.submit({ address: secret, 1: secret, "password-1": secret });
    }
    const { items } = follow(slack);
    expect(items).toHaveLength(18);
    const text = JSON.stringify(items);
    for (const secret of [...secrets, team.botToken]) expect(text).not.toContain(secret.slice(-8));
    expect(text).not.toMatch(/\/response\/\w/);
  });

  it("hide the entries of secret fields, even if they don't look like secrets", async () => {
    const { ann, slack } = await startWindowStage({ respond: opening });
    await ann.shortcut("new_token");
    await ann.submit({ address: "https://media.example", 1: "horse", "password-1": "battery" });
    const { items } = follow(slack);
    const text = JSON.stringify(items);
    expect(text).not.toMatch(/horse|battery/);
    expect(text).toContain("https://media.example");
    expect(items.at(-1)?.detail).toMatchObject({
      payload: { view: { state: { values: { 1: "[redacted]", "password-1": "[redacted]" } } } },
    });
  });
});
