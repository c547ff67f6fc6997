import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CoreCommand } from "./commands.js";
import { failedFilter } from "./filters/field-types.js";
import { anyInput } from "./test/arbitrary.js";
import { commandOf, language, offerFor } from "./test/offering.js";
import { when } from "./test/when.js";
import { splitWords } from "./words.js";

describe("a token", () => {
  const vocabulary = fc.constantFrom(
    ...["token", "token", "tokens", "tok", "Token", "/media", "lobby", "list", "show", "revoke", "check", "help", "me"],
    ...[
      "find",
      "get",
      "status",
      "delete",
      "who",
      "what",
      "how",
      "?",
      "lobby?",
      "logs",
      "webhooks",
      "please",
      "for:10m",
    ],
    ...["role:sendonly", "channel:lobby", "channel:list", "channel:*", "*", '"list"', "in:demo", "new", "all", "every"],
  );
  const sentence = fc.oneof(
    { weight: 4, arbitrary: fc.array(vocabulary, { maxLength: 5 }).map((words) => words.join(" ")) },
    { weight: 4, arbitrary: fc.array(vocabulary, { maxLength: 4 }).map((words) => ["token", ...words].join(" ")) },
    { weight: 1, arbitrary: anyInput },
  );

  /** Whether a text explicitly requests a token, and for which channel. */
  function saysSo(input: string | readonly string[]): boolean {
    const typed = typeof input === "string" ? input : input.join(" ");
    const cut = splitWords(typed.replace(/^\s*\/?media\s/i, ""));
    const [first, ...words] = cut.ok ? cut.words : [];
    const named =
      /^channel[:=：＝]/i.test(words.map(({ text }) => text).join(" ")) || /\bchannel\s*[:=：＝]/i.test(typed);
    const quoted = /["“”„«»'‘’「」『』＂]/.test(typed);
    const asks =
      /\b(?:list|show|revoke|check|help|me|find|get|status|delete|who|what|how|logs|webhooks|new|all|every|tokens?)\b|\?$/i;
    const bare = words.filter(({ text }) => !/[:=：＝]/.test(text));
    return (
      first?.text.normalize("NFKC").toLowerCase() === "token" &&
      (named || quoted || !bare.some(({ text }) => asks.test(text)))
    );
  }

  it("is created only by the word token and an unmistakable channel", () => {
    let made = 0;
    fc.assert(
      fc.property(sentence, (input) => {
        const result = language.parse(input, when);
        if (!result.ok || result.command.name !== "token") return;
        const { name: _, ...wanted } = result.command;
        // The word alone opens a form, or shows help.
        if (Object.keys(wanted).length === 0) return;
        made += 1;
        expect(wanted.channel, String(input)).toBeTruthy();
        expect([input, saysSo(input)]).toEqual([input, true]);
      }),
      { numRuns: 500 },
    );
    expect(made).toBeGreaterThan(0);
  });

  const words =
    "list ls show revoke check help find get status delete who what how new create all any logs webhooks tokens";
  it.each([...words.split(" "), "lobby?", "LIST", "ｌｉｓｔ"])(
    "is not created by %j, except for a channel of that name",
    (word) => {
      for (const typed of [`token ${word}`, `token ${word} for:1h`, `token for:1h ${word}`, `token lobby ${word}`]) {
        expect([typed, (commandOf(typed) ?? offerFor(typed))?.name]).toEqual([typed, "help"]);
      }
      const meant: CoreCommand = { name: "token", channel: word };
      expect(commandOf(`token channel:${word}`)).toEqual(meant);
      expect(commandOf(language.write(meant))).toEqual(meant);
    },
  );
});

describe("the filter for everything that failed", () => {
  it("is the same word in every text that the language shows", () => {
    const pages = ["", ...language.commands.map(({ name }) => name), "webhooks", "api", "media-api", "filters"];
    const shown = pages.map((topic) => JSON.stringify(language.help(topic || undefined))).join("\n");
    expect(shown).toContain(`logs webhooks ${failedFilter}`);
    expect(shown).not.toMatch(/status ?>=? ?[1-5]\d\d/);
    for (const typed of ["webhooks errors", "webhooks status:failed", "webhooks status=failing"]) {
      const result = language.parse(typed, when);
      expect(result.ok || result.problem.nearest).toMatch(/^(?:logs )?webhooks failed$/);
    }
    expect(language.complete(["webhooks", ""]).map(({ text: word }) => word)[0]).toBe(failedFilter);
  });
});
