import type { LogKind } from "@media-ops/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CommandSpec, Grammar } from "./grammar.js";
import { fieldsOf, kinds } from "./kinds.js";
import { language, when } from "./test/language.js";
import { utc } from "./times.js";
import { isHarmless, splitWords, writeText } from "./words.js";

// All characters with a meaning, and the variants that input methods and phones type instead.
const SIGNS = "a1 .,:=<>~!-*…\"'“”„‘’«»\n\u00a0\u200b\u2068@x/：，、＊＝！～〜≧－「」『』＂ｓ２";

/** Any text that isn't blank, with quotes, control characters and halves of surrogate pairs. */
const anyText = fc
  .oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...SIGNS), minLength: 1, maxLength: 12 }),
    // Words that would be read as something else without the argument's name.
    fc.constantFrom(..."lobby all list help recvonly 2h in me client 5f0c8a52… 0J9V6TQ2…W1NA".split(" ")),
  )
  .filter((text) => text.trim() !== "");

const { entries } = new Grammar(language.commands);

/** Any command of the table as it may be typed, with values that its completion offers, and with any names. */
const anyTyped = fc.constantFrom(...entries).chain(({ spec, arguments: all, options }) =>
  fc.constantFrom(...(spec.filters ? kinds : [undefined])).chain((kind) => {
    const context = {
      now: when.now,
      zone: utc,
      subject: "",
      topics: [{ name: "times", aliases: [], about: "" }],
      kind,
    };
    const parts = [...all, ...options]
      .filter(({ member }) => member !== "kind")
      .map(({ word, value, required }) => {
        const offered = value.complete(context).map(([text]) => text);
        const isAny = value.parse("any text", context).ok && !value.distinctive;
        const text = fc.constantFrom(value.example, ...offered).map((one) => (value.list ? one : writeText(one)));
        const typed = (isAny ? anyText.map(writeText) : text).map((one) => `${word}:${one}`);
        return required ? typed : fc.option(typed, { nil: "", freq: 2 });
      });
    const filters = kind ? fc.array(anyFilter(kind), { maxLength: 3 }) : fc.constant([]);
    return fc
      .tuple(filters, ...parts)
      .map(([first, ...rest]) => [spec.name, kind, ...first, ...rest].filter(Boolean).join(" "));
  }),
);

function anyFilter(kind: LogKind): fc.Arbitrary<string> {
  return fc.constantFrom(...fieldsOf(kind)).chain(({ name, type, operator, examples }) => {
    const isText = type.is === "text" && type.values === undefined && name !== "channel";
    const value = isText ? anyText.map(writeText) : fc.constantFrom(...examples.map(([text]) => text));
    const sign = fc.constantFrom(...(isText ? [":", "~", "!="] : [type.is === "text" ? ":" : operator, "!="]));
    return fc
      .tuple(fc.constantFrom("", "-"), sign, value)
      .map(([minus, compare, text]) => `${minus}${name}${compare}${text}`);
  });
}

const vocabulary = fc.constantFrom(
  ...language.commands.flatMap(({ name, phrases = [], examples }) => [
    name,
    ...phrases,
    ...examples.map(([text]) => text),
  ]),
  ..."lobby please show which delete logs webhooks since:2h until:1h last:0 as:xml in:demo status>=400 status>400,5 404 failed token revoke channel:*".split(
    " ",
  ),
  ...'* ? help " “x foo:bar for:10m for since 2h ago , constructor __proto__:x toString \u0007 \u202e when:p95>2s'.split(
    " ",
  ),
);

/** Any input that people may type, intentionally or not. */
const anyInput = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.array(fc.oneof({ weight: 6, arbitrary: vocabulary }, anyText), { maxLength: 8 }).map((words) => words.join(" ")),
  fc.array(fc.oneof({ weight: 6, arbitrary: vocabulary }, anyText), { maxLength: 8 }),
);

const acting = language.commands.filter(({ effect }) => effect !== "reads");
const begins = ({ name, aliases = [], phrases = [] }: CommandSpec, typed: string): boolean =>
  [name, ...aliases, ...phrases].some((words) => new RegExp(`^\\s*(?:/?media\\s+)?${words}(?![\\w-])`).test(typed));

/** The command that a text runs, or that is offered instead. */
function outcomeOf(typed: string | readonly string[]) {
  const result = language.parse(typed, when);
  const offered = result.ok ? result : language.parse(result.problem.nearest, when);
  if (!offered.ok) throw new Error(`${JSON.stringify(typed)} is answered with a command that is not understood`);
  return { isOffered: !result.ok, command: offered.command };
}

describe("any input", () => {
  it("parses, or is answered with one harmless line and a command that works", () => {
    const zone = fc.constantFrom(undefined, "Europe/Berlin", "Asia/Kathmandu", "no/where");
    fc.assert(
      fc.property(anyInput, fc.integer({ min: 0, max: 4e12 }), zone, (input, now, timeZone) => {
        const result = language.parse(input, { now, timeZone });
        if (result.ok) return;
        const { reason, nearest } = result.problem;
        expect(isHarmless(reason) && isHarmless(nearest) && reason.length <= 200).toBe(true);
        expect(reason).toMatch(/[.?]$|…$/);
        expect(language.parse(nearest, { now, timeZone }).ok).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it("can be completed and explained without throwing", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), fc.string(), (words, topic) => {
        for (const { text } of language.complete([...words, topic])) {
          expect(text.toLowerCase().startsWith(topic.toLowerCase())).toBe(true);
        }
        expect(language.help(topic).title).not.toBe("");
      }),
    );
  });

  it("makes or deletes only what its own first words name, and acts only on an object", () => {
    const words = fc.array(vocabulary, { maxLength: 3 }).map((some) => some.join(" "));
    const begun = fc.tuple(fc.constantFrom(...acting.map(({ name }) => name)), words).map((both) => both.join(" "));
    let found = 0;
    fc.assert(
      fc.property(fc.oneof(anyInput, begun), (input) => {
        const { isOffered, command } = outcomeOf(input);
        const spec = acting.find(({ name }) => name === command.name);
        if (!spec) return;
        const typed = (typeof input === "string" ? input : input.join(" ")).normalize("NFKC").toLowerCase();
        expect([typed, command.name, begins(spec, typed)]).toEqual([typed, command.name, true]);
        if (isOffered || !spec.isAct) return;
        found += 1;
        const object = Object.keys(command).filter((member) => member !== "name" && member !== "in");
        // The word token alone opens a form; with anything else, it needs a channel.
        if (spec.name !== "token") expect([typed, object]).not.toEqual([typed, []]);
        else expect([typed, "channel" in command]).toEqual([typed, Object.keys(command).length > 1]);
      }),
      // An argument that holds a space is not two words.
      { numRuns: 1000, examples: [[["for:10m", "delivery resend"]]] },
    );
    expect(found).toBeGreaterThan(10);
  });
});

describe("a question after the name of a command that acts", () => {
  const questions = "list ls show check find get status delete who what how new create all any logs webhooks lobby?";

  it.each([...questions.split(" "), "tokens", "LIST", "ｌｉｓｔ"])(
    "%j only reads, except for a channel of that name",
    (word) => {
      for (const name of ["token", "revoke", "disconnect"] as const) {
        for (const typed of [`${name} ${word}`, `${name} ${word} in:demo`, `${name} lobby ${word}`]) {
          const { command } = outcomeOf(typed);
          expect([typed, language.commandNamed(command.name)?.effect]).toEqual([typed, "reads"]);
        }
        const command = { name, channel: word };
        expect(language.parse(`${name} channel:${word}`, when)).toEqual({ ok: true, command });
        expect(language.parse(language.write(command), when)).toEqual({ ok: true, command });
      }
    },
  );
});

describe("a command of the table", () => {
  it("is written as text that means the same, also as separate words", () => {
    let found = 0;
    fc.assert(
      fc.property(anyTyped, (typed) => {
        const result = language.parse(typed, when);
        if (!result.ok) return;
        found += 1;
        const text = language.write(result.command);
        expect(language.parse(text, { now: when.now + 9e9, timeZone: "Asia/Tokyo" })).toEqual(result);
        const cut = splitWords(text);
        expect(
          cut.ok &&
            language.parse(
              cut.words.map(({ raw }) => raw),
              when,
            ),
        ).toEqual(result);
      }),
      { numRuns: 600 },
    );
    expect(found).toBeGreaterThan(200);
  });

  it("keeps every percentage with up to 3 decimals", () => {
    for (let thousandths = 1; thousandths < 100_000; thousandths += 77) {
      const limit = { measure: "failed", limit: thousandths / 100_000, orEqual: true } as const;
      const command = { name: "watch", kind: "api", filters: [], when: limit } as const;
      expect(language.parse(language.write(command), when)).toEqual({ ok: true, command });
    }
  });
});
