import { buttonsOf, checkBlocks, type Person, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { readUnverifiedToken } from "@media-ops/tokens";
import { describe, expect, it, vi } from "vitest";
import { AuditLog } from "../audit/audit-log.js";
import { created, ids } from "../test/entries.js";
import { sendPayload } from "../test/requests.js";
import { startPlainService } from "../test/services.js";
import { expectWords, labelsOf, type Stage, startStage, tokenIn } from "../test/stage.js";
import { ACT } from "./act.js";

const client = (connection_id: string, client_id: string) =>
  ({ connection_id, client_id, state: "connected", role: "sendrecv" }) as const;

/** A service with all extensions, and a media server behind it, and a bot that uses it. */
async function start() {
  let mediaStatus: number | "lost" = 200;
  const media = await startPlainService({ extensions: true, mediaStatus: () => mediaStatus });
  const stage = await startStage({ media });
  const log = new AuditLog(await stage.openStorage(), Date.now);
  /** Opens the window of an act, and waits until it shows what the act concerns. */
  const open = async (act: () => Promise<unknown>, person = stage.ann) => {
    await act();
    await stage.slack.until(() => person.modal);
    await stage.settled();
    return person.modal ?? expect.unreachable("no window was opened");
  };
  return {
    ...stage,
    media,
    answerMedia: (status: number | "lost"): void => {
      mediaStatus = status;
    },
    open,
    window: (text: string, person = stage.ann) => open(() => person.command(text, { in: stage.general }), person),
    /** Submits the window, and returns the message with what came of it. */
    async submit(entries = {}, person = stage.ann): Promise<string> {
      await person.submit(entries);
      await stage.settled();
      return textOf(person.sees(stage.general).at(-1) ?? []);
    },
    /** The bot's audit log without tokens that were made. */
    audit: async () => (await log.find(stage.team.id, { limit: 100 })).filter(({ action }) => action !== "token.mint"),
    /** The calls of an operation. */
    calls: (path: string) => media.calls.filter((call) => call.path.endsWith(path)),
  };
}

const mint = async (stage: Stage, person: Person, command = "/media token lobby"): Promise<string> => {
  const { jti = "" } = readUnverifiedToken(tokenIn(await stage.ask(person, command))).claims;
  return jti;
};

/** The first option of the only menu of a message. */
function firstOption({ blocks }: SeenMessage): string {
  const [, label = ""] = /"options":\[\{"text":\{[^}]*"text":"([^"]*)"/.exec(JSON.stringify(blocks)) ?? [];
  return label;
}

/** Submits a window in Slack's format, by ann unless another person is named; anything of it can be forged. */
async function sendForm(
  { team, ann, general, ...stage }: Stage,
  view: { readonly id: string },
  { act = "disconnect lobby in:demo" as unknown, user = { id: ann.id, teamId: ann.teamId }, hash = "1.a" } = {},
): Promise<void> {
  const kept = { channelId: general.id, prefix: "/media", act };
  const payload = {
    type: "view_submission",
    user: { id: user.id, team_id: user.teamId },
    team: { id: team.id },
    view: { id: view.id, hash, callback_id: ACT, private_metadata: JSON.stringify(kept), state: { values: {} } },
  };
  expect((await sendPayload({ team, ann, general, ...stage }, payload)).status).toBe(200);
  await stage.bot.settled();
}

describe("/media tokens", () => {
  it("lists what is out, never makes a token, and has a button for each that the person may revoke", async () => {
    const stage = await start();
    const [, his] = [await mint(stage, stage.ann, "/media token stage"), await mint(stage, stage.bob)];
    for (const text of ["/media tokens", "/media token list", "/media tokens list"]) {
      const message = await stage.ask(stage.ann, text);
      expectWords(message, "2 active tokens", `requested by @${stage.bob.id}`);
      expect(textOf(message)).not.toMatch(/eyJ/);
      expect(labelsOf(message).filter((label) => label === "Revoke…")).toHaveLength(2);
      expect(message.isOnlyVisibleToYou).toBe(true);
      expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
    }
    const bobs = await stage.ask(stage.bob, "/media tokens");
    expect(buttonsOf(bobs).filter(({ text }) => text === "Revoke…")).toMatchObject([
      { value: expect.stringContaining(his) },
    ]);
    expect(stage.calls("create-access-token")).toHaveLength(2);
    expect(await stage.read(stage.bob, "/media tokens by:me")).toContain("1 active token");
  });

  it("leads to a window that revokes one, and then to those that have ended", async () => {
    const stage = await start();
    const id = await mint(stage, stage.bob);
    const list = await stage.ask(stage.bob, "/media tokens");
    const window = await stage.open(() => stage.bob.press(list, "Revoke…"), stage.bob);
    expect(window).toMatchObject({ title: "Revoke a token", submit: "Revoke", close: "Cancel" });
    expect(textOf(window)).toContain("This token would end");
    expect(await stage.submit({}, stage.bob)).toMatch(/is revoked\. .*Connected clients stay connected/);
    expect(textOf(stage.bob.modal ?? [])).toContain("is revoked");
    expect(await stage.audit()).toMatchObject([
      {
        ...{ action: "token.revoke", userId: stage.bob.id, projectId: "demo", subject: id },
        outcome: "done",
        detail: "1 known, connections stayed",
      },
    ]);
    const revocation = stage.calls("revoke-access-token")[0];
    expect(revocation?.headers.get("x-requested-by")).toBe(`slack:${stage.team.id}/${stage.bob.id}`);

    await stage.bob.close();
    expect(await stage.read(stage.bob, "/media tokens")).toMatch(/no active tokens/i);
    expect(await stage.read(stage.bob, "/media tokens all")).toContain("revoked");
    const again = await stage.window(`/media revoke ${id}`, stage.bob);
    expect(textOf(again)).toContain("Nothing to do: this token has been revoked already.");
    expect(again.submit).toBeUndefined();
  });
});

describe("/media revoke", () => {
  it("ends all tokens of a channel and disconnects their clients, if that is chosen", async () => {
    const stage = await start();
    await mint(stage, stage.bob);
    await mint(stage, stage.ann, "/media token lobby");
    const window = await stage.window("/media revoke channel:lobby");
    expectWords(window, "These tokens would end, project demo", "2 active tokens.", "0 connections are there now.");
    expect(textOf(window)).toContain(
      "Tokens for every channel that were issued before then are refused in lobby, too.",
    );
    expect(await stage.submit({ "Their connections": ["disconnect"] })).toContain("No client was connected");
    const body = stage.calls("revoke-access-token")[0]?.body;
    expect(body).toMatchObject({ channel_id: "lobby@demo", disconnect: true });
    expect(await stage.audit()).toMatchObject([{ action: "token.revoke", subject: "lobby@demo", outcome: "done" }]);
  });

  it("by a member ends their own tokens only", async () => {
    const stage = await start();
    const hers = await mint(stage, stage.ann);
    const window = await stage.window(`/media revoke ${hers}`, stage.bob);
    expect(textOf(window)).toMatch(/You may not revoke this token\. Ask an admin of this workspace\.$/);
    expect(window.submit).toBeUndefined();
    expect(stage.calls("revoke-access-token")).toHaveLength(0);
    expect(await stage.audit()).toMatchObject([
      { userId: stage.bob.id, subject: hers, outcome: "refused", detail: /You may not revoke this token/ },
    ]);
  });

  it("takes a time in the person's time zone", async () => {
    const stage = await start();
    const person = stage.team.addUser({ name: "yuki", isAdmin: true, timeZone: "Asia/Tokyo" });
    stage.general.add(person);
    await stage.window("/media revoke lobby before:2026-11-01T09:00", person);
    await stage.submit({}, person);
    const body = stage.calls("revoke-access-token")[0]?.body;
    expect(body).toMatchObject({ issued_before: "2026-11-01T00:00:00Z" });
  });

  it("without what it ends says what is missing, and opens no window; nor does what only a terminal has", async () => {
    const stage = await start();
    expect(await stage.read(stage.ann, "/media revoke")).toContain("revoke needs the id of a token");
    expect(await stage.read(stage.ann, "/media token check")).toContain("check works in a terminal only");
    expect(stage.ann.modal).toBeUndefined();
  });
});

describe("deliveries", () => {
  const failed = { event_id: "E1", delivery_id: "0mnqk2x1c000a7f3kq2", state: "failed" } as const;

  it("are listed with their attempts, each with a button that sends it again, for those who may", async () => {
    const stage = await start();
    stage.media.addDeliveries(failed, { state: "waiting" });
    const message = await stage.ask(stage.ann, "/media deliveries");
    expect(textOf(message)).toMatch(/2 (webhook )?deliveries/);
    expect(labelsOf(message)).toEqual(["Send again…", "Refresh"]);
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
    expect(labelsOf(await stage.ask(stage.bob, "/media deliveries failed"))).toEqual(["Refresh"]);
    expect(labelsOf(await stage.ask(stage.ann, "/media deliveries event:E1"))).toEqual(["Refresh", "Send again…"]);
  });

  it("are sent again from the details of a webhook, whose window then shows what came of it", async () => {
    const stage = await start();
    stage.media.addDeliveries(failed);
    stage.media.add("webhooks", { status: 503, event_id: "E1" });
    const log = await stage.ask(stage.ann, "/media logs webhooks failed");
    const details = await stage.open(() => stage.ann.choose(log, "Details of…", firstOption(log)));
    const window = await stage.open(() => stage.ann.press(details, "Send again…"));
    expect(window).toMatchObject({ id: details.id, title: "Send a webhook again", submit: "Send again" });
    // The receiver accepts it while the bot waits for the outcome.
    const sent = stage.ann.submit();
    await vi.waitFor(() => expect(stage.calls("resend-deliveries")).toHaveLength(1), { timeout: 20_000 });
    const attempts = [{ timestamp: new Date().toISOString(), status: 200 }];
    stage.media.addDeliveries({ ...failed, state: "delivered", attempts });
    await sent;
    await stage.bot.settled();
    expect(textOf(stage.ann.modal ?? [])).toContain("✓ Resent and delivered: the receiver answered 200.");
    expect(textOf(stage.ann.sees(stage.general).at(-1) ?? [])).toContain("delivered: the receiver answered 200.");
    expect(await stage.audit()).toMatchObject([
      { action: "deliveries.resend", subject: "E1", outcome: "done", detail: "1 sent again" },
    ]);
  });

  it("that failed since a time are sent again together, and nothing is if none did", async () => {
    const stage = await start();
    expect(textOf(await stage.window("/media resend since:1h"))).toContain("No delivery has failed in this period");
    expect(stage.ann.modal?.submit).toBeUndefined();
    await stage.ann.close();
    stage.media.addDeliveries(failed, { state: "failed" }, {});
    expect(textOf(await stage.window("/media resend since:1h"))).toContain("To be sent again: 2 webhooks");
    expect(await stage.submit()).toContain("Resending 2 webhooks");
    expect(stage.calls("resend-deliveries")).toHaveLength(1);
  });
});

const off = { kind: "event", state: "off", off_since: "2026-11-01T00:00:00Z", off_reason: "answered 410" } as const;

it("endpoints are switched on by those who may, who are then offered to send what failed", async () => {
  const stage = await start();
  stage.media.setEndpoints(off, { kind: "auth" });
  expect(labelsOf(await stage.ask(stage.bob, "/media endpoints"))).toEqual(["Refresh"]);
  const message = await stage.ask(stage.ann, "/media endpoints");
  expect(textOf(message)).toContain("answered 410");
  await stage.open(() => stage.ann.press(message, "Switch on…"));
  expect(await stage.submit()).toContain("The event webhook is switched on.");
  const done = stage.ann.sees(stage.general).at(-1);
  expect(done && labelsOf(done)).toEqual(["Send what failed…", "Endpoints"]);
  await stage.ann.close();
  const again = await stage.window("/media endpoints enable event");
  expect(textOf(again)).toContain("It is switched on already.");
  expect(again.submit).toBeUndefined();
  expect(await stage.audit()).toMatchObject([{ action: "endpoint.enable", subject: "event", outcome: "done" }]);
});

describe("connections", () => {
  async function startWithLive() {
    const stage = await start();
    stage.media.add("events", created({ client_id: "c1", channel_id: "lobby@demo" }));
    stage.media.setLive({
      channel_id: "lobby@demo",
      clients: [client(ids.connection_id, "c1"), client("0J9V6TQ2M4EXK7C3R8ZB5HW1NB", "c2")],
    });
    return stage;
  }

  it("of a channel are ended from live, after a window that says who will be hit", async () => {
    const stage = await startWithLive();
    const message = await stage.ask(stage.ann, "/media live lobby");
    const window = await stage.open(() => stage.ann.press(message, "Disconnect channel…"));
    expect(window).toMatchObject({ title: "Disconnect a channel", submit: "Disconnect" });
    expectWords(window, "2 connections would end", "c1 · connection", "c2 · connection");
    expect(await stage.submit()).toContain("All connections of lobby are ended: 2.");
    expect(stage.media.mediaCalls).toEqual([
      {
        target: "Media_20151104.DisconnectChannel",
        requestedBy: `slack:${stage.team.id}/${stage.ann.id}`,
        body: { channel_id: "lobby@demo" },
      },
    ]);
    expect(await stage.audit()).toMatchObject([
      { action: "disconnect.channel", subject: "lobby@demo", outcome: "done", detail: "connections: 2" },
    ]);
  });

  it("are ended one by one from the details of an event, from live, and from a trace", async () => {
    const stage = await startWithLive();
    const log = await stage.ask(stage.ann, "/media logs events");
    const details = await stage.open(() => stage.ann.choose(log, "Details of…", firstOption(log)));
    await stage.open(() => stage.ann.press(details, "Disconnect…"));
    expect(stage.ann.modal).toMatchObject({ title: "Disconnect a client", submit: "Disconnect" });
    await stage.ann.close();
    const message = await stage.ask(stage.ann, "/media live lobby");
    const option = `c1 · connection ${ids.connection_id}`;
    const window = await stage.open(() => stage.ann.choose(message, "Disconnect…", option));
    expectWords(window, "This connection would end", "1 connection in lobby", "lobby · 1 connection · 1 sendrecv");
    expect(textOf(window)).not.toContain("c2");
    await stage.submit();
    await stage.ann.close();
    const trace = await stage.ask(stage.ann, `/media trace ${ids.connection_id}`);
    await stage.open(() => stage.ann.press(trace, "Disconnect…"));
    expect(await stage.submit()).toContain(`Connection ${ids.connection_id} is ended.`);
    const one = { channel_id: "lobby@demo", connection_id: ids.connection_id };
    expect(stage.media.mediaCalls.map(({ body }) => body)).toEqual([one, one]);
  });

  it("of an empty channel can't be ended, and a project's name is known as such", async () => {
    const stage = await startWithLive();
    const window = await stage.window("/media disconnect demo");
    expectWords(window, "Nobody is connected in demo.", "/media forget demo");
    expect(window.submit).toBeUndefined();
  });

  it.each([
    [404, "The media server answered 404, and may not have ended the connections. See /media live."],
    [500, "The media server answered 500, and may not have ended the connections. See /media live."],
    ["lost", "No answer from the service. It may have ended connections nevertheless: see /media live."],
  ] as const)("a media server that answers %s is reported, and recorded as a failure", async (status, words) => {
    const stage = await startWithLive();
    stage.answerMedia(status);
    await stage.window("/media disconnect lobby");
    expect(await stage.submit()).toBe(words);
    expect(await stage.audit()).toMatchObject([{ outcome: "failed", detail: words }]);
  });
});

describe("an act", () => {
  it("is refused from a window with other content, to people of another workspace, and if the right was lost", async () => {
    const stage = await start();
    stage.media.setLive({ channel_id: "lobby@demo" });
    const window = await stage.window("/media disconnect lobby");
    for (const act of ["logs webhooks", "token lobby for:24h", "\u0000", null]) {
      await sendForm(stage, window, { hash: String(act), act });
    }
    await sendForm(stage, window, { hash: "other", act: "disconnect lobby in:other" });
    const stranger = stage.slack.addWorkspace({ name: "evil" }).addUser({ name: "eve", isAdmin: true });
    await sendForm(stage, window, { hash: "eve", user: stranger });
    await stage.ann.close();
    await stage.window("/media disconnect lobby");
    stage.ann.isAdmin = false;
    expect(await stage.submit()).toContain("You may not end connections.");
    expect([stage.media.mediaCalls, stage.calls("create-access-token")]).toEqual([[], []]);
    expect(await stage.audit()).toMatchObject([
      { action: "disconnect.channel", userId: stage.ann.id, projectId: "demo", outcome: "refused" },
      { userId: stranger.id, outcome: "refused" },
      { projectId: "other", outcome: "refused" },
    ]);
  });

  it.each([
    ["resend since:1h", "send webhooks again", "deliveries.resend"],
    ["disconnect lobby", "end connections", "disconnect.channel"],
    ["endpoints enable event", "switch webhook endpoints on", "endpoint.enable"],
    ["revoke lobby", "revoke tokens", "token.revoke"],
  ])("is no matter of members, who see no button and are refused: %s", async (command, what, action) => {
    const stage = await start();
    stage.media.addDeliveries({ state: "failed" });
    stage.media.setLive({ channel_id: "lobby@demo" });
    for (const list of ["live lobby", "trace lobby", "deliveries", "endpoints"]) {
      const labels = labelsOf(await stage.ask(stage.bob, `/media ${list}`)).join();
      expect(labels).not.toMatch(/Disconnect|Send again|Switch on/);
    }
    const before = stage.media.calls.length;
    const window = await stage.window(`/media ${command}`, stage.bob);
    expect(textOf(window)).toContain(`\nYou may not ${what}. Ask an admin of this workspace.`);
    expect([window.submit, stage.media.calls.length, stage.media.mediaCalls]).toEqual([undefined, before, []]);
    expect(await stage.audit()).toMatchObject([{ action, userId: stage.bob.id, outcome: "refused" }]);
  });

  it("is done once, however often its window is submitted", async () => {
    const stage = await start();
    stage.media.setLive({ channel_id: "lobby@demo" });
    const window = await stage.window("/media disconnect lobby");
    await Promise.all([sendForm(stage, window), sendForm(stage, window)]);
    await sendForm(stage, window, { hash: "another" });
    expect(stage.media.mediaCalls).toHaveLength(1);
    const records = await stage.audit();
    expect(records.map(({ outcome }) => outcome).sort()).toEqual(["done", "refused", "refused"]);
    expect(records.map(({ detail }) => detail)).toEqual(
      expect.arrayContaining([
        "The same request was sent again.",
        "This window was submitted before. Nothing was done a second time.",
      ]),
    );
  });

  it("that was asked for in a mention opens its window by a button, for that person alone", async () => {
    const stage = await start();
    stage.media.setLive({ channel_id: "lobby@demo" });
    const place = stage.team.addChannel({ name: "ops", members: [stage.ann], withBot: true });
    await stage.ann.says(`${stage.team.botMention} disconnect lobby`, { in: place });
    const offer = await stage.slack.until(() => stage.ann.sees(place).find(({ from }) => from === "bot"));
    expect(offer.isOnlyVisibleToYou).toBe(true);
    await stage.open(() => stage.ann.press(offer, "Go on…"));
    expect(stage.ann.modal).toMatchObject({ title: "Disconnect a channel", submit: "Disconnect" });
  });

  it("is posted to the audit channel, with who did what", async () => {
    const stage = await start();
    const desk = stage.team.addChannel({ name: "desk", members: [stage.bob], withBot: true });
    const bot = await stage.replaceBot(undefined, { BOT_AUDIT_CHANNEL: desk.id });
    stage.media.setLive({ channel_id: "lobby@demo" });
    await stage.window("/media disconnect lobby");
    await bot.settled();
    await stage.ann.submit();
    await bot.settled();
    const [post] = stage.bob.sees(desk);
    expect(textOf(post ?? [])).toContain(`@${stage.ann.id} disconnected a channel in #${stage.general.id}.`);
    expect(textOf(post ?? [])).toContain("*Connections:* 1");
  });
});
