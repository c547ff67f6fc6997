import { textOf } from "@media-ops/fake-slack";
import { WebClient } from "@slack/web-api";
import { expect, it } from "vitest";
import { roomsIn, startStage } from "../test/stage.js";

const plain = (text: string) => ({ type: "plain_text", text }) as const;

it("a person who presses a button of another version of the bot sees that it does nothing", async () => {
  const stage = await startStage();
  const place = stage.team.addChannel({ name: "ops", members: [stage.ann], withBot: true });
  const message = await stage.next(stage.ann, place, () => stage.postButton(place, "from-before", "x"));
  const told = await stage.next(stage.ann, place, () => stage.ann.press(message, "Press"));
  expect(textOf(told)).toBe("This button is from another version of the bot and no longer works. Type /media.");
  expect(told.isOnlyVisibleToYou).toBe(true);
});

it("a person who submits a window of another version of the bot is asked to try again", async () => {
  const stage = await startStage();
  await stage.ann.command("/media connect", { in: stage.general });
  await stage.form(stage.ann);
  const slack = new WebClient(stage.team.botToken, { slackApiUrl: stage.slack.apiUrl });
  const element = { type: "plain_text_input", action_id: "x" } as const;
  await slack.views.update({
    view_id: stage.ann.modal?.id ?? "",
    view: {
      type: "modal",
      callback_id: "from-before",
      title: plain("Before"),
      submit: plain("Send"),
      blocks: [{ type: "input", block_id: "name", label: plain("Name"), element }],
    },
  });
  await stage.ann.submit({ Name: "x" });
  const shown = stage.ann.modal;
  expect(shown?.title).toBe("Nothing was done");
  expect(shown && textOf(shown)).toContain(
    "This window is from another version of the bot. Close it and open it again.",
  );
});

it("the bot uses its command's name in Slack, also behind buttons", async () => {
  const stage = await startStage({ command: "/rtc" });
  const message = await stage.ask(stage.ann, "/rtc logs webhoks");
  expect(textOf(message)).toContain("/rtc logs webhooks");
  const help = await stage.press(message, "Help");
  expect(textOf(help)).toContain("/rtc logs");
  expect(textOf(help)).not.toContain("/media");
});

const room = await roomsIn(startStage);

it.each(["", "connect ", "token ", "logs webhooks url~", "help "])(
  "does not repeat or use a key that is typed after '%s'",
  async (words) => {
    const stage = room();
    const { apiKey } = stage.service;
    const message = await stage.ask(stage.bob, `/media ${words}${apiKey}`);
    const text = textOf(message);
    expect(text).toContain("What you typed contains a key or a token, so nothing was done with it.");
    expect(JSON.stringify(message)).not.toContain(apiKey.slice(0, 30));
    expect(text).toContain("Revoke it");
    expect(stage.bob.modal).toBeUndefined();
    expect(stage.logged()).not.toContain(apiKey);
  },
);
