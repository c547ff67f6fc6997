import { describe, expect, it } from "vitest";
import { actions, button, form, input, modal, seen, startWithApp } from "../test/acme.js";

const menu = (more: object = {}) => form(input("Where", { type: "conversations_select", action_id: "where", ...more }));

/** A workspace with several kinds of conversations, and a function that opens a form after an action of ann. */
async function startWithMenu() {
  const acme = await startWithApp();
  const { ann, bob, team, client, last } = acme;
  const secret = team.addChannel({ name: "secret", kind: "private", members: [ann] });
  const others = team.addChannel({ name: "others", kind: "private", members: [bob] });
  const open = (view: object = menu()) =>
    client.apiCall("views.open", { trigger_id: last().trigger_id, view: { ...modal(), ...view } });
  const chosen = (): unknown => last().view.state.values.Where.where;
  return { ...acme, secret, others, open, chosen };
}

describe("a menu of conversations", () => {
  it("offers public channels, and the person's private channels and direct conversations", async () => {
    const { ann, general, secret, others, open, chosen } = await startWithMenu();
    for (const [entry, id] of [
      ["general", general.id],
      ["#general", general.id],
      [general.id, general.id],
      ["secret", secret.id],
      [ann.directPlace.id, ann.directPlace.id],
    ] as const) {
      await ann.shortcut("new");
      await open();
      await ann.submit({ Where: entry });
      expect(chosen()).toEqual({ type: "conversations_select", selected_conversation: id });
    }
    await ann.shortcut("new");
    await open();
    for (const entry of ["others", others.id, "nowhere"]) {
      await expect(ann.submit({ Where: entry })).rejects.toThrow(
        `There is no conversation "${entry}"; offered: "general"`,
      );
    }
    await expect(ann.submit()).rejects.toThrow('"Where" must be filled in.');
  });

  it("offers what its filter includes, and no archived channels", async () => {
    const { slack, team, ann, general, open } = await startWithMenu();
    const eve = team.addUser({ name: "eve", home: slack.addWorkspace({ name: "elsewhere", installed: false }) });
    const shared = team.addChannel({ name: "shared", members: [ann, eve] });
    const old = team.addChannel({ name: "old", members: [ann] });
    team.archive(old);
    const offers = async (place: { id: string }, filter?: object): Promise<boolean> => {
      await ann.shortcut("new");
      await open(menu(filter && { filter }));
      return ann.submit({ Where: place.id }).then(
        () => true,
        () => false,
      );
    };
    expect(await offers(old)).toBe(false);
    expect(await offers(general, { include: ["public"] })).toBe(true);
    expect(await offers(general, { include: ["private"] })).toBe(false);
    expect(await offers(ann.directPlace, { include: ["public", "private"] })).toBe(false);
    expect(await offers(shared)).toBe(true);
  });

  it("has an initial conversation", async () => {
    const { ann, general, secret, open, chosen } = await startWithMenu();
    await ann.command("/media", { in: general });
    await open(menu({ initial_conversation: secret.id, default_to_current_conversation: true }));
    await ann.submit();
    expect(chosen()).toMatchObject({ selected_conversation: secret.id });
  });

  it("can be preset to the conversation that the person is viewing", async () => {
    const { client, ann, general, secret, open, chosen } = await startWithMenu();
    await client.chat.postMessage({ channel: general.id, text: "x", blocks: [actions(button("New", "new"))] });
    const message = seen(ann.sees(general).at(-1));
    const ways: [() => Promise<unknown>, string][] = [
      [() => ann.command("/media", { in: general }), general.id],
      [() => ann.command("/media"), ann.directPlace.id],
      [() => ann.shortcut("new", { in: secret }), secret.id],
      [() => ann.press(message, "New"), general.id],
    ];
    for (const [act, id] of ways) {
      await act();
      await open(menu({ default_to_current_conversation: true }));
      await ann.submit();
      expect(chosen()).toMatchObject({ selected_conversation: id });
    }
  });

  it("keeps that conversation in a modal that is updated", async () => {
    const { client, ann, general, open, chosen } = await startWithMenu();
    await ann.command("/media", { in: general });
    await open({ blocks: [actions(button("New", "new"))] });
    const view = menu({ default_to_current_conversation: true });
    await client.apiCall("views.update", { view_id: ann.modal?.id, view });
    await ann.submit();
    expect(chosen()).toMatchObject({ selected_conversation: general.id });
  });

  it("gives the app a URL to respond in the chosen conversation, if the app asks for it", async () => {
    const { ann, bob, secret, last, open } = await startWithMenu();
    const submitted = async (more: object, entry?: string): Promise<{ response_url: string }[]> => {
      await ann.shortcut("new");
      await open(
        form(input("Where", { type: "conversations_select", action_id: "where", ...more }, { optional: true })),
      );
      await ann.submit(entry === undefined ? {} : { Where: entry });
      return last().response_urls;
    };
    expect(await submitted({}, secret.id)).toEqual([]);
    expect(await submitted({ response_url_enabled: true })).toEqual([]);
    const urls = await submitted({ response_url_enabled: true }, secret.id);
    expect(urls).toEqual([
      {
        block_id: "Where",
        action_id: "where",
        channel_id: secret.id,
        response_url: expect.stringContaining("/response/"),
      },
    ]);
    await fetch(urls[0]?.response_url ?? "", { method: "POST", body: JSON.stringify({ text: "Here it is." }) });
    expect(ann.sees(secret).at(-1)).toMatchObject({ text: "Here it is.", isOnlyVisibleToYou: true });
    expect(bob.sees(secret)).toEqual([]);
  });

  it("is not preset without a conversation, or with one that its filter excludes", async () => {
    const { ann, general, open } = await startWithMenu();
    await ann.shortcut("new");
    await open(menu({ default_to_current_conversation: true }));
    await expect(ann.submit()).rejects.toThrow('"Where" must be filled in.');
    await ann.command("/media", { in: general });
    await open(menu());
    await expect(ann.submit()).rejects.toThrow('"Where" must be filled in.');
    await ann.command("/media");
    await open(menu({ default_to_current_conversation: true, filter: { include: ["public", "private"] } }));
    await expect(ann.submit()).rejects.toThrow('"Where" must be filled in.');
  });
});
