import { describe, expect, it } from "vitest";
import { clientOf, modal, plain, refusal, refused, section, startAcme, startWithApp } from "../test/acme.js";

async function startWithTrigger() {
  const acme = await startWithApp();
  await acme.ann.shortcut("new");
  return { ...acme, trigger_id: String(acme.last().trigger_id) };
}

describe("views.open", () => {
  it("shows a modal to the person who acted", async () => {
    const { client, ann, bob, trigger_id, slack, team } = await startWithTrigger();
    const { view } = await client.views.open({ trigger_id, view: modal({ private_metadata: "state" }) });
    expect(view).toMatchObject({
      type: "modal",
      team_id: team.id,
      app_id: slack.app.id,
      bot_id: team.botId,
      callback_id: "token",
      private_metadata: "state",
      root_view_id: view?.id,
      previous_view_id: null,
      state: { values: {} },
      hash: expect.stringMatching(/./),
    });
    expect(ann.modal).toMatchObject({ id: view?.id, title: "New token", submit: "Mint", errors: {} });
    expect(ann.modal).not.toHaveProperty("privateMetadata");
    expect(bob.modal).toBeUndefined();
  });

  it("refuses a trigger that is unknown, or of another workspace", async () => {
    const { slack, client, trigger_id } = await startWithTrigger();
    const other = clientOf(slack, slack.addWorkspace({ name: "other" }).botToken);
    for (const [one, given] of [
      [client, "1.2.3"],
      [client, `${trigger_id}0`],
      [other, trigger_id],
    ] as const) {
      await refused(one.views.open({ trigger_id: given, view: modal() }), "invalid_trigger_id");
    }
  });

  it("accepts a trigger for three seconds", async () => {
    const { client, ann, pass, trigger_id, last } = await startWithTrigger();
    pass(3100);
    await refused(client.views.open({ trigger_id, view: modal() }), "expired_trigger_id");
    await ann.shortcut("new");
    pass(2000);
    expect(await client.views.open({ trigger_id: last().trigger_id, view: modal() })).toMatchObject({ ok: true });
  });

  it("accepts a trigger once; a refused view does not count", async () => {
    const { client, trigger_id } = await startWithTrigger();
    const wrong = modal({ title: plain("x".repeat(25)) });
    await refused(client.views.open({ trigger_id, view: wrong }), "invalid_arguments");
    await client.views.open({ trigger_id, view: modal() });
    await refused(client.views.open({ trigger_id, view: modal() }), "exchanged_trigger_id");
  });

  it("reports the fault of a view, and its position", async () => {
    const { client, trigger_id } = await startWithTrigger();
    const view = modal({ title: plain("x".repeat(25)), blocks: [{ type: "header", text: plain("x".repeat(151)) }] });
    expect(await refusal(client.views.open({ trigger_id, view }))).toMatchObject({
      error: "invalid_arguments",
      response_metadata: {
        messages: [
          "[ERROR] must be less than 25 characters [json-pointer:/view/title/text]",
          "[ERROR] must be less than 151 characters [json-pointer:/view/blocks/0/text/text]",
        ],
      },
    });
  });

  it("refuses a view that is not JSON", async () => {
    const { client, trigger_id } = await startWithTrigger();
    expect(await refusal(client.apiCall("views.open", { trigger_id, view: "{" }))).toMatchObject({
      error: "invalid_arguments",
    });
  });

  it("refuses a view that is too large, even if each part is not", async () => {
    const { client, trigger_id } = await startWithTrigger();
    const blocks = Array.from({ length: 99 }, () => section("x".repeat(2900)));
    await refused(client.views.open({ trigger_id, view: modal({ blocks }) }), "view_too_large");
  });
});

describe("views.update", () => {
  it("updates a modal by its id", async () => {
    const { client, ann, trigger_id } = await startWithTrigger();
    const { view } = await client.views.open({ trigger_id, view: modal() });
    await client.views.update({ view_id: view?.id ?? "", view: modal({ title: plain("two") }) });
    expect(ann.modal).toMatchObject({ id: view?.id, title: "two" });
  });

  it("refuses an outdated hash", async () => {
    const { client, trigger_id } = await startWithTrigger();
    const { view } = await client.views.open({ trigger_id, view: modal() });
    const { id: view_id = "", hash = "" } = view ?? {};
    expect(await client.views.update({ view_id, hash, view: modal() })).toMatchObject({ ok: true });
    await refused(client.views.update({ view_id, hash, view: modal() }), "hash_conflict");
  });

  it("refuses a view that was closed, and an unknown one", async () => {
    const { client, ann, trigger_id } = await startWithTrigger();
    const { view } = await client.views.open({ trigger_id, view: modal() });
    await ann.close();
    const errors = [view?.id ?? "", "V0"].map(
      async (view_id) => (await refusal(client.views.update({ view_id, view: modal() }))).error,
    );
    expect(await Promise.all(errors)).toEqual(["not_found", "not_found"]);
  });
});

describe("views.publish", () => {
  const home = (text: string) => ({ type: "home" as const, blocks: [section(text)] });

  it("shows the app's home to a person", async () => {
    const { client, ann, bob } = await startAcme();
    const { view } = await client.views.publish({ user_id: ann.id, view: home("one") });
    await client.views.publish({ user_id: ann.id, view: home("two"), hash: view?.hash ?? "" });
    expect(ann.home).toMatchObject({ id: view?.id, blocks: [{ text: { text: "two" } }] });
    expect(bob.home).toBeUndefined();
  });

  it("refuses an outdated hash, a modal, and unknown people", async () => {
    const { client, ann } = await startAcme();
    const { view } = await client.views.publish({ user_id: ann.id, view: home("one") });
    const hash = view?.hash ?? "";
    await client.views.publish({ user_id: ann.id, view: home("two") });
    const publish = (args: object) => refusal(client.apiCall("views.publish", { user_id: ann.id, ...args }));
    expect(await publish({ view: home("three"), hash })).toMatchObject({ error: "hash_conflict" });
    expect(await publish({ view: modal() })).toMatchObject({ error: "invalid_arguments" });
    expect(await publish({ view: home("x"), user_id: "U0" })).toMatchObject({ error: "user_not_found" });
  });
});
