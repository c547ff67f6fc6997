import { expect, onTestFinished, test } from "vitest";
import { startFakeSlack } from "../fake-slack.js";
import { type AppsSlack, type Listen, startBoltApp, startSocketApp } from "../test/bolt-app.js";

/** Two people in a workspace, and a Bolt app that turns pages and opens a modal. */
async function start(over: (slack: AppsSlack, options: { token: string }, listen: Listen) => Promise<unknown>) {
  const slack = await startFakeSlack({ scopes: ["commands", "chat:write"] });
  onTestFinished(() => slack.stop());
  const team = slack.addWorkspace({ name: "acme" });
  const ann = team.addUser({ name: "ann" });
  const bob = team.addUser({ name: "bob" });
  const general = team.addChannel({ name: "general", members: [ann, bob] });
  const page = (number: number) => ({
    text: `Page ${number}`,
    blocks: [
      { type: "section", text: { type: "plain_text", text: `Page ${number}` } },
      {
        type: "actions",
        elements: [
          {
            type: "button",
            action_id: "older",
            text: { type: "plain_text", text: "Older" },
            value: `${number + 1}`,
          },
        ],
      },
    ],
  });
  await over(slack, { token: team.botToken }, (app) => {
    app.command("/media", async ({ ack, respond }) => {
      await ack();
      await respond(page(1));
    });
    app.action({ action_id: "older", type: "block_actions" }, async ({ ack, action, respond }) => {
      await ack();
      const number = action.type === "button" ? Number(action.value) : 0;
      await respond({ ...page(number), replace_original: true });
    });
  });
  return { slack, ann, bob, general };
}

test.each([
  ["HTTP", startBoltApp],
  ["Socket Mode", startSocketApp],
])("over %s a person runs a command and turns a page in place, and others see nothing of it", async (_, over) => {
  const { slack, ann, bob, general } = await start(over);

  await ann.command("/media logs", { in: general });
  const first = await slack.until(() => ann.sees(general).at(-1));
  expect(first).toMatchObject({ text: "Page 1", isOnlyVisibleToYou: true, from: "bot" });

  expect(await ann.press(first, "Older")).toMatchObject({ status: 200, shownError: undefined });
  await slack.until(() => ann.sees(general).at(-1)?.text === "Page 2");

  expect(ann.sees(general)).toMatchObject([{ ts: first.ts, text: "Page 2", isOnlyVisibleToYou: true }]);
  expect(bob.sees(general)).toEqual([]);
});

test.each([
  ["HTTP", startBoltApp],
  ["Socket Mode", startSocketApp],
])("over %s two people turn their own pages concurrently", async (_, over) => {
  const { slack, ann, bob, general } = await start(over);

  await Promise.all([ann, bob].map((person) => person.command("/media logs", { in: general })));
  const annsFirst = await slack.until(() => ann.sees(general).at(-1));
  await slack.until(() => bob.sees(general).at(-1));
  await ann.press(annsFirst, "Older");

  await slack.until(() => ann.sees(general).at(-1)?.text === "Page 2");
  expect(bob.sees(general).map(({ text }) => text)).toEqual(["Page 1"]);
});
