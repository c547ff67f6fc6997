import { type SeenMessage, textOf } from "@media-ops/fake-slack";
import fc from "fast-check";
import { expect, it } from "vitest";
import { language } from "../language.js";
import { webhook } from "../test/entries.js";
import { stageWith, startStage } from "../test/stage.js";

const examples = language.commands.flatMap(({ examples }) => examples.map(([text]) => text));
const words = [...new Set(examples.flatMap((text) => text.split(" ")))];

/** Texts that people type, mistype, or would never type. */
const typed = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((some) => some.join(" ")) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...examples), fc.string({ unit: "grapheme", maxLength: 20 }))
      .map(([text, more]) => `${text} ${more}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...examples), fc.nat(), fc.string({ maxLength: 3 }))
      .map(([text, at, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1)),
  },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme-composite", minLength: 200, maxLength: 4000 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "<",
      "&lt;!channel&gt; <!here> <@U1>",
      "token `*_~",
      "logs webhooks url:<https://a.example/|x>",
      "\u0000",
      "​",
      "مرحبا",
      "help ".repeat(300),
    ),
  },
);

/** What is set up for a channel is announced there. */
const isAnnouncement = (message: SeenMessage): boolean => /^@\w+ (?:watches|set a digest)/.test(textOf(message));

it("is answered once, within Slack's limits, for any text", async () => {
  const stage = await stageWith("webhooks", webhook({ status: 503 }), webhook());
  const { bob, general } = stage;
  await fc.assert(
    fc.asyncProperty(typed, async (text) => {
      // Slack separates the command's name from the rest.
      const delivery = await bob.command(`/media ${text}`, { in: general });
      await stage.settled();
      expect(delivery.status).toBe(200);
      expect(delivery.shownError).toBeUndefined();
      const windows = bob.modal ? 1 : 0;
      const answers = bob.sees(general).filter(({ isOnlyVisibleToYou }) => isOnlyVisibleToYou).length;
      expect(answers + windows, JSON.stringify(text)).toBe(1);
      if (windows > 0) await bob.close();
      bob.reload();
    }),
    { numRuns: 100 },
  );
  expect(stage.ann.sees(general).filter((message) => !isAnnouncement(message))).toEqual([]);
  expect(stage.logged()).not.toMatch(/"level":"(?:error|fatal)"/);
});

it("is answered once if it mentions the bot, whatever else it says", async () => {
  const stage = await startStage();
  const { team, bob, general } = stage;
  team.inviteBot(general);
  await fc.assert(
    fc.asyncProperty(typed, async (text) => {
      const byBot = () =>
        bob.sees(general).filter((message) => message.from === "bot" && !isAnnouncement(message)).length;
      const before = byBot();
      await bob.says(`${team.botMention} ${text}`, { in: general });
      await stage.settled();
      expect(byBot() - before, JSON.stringify(text)).toBe(1);
      bob.reload();
    }),
    { numRuns: 50 },
  );
  expect(bob.direct()).toEqual([]);
  expect(stage.ann.sees(general).some(({ isOnlyVisibleToYou }) => isOnlyVisibleToYou)).toBe(false);
  expect(stage.logged()).not.toMatch(/"level":"(?:error|fatal)"/);
});
