import { describe, expect, it } from "vitest";
import type { FakeSlack } from "../index.js";
import { clientOf, refusal, refused, SCOPES, startAcme, startApp } from "../test/acme.js";

describe("the caller", () => {
  it.each([
    ["no token", () => undefined, "not_authed"],
    ["a token that was not issued", () => "xoxb-made-up", "invalid_auth"],
    ["the app-level token", ({ app }: FakeSlack) => app.appToken, "not_allowed_token_type"],
  ])("with %s is refused", async (_, tokenOf, error) => {
    const { slack } = await startAcme();
    expect(await refusal(clientOf(slack, tokenOf(slack)).auth.test())).toMatchObject({ ok: false, error });
  });

  it("is refused after the app was uninstalled", async () => {
    const { slack, team, client } = await startAcme();
    await startApp(slack);
    await team.uninstall();
    await refused(client.auth.test(), "account_inactive");
  });

  it("needs the scope, which the response names", async () => {
    const { slack } = await startAcme();
    const other = slack.addWorkspace({ name: "other", scopes: ["commands", "users:read"] });
    const client = clientOf(slack, other.botToken);
    expect(await refusal(client.chat.postMessage({ channel: "general", text: "hi" }))).toMatchObject({
      error: "missing_scope",
      needed: "chat:write",
      provided: "commands,users:read",
    });
  });

  it("receives the scopes in the headers", async () => {
    const { client, ann } = await startAcme();
    const { response_metadata } = await client.users.info({ user: ann.id });
    expect(response_metadata).toMatchObject({ scopes: SCOPES, acceptedScopes: ["users:read"] });
  });

  it("sees only its own workspace", async () => {
    const { slack, general } = await startAcme();
    const other = slack.addWorkspace({ name: "other" });
    const client = clientOf(slack, other.botToken);
    await refused(client.chat.postMessage({ channel: general.id, text: "x" }), "channel_not_found");
  });
});

describe("a call", () => {
  it("of an unsupported method is refused by name", async () => {
    const { client } = await startAcme();
    expect(await refusal(client.apiCall("reactions.add"))).toMatchObject({
      error: "unknown_method",
      detail: "fake-slack does not model reactions.add",
    });
  });

  it("accepts arguments as JSON, in the URL, or as a multipart form", async () => {
    const { slack, team, ann } = await startAcme();
    const address = `${slack.apiUrl}users.info`;
    const headers = { authorization: `Bearer ${team.botToken}` };
    const form = new FormData();
    form.set("user", ann.id);
    const json = { ...headers, "content-type": "application/json" };
    const answers = await Promise.all([
      fetch(`${address}?user=${ann.id}`, { headers }),
      fetch(address, { method: "POST", headers: json, body: JSON.stringify({ user: ann.id }) }),
      fetch(address, { method: "POST", headers, body: new URLSearchParams({ user: ann.id }) }),
      fetch(address, { method: "POST", headers, body: form }),
    ]);
    for (const answer of answers) expect(await answer.json()).toMatchObject({ ok: true, user: { id: ann.id } });
  });

  it.each([
    ["{", "invalid_json"],
    ["[1]", "json_not_object"],
  ])("with the JSON %s is refused: %s", async (body, error) => {
    const { slack } = await startAcme();
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${slack.apiUrl}auth.test`, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ok: false, error });
  });

  it("accepts its token as an argument", async () => {
    const { slack, team } = await startAcme();
    const answer = await fetch(`${slack.apiUrl}auth.test`, {
      method: "POST",
      body: new URLSearchParams({ token: team.botToken }),
    });
    expect(await answer.json()).toMatchObject({ ok: true, team_id: team.id });
  });

  it("to any other URL returns 404", async () => {
    const { slack } = await startAcme();
    expect((await fetch(`${slack.url}/elsewhere`)).status).toBe(404);
  });
});
