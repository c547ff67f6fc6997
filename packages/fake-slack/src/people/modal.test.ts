import { describe, expect, it } from "vitest";
import { form, input, modal, plain, type Sent, section, seen, startWithApp } from "../test/acme.js";

const options = ["Send", "Receive"].map((text) => ({ text: plain(text), value: text.toLowerCase() }));

/** Opens a modal for ann, with an app that responds to submissions as configured. */
async function open(view: object, respond?: (sent: Sent) => unknown) {
  const acme = await startWithApp((sent) => (sent.type === "view_submission" ? respond?.(sent) : undefined));
  await acme.ann.shortcut("new");
  await acme.client.apiCall("views.open", { trigger_id: acme.last().trigger_id, view });
  return { ...acme, id: seen(acme.ann.modal).id };
}

it("a modal shows the text of its submit and close buttons", async () => {
  const { ann, client } = await open({ ...modal(), close: plain("Not now") });
  expect(ann.modal).toMatchObject({ type: "modal", submit: "Mint", close: "Not now" });
  await client.views.publish({ user_id: ann.id, view: { type: "home", blocks: [section("x")] } });
  expect(ann.home).toMatchObject({ type: "home", submit: undefined, close: undefined });
});

describe("a submission", () => {
  it("matches the blocks' ids before other names", async () => {
    const element = (action_id: string) => ({ type: "plain_text_input", action_id });
    const view = form(
      input("Name", element("name"), { block_id: "first", optional: true }),
      input("Other", element("first"), { block_id: "Name", optional: true }),
    );
    const { ann, last } = await open(view);
    await ann.submit({ first: "a", Name: "b" });
    expect(last().view.state.values).toMatchObject({
      first: { name: { value: "a" } },
      Name: { first: { value: "b" } },
    });
  });

  it("sends the entries to the app, and closes the modal", async () => {
    const view = form(
      input("Channel", { type: "plain_text_input", action_id: "channel" }),
      input("Role", { type: "static_select", action_id: "role", options, initial_option: options[0] }),
      input("Note", { type: "plain_text_input", action_id: "note" }, { optional: true }),
    );
    const { ann, last, id, team, slack } = await open({ ...view, private_metadata: "state" });
    const delivery = await ann.submit({ Channel: "lobby" });
    expect(delivery).toMatchObject({ status: 200, shownError: undefined });
    expect(last()).toMatchObject({
      type: "view_submission",
      user: { id: ann.id, name: "ann" },
      team: { id: team.id, domain: "acme" },
      api_app_id: slack.app.id,
      trigger_id: expect.any(String),
      response_urls: [],
      view: {
        id,
        callback_id: "token",
        private_metadata: "state",
        hash: expect.stringMatching(/./),
        state: {
          values: {
            Channel: { channel: { type: "plain_text_input", value: "lobby" } },
            Role: { role: { type: "static_select", selected_option: options[0] } },
            Note: { note: { type: "plain_text_input", value: null } },
          },
        },
      },
    });
    expect(ann.modal).toBeUndefined();
  });

  it.each([
    ["radio_buttons", { options }, "Send", { selected_option: options[0] }],
    ["checkboxes", { options }, ["send", "Receive"], { selected_options: options }],
    ["datetimepicker", {}, "1775035815", { selected_date_time: 1_775_035_815 }],
    ["number_input", { is_decimal_allowed: false, min_value: "1" }, "10", { value: "10" }],
  ])("of %s %j with %j", async (type, more, entry, state) => {
    const { ann, last } = await open(form(input("It", { type, action_id: "it", ...more })));
    await ann.submit({ It: entry });
    expect(last().view.state.values).toEqual({ It: { it: { type, ...state } } });
  });

  it.each([
    ["static_select", { options, initial_option: options[1] }, { selected_option: options[1] }],
    ["radio_buttons", { options, initial_option: options[0] }, { selected_option: options[0] }],
    ["checkboxes", { options, initial_options: [options[1]] }, { selected_options: [options[1]] }],
    ["checkboxes", { options }, { selected_options: [] }],
    ["plain_text_input", { initial_value: "x" }, { value: "x" }],
    ["datetimepicker", { initial_date_time: 1_775_035_815 }, { selected_date_time: 1_775_035_815 }],
  ])("of %s %j has its initial value", async (type, more, state) => {
    const { ann, last } = await open(form(input("It", { type, action_id: "it", ...more }, { optional: true })));
    await ann.submit();
    expect(last().view.state.values).toEqual({ It: { it: { type, ...state } } });
  });

  it.each<[string, object, object, string]>([
    ["left empty", { type: "plain_text_input" }, {}, '"It" must be filled in.'],
    ["too long", { type: "plain_text_input", max_length: 3 }, { It: "four" }, '"It" has more than 3 characters.'],
    ["longer than any text", { type: "plain_text_input" }, { It: "x".repeat(3001) }, "has more than 3000 characters"],
    ["not a number", { type: "number_input", is_decimal_allowed: true }, { It: "ten" }, '"It" must be a number.'],
    [
      "not a whole number",
      { type: "number_input", is_decimal_allowed: false },
      { It: "1.5" },
      '"It" must be a whole number.',
    ],
    ["too small", { type: "number_input", is_decimal_allowed: false, min_value: "1" }, { It: "0" }, "is less than 1"],
    ["too large", { type: "number_input", is_decimal_allowed: false, max_value: "1" }, { It: "2" }, "is more than 1"],
    ["not offered", { type: "static_select", options }, { It: "Both" }, 'There is no option "Both"'],
    ["not among the options", { type: "checkboxes", options }, { It: ["Both"] }, 'There is no option "Both"'],
    ["one option too many", { type: "static_select", options }, { It: ["Send", "Receive"] }, "Only one can be chosen"],
    ["for another input", { type: "plain_text_input" }, { That: "x" }, 'has no input "That"; it has: "It".'],
  ])("is not sent if an entry is %s", async (_, element, entries, message) => {
    const { ann, sent } = await open(form(input("It", { action_id: "it", ...element })));
    const before = sent.length;
    await expect(ann.submit({ ...entries })).rejects.toThrow(message);
    expect(sent).toHaveLength(before);
  });

  it("needs a modal, and a submit button", async () => {
    const { submit: _, ...view } = form(section("x"));
    const { ann, bob } = await open(view);
    await expect(bob.submit()).rejects.toThrow("bob has no modal open.");
    await expect(ann.submit()).rejects.toThrow('The modal "New token" has no button to submit it.');
  });

  it("keeps the entries if the modal is updated, and drops those of removed inputs", async () => {
    const name = input("Name", { type: "plain_text_input", action_id: "name" });
    const role = input("Role", { type: "static_select", action_id: "role", options });
    const { ann, client, last, id } = await open(form(name, role));
    await ann.choose(seen(ann.modal), "Role", "Send");
    await client.apiCall("views.update", { view_id: id, view: form(role) });
    await ann.submit();
    expect(last().view.state.values).toEqual({
      Role: { role: { type: "static_select", selected_option: options[0] } },
    });
  });
});

describe("the app's response to a submission", () => {
  const name = input("Name", { type: "plain_text_input", action_id: "name", initial_value: "x" });

  it("can report errors, which are shown until the next submission", async () => {
    const done = form(input("Name", { type: "plain_text_input", action_id: "name" }));
    const answers = [
      { response_action: "errors", errors: { Name: "taken" } },
      { response_action: "update", view: done },
    ];
    const { ann } = await open(form(name), () => answers.shift());
    await ann.submit();
    expect(ann.modal?.errors).toEqual({ Name: "taken" });
    await ann.submit();
    expect(ann.modal?.errors).toEqual({});
  });

  it("can close the modal", async () => {
    const { ann } = await open(form(name), () => ({ response_action: "clear" }));
    await ann.submit();
    expect(ann.modal).toBeUndefined();
  });

  it("can replace the modal by another view", async () => {
    const { ann, id } = await open(form(name), () => ({
      response_action: "update",
      view: modal({ title: plain("Done"), blocks: [section("x")] }),
    }));
    await ann.submit();
    expect(ann.modal).toMatchObject({ id, title: "Done" });
  });

  it.each([
    ["an error status", 500],
    ["an unknown response", { response_action: "dance" }],
    ["a push without a view", { response_action: "push" }],
    ["errors for blocks that are not inputs", { response_action: "errors", errors: { other: "x" } }],
    ["an empty list of errors", { response_action: "errors", errors: {} }],
    ["an invalid view", { response_action: "update", view: { type: "modal" } }],
    ["a text", "done"],
  ])("is %s: the modal stays, and shows an error", async (_, answer) => {
    const { ann, id } = await open(form(name), () => answer);
    expect(await ann.submit()).toMatchObject({ shownError: "We had some trouble connecting. Try again?" });
    expect(ann.modal).toMatchObject({ id });
  });
});

describe("closing a modal", () => {
  it("is reported if the app requests it", async () => {
    const { ann, last, id } = await open(modal({ notify_on_close: true }));
    await ann.close();
    expect(last()).toMatchObject({ type: "view_closed", view: { id }, user: { id: ann.id }, is_cleared: false });
    expect(ann.modal).toBeUndefined();
  });

  it("is not reported otherwise", async () => {
    const { ann, sent } = await open(modal());
    const before = sent.length;
    expect(await ann.close()).toMatchObject({ tries: 0 });
    expect(sent).toHaveLength(before);
  });
});

it("a choice in an input sends nothing", async () => {
  const element = { type: "static_select", options, action_id: "quiet" };
  const { ann, sent } = await open(form(input("Quiet", element)));
  const before = sent.length;
  await ann.choose(seen(ann.modal), "Quiet", "Send");
  expect(sent).toHaveLength(before);
});
