import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Refusal } from "../refusal.js";
import { bodyValidator, collectBody, parseJsonBody } from "./operations.js";

/** The faults for which a reader refuses its input. */
function faultsOf(read: () => unknown): Refusal["errors"] {
  try {
    read();
  } catch (error) {
    if (error instanceof Refusal) return error.errors;
    throw error;
  }
  return undefined;
}

const jsonFaults = (body: string | Uint8Array) => faultsOf(() => parseJsonBody(Buffer.from(body)));

describe("a JSON body", () => {
  it.each([
    ["{}", {}],
    ["null", null],
    ['"a"', "a"],
    [' \n{"a":[1,{"b":[]}],"c":"}"}\t', { a: [1, { b: [] }], c: "}" }],
    ["\ufeff{}", {}],
    ['{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}', { a: { a: { a: 1 } }, b: [{ a: 1 }, { a: 2 }] }],
    ['{"a":"\\"a\\":1,\\\\","b":"a"}', { a: '"a":1,\\', b: "a" }],
    ['{"é":1,"e\u0301":2}', { é: 1, "e\u0301": 2 }],
  ])("is read: %s", (body, value) => {
    expect(parseJsonBody(Buffer.from(body))).toEqual(value);
  });

  it("without bytes is undefined", () => {
    expect(parseJsonBody(Buffer.alloc(0))).toBeUndefined();
  });

  it.each([" ", "\n", "\r\n\t ", "\ufeff", "\ufeff \n"])("that is blank is refused: %j", (body) => {
    const detail = "Must be JSON, but is blank. Send {} or no body at all.";
    expect(jsonFaults(body)).toEqual([{ pointer: "", detail }]);
  });

  it.each(["\u00a0", "\v", "\f", "\u2028", "\ufeff\ufeff", "\0"])("of non-JSON white space is broken: %j", (body) => {
    expect(jsonFaults(body)).toMatchObject([{ pointer: "" }]);
  });

  it("with a member named __proto__ becomes an object with that member, and no other", () => {
    const value = parseJsonBody(Buffer.from('{"__proto__":{"role":"recvonly"}}'));
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(value).not.toHaveProperty("role");
  });

  it.each([
    ['{"a":', "it ends too early."],
    ['{"a" 1}', "it has an unexpected character at position 6."],
    ['{"a":1} x', "it has an unexpected character at position 9."],
  ])("that is malformed is refused with the position: %s", (body, end) => {
    expect(jsonFaults(body)).toEqual([{ pointer: "", detail: `Must be JSON, but ${end}` }]);
  });

  it.each(['{"a": secret}', "secret", '{"secret', "[secret, secret]", '"secret\n"'])(
    "that is malformed is not repeated in the refusal: %j",
    (body) => {
      expect(JSON.stringify(jsonFaults(body))).not.toMatch(/secret/);
      expect(jsonFaults(body)).toMatchObject([
        { pointer: "", detail: expect.stringMatching(/^Must be JSON, but .*\.$/) },
      ]);
    },
  );

  it.each([
    Buffer.from("{}", "utf16le"),
    Buffer.from('{"a":"\xe9"}', "latin1"),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
    Buffer.from([0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]),
    Buffer.from([0x22, 0xe2, 0x82]),
  ])("that is not UTF-8 is refused (%#)", (body) => {
    expect(jsonFaults(body)?.map(({ pointer }) => pointer)).toEqual([""]);
  });

  it.each([
    ['{"a":1,"a":1}', ["/a"]],
    ['{"a":1,"\\u0061":1}', ["/a"]],
    ['{"a":1,"a":1,"a":1}', ["/a", "/a"]],
    ['{"a":{"b":[0,{"c":1,"c":2}]}}', ["/a/b/1/c"]],
    ['[{"a":1},{"a":1,"a":2}]', ["/1/a"]],
    ['{"/":1,"/":1,"~":1,"~":1,"~1":1,"~1":1}', ["/~1", "/~0", "/~01"]],
    ['{"":{"":1,"":1}}', ["//"]],
    ['{"a":{"x":1},"b":{"x":1},"a":{"x":1}}', ["/a"]],
    ['{"__proto__":1,"__proto__":1}', ["/__proto__"]],
    ['{"a":[],"a":{}}', ["/a"]],
    ['{"a":{"b":1},"b":1,"b":1}', ["/b"]],
  ])("with a duplicate member is refused with its position: %s", (body, pointers) => {
    expect(jsonFaults(body)).toEqual(pointers.map((pointer) => ({ pointer, detail: "Must occur only once." })));
  });

  it.each([
    ["[", "", "]", "/0"],
    ['{"a":', "1", "}", "/a"],
  ])("may be nested 32 levels deep, and no deeper: %s", (open, innermost, close, step) => {
    const nested = (levels: number): string => open.repeat(levels) + innermost + close.repeat(levels);
    expect(jsonFaults(nested(32))).toBeUndefined();
    for (const levels of [33, 10_000]) {
      const detail = "Must not be nested deeper than 32 levels.";
      expect(jsonFaults(nested(levels))).toEqual([{ pointer: step.repeat(32), detail }]);
    }
  });

  it("may have a number of values, and no more", () => {
    const parse = (values: number) => () => parseJsonBody(Buffer.from(`{"a":[${Array(values).fill(1)}]}`), 1000);
    expect(parse(1000)).not.toThrow();
    expect(parse(1001)).toThrow("Must have at most 1000 values in all.");
  });

  it("is searched for one fault more than a problem lists", () => {
    const body = `{"${"~".repeat(32_000)}":{${'"":0,'.repeat(6000)}"":0}}`;
    expect(jsonFaults(body)).toHaveLength(101);
  });
});

const MAX_BYTES = 2 ** 20;

/** Collects a body that arrives in these chunks, with a content-length or without. */
function arrive(chunks: readonly Buffer[], isLengthKnown = true): Promise<Buffer> {
  const request = new IncomingMessage(new Socket());
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (isLengthKnown) request.headers = { "content-length": String(length) };
  const collected = collectBody(request, MAX_BYTES);
  for (const chunk of chunks) request.push(chunk);
  request.push(null);
  return collected;
}

const bytes = (text: string): Buffer[] => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

it.each([
  ["in one chunk", [Buffer.from("abc")]],
  ["byte by byte", bytes("abc")],
  ["in a large chunk and a small one", [Buffer.from("ab"), Buffer.from("c")]],
  ["in growing chunks", [Buffer.from("a"), Buffer.from("bc")]],
])("a body that arrives %s is collected whole", async (_, chunks) => {
  expect((await arrive(chunks)).toString()).toBe("abc");
  expect((await arrive(chunks, false)).toString()).toBe("abc");
});

it("128 KiB that arrive byte by byte cost as much in one body as in 128 bodies", async () => {
  const [bodies, size] = [128, 1024];
  const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const ratios: number[] = [];
  const small = bytes("x".repeat(size));
  const large = bytes("x".repeat(bodies * size));
  for (let round = 0; round < 2; round++) {
    const inMany = await cpuOf(() => Promise.all(Array.from({ length: bodies }, () => arrive(small))));
    for (const isLengthKnown of [true, false]) ratios.push((await cpuOf(() => arrive(large, isLengthKnown))) / inMany);
  }
  // If each byte copied all bytes before it, the cost would be more than tenfold.
  for (const at of [0, 1]) expect(Math.min(ratios[at] ?? 0, ratios[at + 2] ?? 0)).toBeLessThan(4);
});

const readEvent = bodyValidator("intake.yaml#/components/schemas/Event");

describe("a text's length is that of its characters, not of its code units:", () => {
  it.each([
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
  const searchFaults = (where: object) =>
    (faultsOf(() => readSearch(where)) ?? []).map(({ pointer, detail }): [string, string] => [pointer, detail]);
  const textOrTexts = "Must be a string or a list of strings.";

  it.each<[object, [pointer: string, detail: string][]]>([
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
    expect(searchFaults(where).sort()).toEqual(faults.sort());
  });

  it("in a long list are those of its first items", () => {
    let looks = 0;
    const item = {
      get eq() {
        looks += 1;
        return {};
      },
    };
    const few = searchFaults({ url: { any: Array(150).fill(item) } });
    const looksAtFew = looks;
    expect(few).toHaveLength(101);
    expect(few.slice(0, 2)).toEqual([
      ["/url/any", "Must have from 1 to 100 items."],
      ["/url/any/0/eq", textOrTexts],
    ]);
    expect(searchFaults({ url: { any: Array(2000).fill(item) } })).toEqual(few);
    expect(looks - looksAtFew).toBeLessThan(2 * looksAtFew);
  });
});
