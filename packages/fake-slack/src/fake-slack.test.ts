import { once } from "node:events";
import { connect } from "node:net";
import { WebAPIHTTPError, WebAPIRateLimitedError } from "@slack/web-api";
import { describe, expect, it } from "vitest";
import { startFakeSlack } from "./index.js";
import { clientOf, modal, refusal, refused, section, startAcme, startWithApp } from "./test/acme.js";

describe("the transcript", () => {
  it("lists each call with its caller, and each message with its readers", async () => {
    const { slack, team, client, general, ann, bob } = await startAcme({ now: () => 1_775_035_815_000 });
    await client.chat.postMessage({ channel: general.id, text: "to all" });
    await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: "to ann" });
    const shown = slack.transcript.filter(({ what }) => what === "shown");
    expect(shown).toMatchObject([
      {
        at: 1_775_035_815_000,
        teamId: team.id,
        name: "message",
        users: [ann.id, bob.id, team.botUserId],
        detail: { channel: general.id, text: "to all", isOnlyVisibleToYou: false },
      },
      { users: [ann.id], detail: { text: "to ann", isOnlyVisibleToYou: true } },
    ]);
    expect(slack.transcript.filter(({ what }) => what === "call").map(({ name }) => name)).toEqual([
      "chat.postMessage",
      "chat.postEphemeral",
    ]);
  });

  it("lists deleted messages", async () => {
    const { slack, client, general, ann, last } = await startWithApp();
    await client.chat.postEphemeral({ channel: general.id, user: ann.id, text: "x" });
    ann.reload();
    await ann.shortcut("new");
    await client.views.open({ trigger_id: last().trigger_id, view: modal() });
    await ann.close();
    expect(slack.transcript.filter(({ what }) => what === "hidden")).toMatchObject([
      { name: "message", users: [ann.id], detail: { text: "x" } },
      { name: "view", users: [ann.id], detail: { callback_id: "token" } },
    ]);
  });

  it("holds no tokens or secrets of calls", async () => {
    const { slack, team } = await startAcme();
    const { clientId, clientSecret } = slack.app;
    await fetch(`${slack.apiUrl}auth.test`, { method: "POST", body: new URLSearchParams({ token: team.botToken }) });
    await refusal(
      clientOf(slack, undefined).oauth.v2.access({
        client_id: clientId,
        client_secret: clientSecret,
        code: "x",
      }),
    );
    const text = JSON.stringify(slack.transcript);
    expect(text).toContain("oauth.v2.access");
    expect(text).not.toContain(team.botToken);
    expect(text).not.toContain(clientSecret);
  });
});

describe("until", () => {
  it("returns the first truthy value at once", async () => {
    const { slack, client, general, ann } = await startAcme();
    expect(await slack.until(() => "now")).toBe("now");
    const seen = slack.until(() => ann.sees(general).at(0)?.text);
    await client.chat.postMessage({ channel: general.id, text: "later" });
    expect(await seen).toBe("later");
  });

  it("reports the expected value, and the last entries of the transcript", async () => {
    const { slack, client, general, ann } = await startAcme();
    await client.chat.postMessage({ channel: general.id, text: "something else" });
    const waiting = slack.until(() => ann.modal, { timeoutMs: 20 });
    await expect(waiting).rejects.toThrow(/Waited 20 ms for: \(\) => ann\.modal/);
    await expect(waiting).rejects.toThrow("something else");
  });

  it("rejects with the error of the probe", async () => {
    const { slack } = await startAcme();
    const failing = slack.until(() => {
      throw new Error("wrong probe");
    });
    await expect(failing).rejects.toThrow("wrong probe");
  });
});

describe("simulated failures", () => {
  it("rate-limit the next calls, and no more", async () => {
    const { slack, client } = await startAcme();
    slack.limit("auth.test", { times: 2, retryAfter: 30 });
    for (const _ of [1, 2]) {
      const error = await client.auth.test().catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(WebAPIRateLimitedError);
      expect(error).toMatchObject({ retryAfter: 30 });
    }
    expect(await client.auth.test()).toMatchObject({ ok: true });
  });

  it("fail a call with one of Slack's errors, or with a status", async () => {
    const { slack, client } = await startAcme();
    slack.fail("auth.test");
    slack.fail("auth.test", { error: "fatal_error" });
    slack.fail("auth.test", { status: 503 });
    await refused(client.auth.test(), "internal_error");
    await refused(client.auth.test(), "fatal_error");
    const error = await client.auth.test().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(WebAPIHTTPError);
    expect(error).toMatchObject({ statusCode: 503 });
    expect(await client.auth.test()).toMatchObject({ ok: true });
  });

  it("rate-limit response_urls, too", async () => {
    const { slack, ann, general, last } = await startWithApp();
    await ann.command("/media", { in: general });
    slack.limit("response_url", { retryAfter: 7 });
    const respond = () => fetch(last().response_url, { method: "POST", body: JSON.stringify({ text: "hi" }) });
    const limited = await respond();
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "7"]);
    expect((await respond()).status).toBe(200);
    expect(ann.sees(general)).toHaveLength(1);
  });
});

describe("a lost answer", () => {
  it("breaks the connection after the call took effect", async () => {
    const { slack, client, ann, general } = await startAcme();
    slack.loseAnswer("chat.postMessage", { times: 2 });
    for (const text of ["one", "two"]) {
      await expect(client.chat.postMessage({ channel: general.id, text })).rejects.toMatchObject({
        code: "slack_webapi_request_error",
      });
    }
    await client.chat.postMessage({ channel: general.id, text: "three" });
    expect(ann.sees(general).map(({ text }) => text)).toEqual(["one", "two", "three"]);
    const calls = slack.transcript.filter(({ what }) => what === "call");
    expect(calls.map(({ detail }) => [detail.status, detail.isAnswerLost])).toEqual([
      [200, true],
      [200, true],
      [200, undefined],
    ]);
  });

  it("can be that of a response_url", async () => {
    const { slack, ann, general, last } = await startWithApp();
    await ann.command("/media", { in: general });
    slack.loseAnswer("response_url");
    const response = fetch(last().response_url, { method: "POST", body: JSON.stringify({ text: "hi" }) });
    await expect(response).rejects.toThrow("fetch failed");
    expect(ann.sees(general)).toMatchObject([{ text: "hi" }]);
  });
});

describe("an older Slack", () => {
  it("refuses newer blocks, and names them", async () => {
    const { slack, client, general, ann } = await startAcme();
    slack.refuseBlocks(["table", "section"]);
    const blocks = [{ type: "divider" as const }, section("x")];
    const fault = "unsupported type: section [json-pointer:/blocks/1/type]";
    expect(await refusal(client.chat.postMessage({ channel: general.id, text: "x", blocks }))).toMatchObject({
      error: "invalid_blocks",
      errors: [fault],
      response_metadata: { messages: [`[ERROR] ${fault}`] },
    });
    await refused(client.views.publish({ user_id: ann.id, view: { type: "home", blocks } }), "invalid_arguments");
    expect(ann.sees(general)).toEqual([]);
  });
});

describe("a fake Slack", () => {
  it("has independent workspaces", async () => {
    const { slack, general } = await startAcme();
    const other = slack.addWorkspace({ name: "Other & Co.", installed: false });
    const eve = other.addUser({ name: "eve" });
    expect(eve.sees(general)).toEqual([]);
    expect(other.isInstalled).toBe(false);
    expect(() => other.botToken).toThrow("The app is not installed in Other & Co..");
  });

  it("stops, and can be stopped twice", async () => {
    const slack = await startFakeSlack({ scopes: [] });
    const client = clientOf(slack, "x");
    await refusal(client.auth.test());
    await Promise.all([slack.stop(), slack.stop()]);
    await expect(fetch(slack.apiUrl)).rejects.toThrow();
  });

  it("stops even during a call", async () => {
    const { slack } = await startAcme();
    const socket = connect(Number(new URL(slack.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write("POST /api/auth.test HTTP/1.1\r\nhost: slack\r\ncontent-length: 10\r\n\r\n");
    // The server has read the other request by the time it answers this one.
    await fetch(`${slack.apiUrl}auth.test`);
    const closed = once(socket, "close");
    socket.on("error", () => {});
    await slack.stop();
    await closed;
  });

  it("reports that its port is in use", async () => {
    const { slack } = await startAcme();
    await expect(startFakeSlack({ scopes: [], port: Number(new URL(slack.url).port) })).rejects.toThrow("EADDRINUSE");
  });
});
