import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startWindowStage, withForm } from "../test/window.js";

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

describe("a window", () => {
  it("first shows everything its person sees, and the workspace", async () => {
    const { call, team, ann, bob, general, look, log } = await startWindowStage();
    team.addChannel({ name: "others", members: [ann] });
    log.to("bot").write('{"level":"info","msg":"the bot listens"}\n');
    await call("chat.postMessage", { channel: ann.id, text: "first" });
    await call("chat.postMessage", { channel: general.id, text: "second" });
    await call("views.publish", { user_id: bob.id, view: { type: "home", blocks: [section("home")] } });
    const { all } = await look(bob);
    await expect.poll(() => all("scene")).toHaveLength(1);
    const calls = ["chat.postMessage", "chat.postMessage", "views.publish"];
    expect(all("scene")[0]).toEqual({
      team: "acme",
      app: {
        name: "Media Ops",
        userId: team.botUserId,
        messageShortcuts: [{ callbackId: "look_up", name: "Look up in Media Ops" }],
      },
      people: [
        { id: ann.id, name: "ann", realName: "Ann Meyer", isAdmin: true, timeZone: "UTC" },
        { id: bob.id, name: "bob", realName: "bob", isAdmin: false, timeZone: "America/New_York" },
      ],
      you: bob.id,
      places: [
        { id: general.id, name: "general", kind: "channel" },
        { id: bob.directPlace.id, name: "Media Ops", kind: "direct" },
      ],
      messages: JSON.parse(JSON.stringify(bob.sees(general))),
      modal: null,
      home: JSON.parse(JSON.stringify(bob.home)),
      incident: null,
      log: [
        expect.objectContaining({ from: "bot", text: "the bot listens" }),
        ...calls.map((name) => expect.objectContaining({ from: "slack", text: `↑ ${name} → ok` })),
      ],
    });
  });

  it("has the messages of all its places, oldest first, also after a reconnection", async () => {
    const { call, ann, general, look } = await startWindowStage();
    for (const [at, channel] of [ann.id, general.id, ann.id].entries()) {
      await call("chat.postMessage", { channel, text: String(at) });
    }
    const first = await look(ann);
    const texts = ({ all }: typeof first) => all("scene")[0]?.messages.map(({ text }) => text);
    await expect.poll(() => texts(first)).toEqual(["0", "1", "2"]);
    first.close();
    await call("chat.postMessage", { channel: general.id, text: "meanwhile" });
    const second = await look(ann);
    await expect.poll(() => texts(second)).toEqual(["0", "1", "2", "meanwhile"]);
    expect(second.state.text).toMatch(/^retry: 1000\n\n/);
  });

  it("receives new, changed and removed messages, and nothing twice", async () => {
    const { call, ann, general, look } = await startWindowStage();
    await call("chat.postMessage", { channel: general.id, text: "old" });
    const { all, events } = await look(ann);
    await expect.poll(() => all("scene")).toHaveLength(1);
    const { ts } = await call("chat.postMessage", { channel: general.id, text: "new" });
    await expect.poll(() => all("message")).toMatchObject([{ ts, text: "new" }]);
    await call("chat.update", { channel: general.id, ts, text: "changed" });
    await expect.poll(() => all("message").slice(1)).toMatchObject([{ ts, text: "changed", isEdited: true }]);
    const { message_ts } = await call("chat.postEphemeral", { channel: general.id, user: ann.id, text: "for ann" });
    await expect.poll(() => all("message")).toHaveLength(3);
    ann.reload();
    await expect.poll(() => all("gone")).toEqual([{ channelId: general.id, ts: message_ts }]);
    await expect.poll(() => all("log")).toHaveLength(3);
    expect(events.filter(({ name }) => name !== "log")).toHaveLength(5);
  });

  it("never shows another person's private content", async () => {
    const { call, ann, bob, general, look } = await startWindowStage({ respond: withForm() });
    const [anns, bobs] = [await look(ann), await look(bob)];
    await expect.poll(() => bobs.all("scene")).toHaveLength(1);
    await call("chat.postEphemeral", { channel: general.id, user: ann.id, text: "for ann" });
    await ann.shortcut("new_token");
    await call("views.publish", { user_id: ann.id, view: { type: "home", blocks: [section("hers")] } });
    await call("chat.postMessage", { channel: ann.id, text: "to ann" });
    await ann.close();
    ann.reload();
    await call("chat.postMessage", { channel: general.id, text: "for all" });
    for (const { all } of [anns, bobs]) await expect.poll(() => all("message").at(-1)?.text).toBe("for all");
    expect(anns.all("message").map(({ text }) => text)).toEqual(["for ann", "to ann", "for all"]);
    expect(anns.all("modal").length).toBeGreaterThan(0);
    expect(anns.all("home")).toHaveLength(1);
    expect(anns.all("gone")).toHaveLength(1);
    const personal = bobs.events.filter(({ name }) => name !== "log" && name !== "scene");
    expect(personal).toMatchObject([{ name: "message", data: { text: "for all" } }]);
    const again = await look(bob);
    const scene = { messages: [{ text: "for all" }], modal: null, home: null };
    await expect.poll(() => again.all("scene")).toMatchObject([scene]);
  });

  it("shows modals as they open and close, with their errors", async () => {
    const respond = withForm({ response_action: "errors", errors: { channel: "No such channel" } });
    const { ann, look, act } = await startWindowStage({ respond });
    const { all } = await look(ann);
    await act({ person: ann.id, do: "shortcut", callbackId: "new_token" });
    await expect.poll(() => all("modal").at(-1)).toMatchObject({ title: "New token", submit: "Mint", errors: {} });
    await act({ person: ann.id, do: "submit", view: ann.modal?.id, entries: { channel: "lobby" } });
    await expect.poll(() => all("modal").at(-1)).toMatchObject({ errors: { channel: "No such channel" } });
    await act({ person: ann.id, do: "close" });
    await expect.poll(() => all("modal").at(-1)).toBeNull();
  });

  it("shows until when an incident goes on, from its beginning, and log lines as they are written", async () => {
    const { ann, bob, look, act, incident, log } = await startWindowStage();
    const { all } = await look(ann);
    await expect.poll(() => all("scene")).toMatchObject([{ incident: null }]);
    expect(await act({ person: bob.id, do: "incident" })).toEqual({ status: 200, body: {} });
    await expect.poll(() => all("incident")).toEqual([incident.until]);
    expect(incident.until).toBeGreaterThan(Date.now());
    const { all: allLater } = await look(ann);
    await expect.poll(() => allLater("scene")).toMatchObject([{ incident: incident.until }]);
    log.to("service").write('{"level":"warn","msg":"late"}\n');
    await expect.poll(() => all("log")).toMatchObject([{ from: "service", level: "warn", text: "late" }]);
  });

  it("receives a heartbeat while it is idle", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { ann, look } = await startWindowStage();
    const { all, state, close } = await look(ann);
    await expect.poll(() => all("scene")).toHaveLength(1);
    vi.advanceTimersByTime(30_000);
    await expect.poll(() => state.text).toMatch(/\n\n:\n\n:\n\n$/);
    close();
    await expect.poll(() => vi.getTimerCount()).toBe(0);
  });
});
