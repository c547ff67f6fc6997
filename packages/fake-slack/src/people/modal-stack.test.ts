import type { View } from "@slack/types";
import { describe, expect, it } from "vitest";
import { actions, button, modal, plain, refusal, type Sent, section, seen, startAcme, startApp } from "../test/acme.js";

const titled = (title: string, more: object = {}): View => ({
  ...modal({ title: plain(title), blocks: [section("x"), actions(button("Next", "next"))] }),
  ...more,
});

/** A modal for ann, and a function that pushes another one onto it, with the trigger of a press in it. */
async function startWithModal(view: View = titled("one"), respond?: (sent: Sent) => unknown) {
  const acme = await startAcme();
  const app = await startApp(acme.slack, (sent) => (sent.type === "view_submission" ? respond?.(sent) : undefined));
  const { ann, client } = acme;
  await ann.shortcut("new");
  await client.views.open({ trigger_id: app.last().trigger_id, view });
  const push = async (title: string, more: object = {}) => {
    await ann.press(seen(ann.modal), "Next");
    return client.views.push({ trigger_id: app.last().trigger_id, view: titled(title, more) });
  };
  const titles = (): string[] => ann.modals.map((one) => one.title);
  return { ...acme, ...app, push, titles };
}

describe("views.push", () => {
  it("shows a modal on top of the one that was used", async () => {
    const { ann, bob, push, titles } = await startWithModal();
    const first = seen(ann.modal);
    const { view } = await push("two");
    expect(view).toMatchObject({ root_view_id: first.id, previous_view_id: first.id });
    expect(ann.modal).toMatchObject({ id: view?.id, title: "two" });
    expect(titles()).toEqual(["one", "two"]);
    await expect(ann.press(first, "Next")).rejects.toThrow('ann does not see the view "one".');
    expect(bob.modals).toEqual([]);
  });

  it("accepts up to three modals", async () => {
    const { ann, push, titles } = await startWithModal();
    const { view: second } = await push("two");
    const { view: third } = await push("three");
    expect(third).toMatchObject({ root_view_id: ann.modals[0]?.id, previous_view_id: second?.id });
    expect(await refusal(push("four"))).toMatchObject({ error: "push_limit_reached" });
    expect(titles()).toEqual(["one", "two", "three"]);
  });

  it("needs the trigger of an action in a modal that is open", async () => {
    const { client, ann, last, titles } = await startWithModal();
    const view = titled("two");
    await ann.shortcut("other");
    expect(await refusal(client.views.push({ trigger_id: last().trigger_id, view }))).toMatchObject({
      error: "not_found",
    });
    await ann.press(seen(ann.modal), "Next");
    await ann.close();
    expect(await refusal(client.views.push({ trigger_id: last().trigger_id, view }))).toMatchObject({
      error: "not_found",
    });
    expect(titles()).toEqual([]);
  });

  it("leaves the modals below open for updates", async () => {
    const { client, ann, push, titles } = await startWithModal();
    const { id } = seen(ann.modal);
    await push("two");
    await client.views.update({ view_id: id, view: titled("one, updated") });
    expect(titles()).toEqual(["one, updated", "two"]);
  });
});

describe("the visible one of several modals", () => {
  it("closes, and the one below is visible again", async () => {
    const { ann, push, last, titles } = await startWithModal();
    await push("two", { notify_on_close: true });
    await ann.close();
    expect(last()).toMatchObject({ type: "view_closed", is_cleared: false, view: { title: { text: "two" } } });
    expect(titles()).toEqual(["one"]);
  });

  it("closes all of them if it asks for that", async () => {
    const { ann, push, last, titles } = await startWithModal();
    await push("two", { notify_on_close: true, clear_on_close: true });
    await ann.close();
    expect(last()).toMatchObject({ type: "view_closed", is_cleared: true });
    expect(titles()).toEqual([]);
  });

  it.each([
    ["closes it alone, without a response", undefined, ["one"]],
    ["clears all", { response_action: "clear" }, []],
    ["updates it", { response_action: "update", view: titled("updated") }, ["one", "updated"]],
    ["pushes another", { response_action: "push", view: titled("three") }, ["one", "two", "three"]],
  ])("is submitted, and the app %s", async (_, answer, expected) => {
    const { ann, push, titles } = await startWithModal(titled("one"), () => answer);
    await push("two");
    expect(await ann.submit()).toMatchObject({ shownError: undefined });
    expect(titles()).toEqual(expected);
  });

  it("is submitted, and stays if the app pushes one too many", async () => {
    const { ann, push, titles } = await startWithModal(titled("one"), () => ({
      response_action: "push",
      view: titled("four"),
    }));
    await push("two");
    await push("three");
    expect(await ann.submit()).toMatchObject({ shownError: expect.stringMatching("trouble") });
    expect(titles()).toEqual(["one", "two", "three"]);
  });

  it("is replaced together with the others by a modal that the app opens", async () => {
    const { client, ann, push, last, titles } = await startWithModal();
    await push("two");
    await ann.shortcut("other");
    await client.views.open({ trigger_id: last().trigger_id, view: titled("new") });
    expect(titles()).toEqual(["new"]);
  });
});
