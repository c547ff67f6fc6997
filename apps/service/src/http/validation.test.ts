import { describe, expect, test } from "vitest";
import { Refusal } from "../refusal.js";
import { bodyValidator } from "./operations.js";

const readEvent = bodyValidator("intake.yaml#/components/schemas/Event");

describe("a text's length is that of its characters, not of its code units:", () => {
  test.each([
    ["one character of two units", "😀", true],
    ["the maximum number", "x".repeat(255), true],
    ["the maximum number, of two units each", "😀".repeat(255), true],
    ["the maximum number, with an unpaired surrogate", `${"😀".repeat(254)}\ud83d`, true],
    ["none", "", false],
    ["one too many", "x".repeat(256), false],
    ["one too many, of two units each", "😀".repeat(256), false],
    ["far too many", "😀".repeat(10_000), false],
  ])("%s", (_, type, isGood) => {
    const read = (): unknown => readEvent({ type, id: "e" });
    if (isGood) expect(read()).toMatchObject({ type });
    else expect(read).toThrow("Must have from 1 to 255 characters.");
  });
});

describe("the faults of a search", () => {
  const readSearch = bodyValidator("media.yaml#/components/schemas/WebhookLogWhere");
  const faultsOf = (where: object): [pointer: string, detail: string][] => {
    try {
      readSearch(where);
    } catch (error) {
      if (error instanceof Refusal) return (error.errors ?? []).map(({ pointer, detail }) => [pointer, detail]);
      throw error;
    }
    return [];
  };
  const textOrTexts = "Must be a string or a list of strings.";

  test.each<[object, [pointer: string, detail: string][]]>([
    [
      { url: { eq: 1 }, type: { like: {} } },
      [
        ["/url/eq", textOrTexts],
        ["/type/like", textOrTexts],
      ],
    ],
    [{ url: { eq: [] } }, [["/url/eq", "Must have from 1 to 100 items."]]],
    [
      { url: { eq: ["a", 1], contains: 2 } },
      [
        ["/url/eq/1", "Must be a string."],
        ["/url/contains", textOrTexts],
      ],
    ],
    [
      { url: { any: [{ eq: {} }, { not: { eq: [null] } }] } },
      [
        ["/url/any/0/eq", textOrTexts],
        ["/url/any/1/not/eq/0", "Must be a string."],
      ],
    ],
  ])("name a value's types once, or what is wrong in it: %j", (where, faults) => {
    expect(faultsOf(where).sort()).toEqual(faults.sort());
  });

  test("in a long list are those of its first items", () => {
    let looks = 0;
    const item = {
      get eq() {
        looks += 1;
        return {};
      },
    };
    const few = faultsOf({ url: { any: Array(150).fill(item) } });
    const looksAtFew = looks;
    expect(few).toHaveLength(101);
    expect(few.slice(0, 2)).toEqual([
      ["/url/any", "Must have from 1 to 100 items."],
      ["/url/any/0/eq", textOrTexts],
    ]);
    expect(faultsOf({ url: { any: Array(2000).fill(item) } })).toEqual(few);
    expect(looks - looksAtFew).toBeLessThan(2 * looksAtFew);
  });
});
