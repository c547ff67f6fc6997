import { describe, expect, it } from "vitest";
import { Refusal } from "../refusal.js";
import { escapePointer, parseJsonBody } from "./operations.js";

function faultsOf(body: string | Uint8Array): Refusal["errors"] {
  try {
    parseJsonBody(Buffer.from(body));
  } catch (error) {
    if (error instanceof Refusal) return error.errors;
    throw error;
  }
  return undefined;
}

describe("a JSON body", () => {
  it.each([
    ["{}", {}],
    ["null", null],
    ["0", 0],
    ['"a"', "a"],
    [' \n{"a":[1,{"b":[]}],"c":"}"}\t', { a: [1, { b: [] }], c: "}" }],
    ["\ufeff{}", {}],
    ['{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}', { a: { a: { a: 1 } }, b: [{ a: 1 }, { a: 2 }] }],
    ['{"a":"\\"a\\":1,\\\\","b":"a"}', { a: '"a":1,\\', b: "a" }],
    ['["a","a","a"]', ["a", "a", "a"]],
    ['{"a":"a","b":{"c":"a"},"":""}', { a: "a", b: { c: "a" }, "": "" }],
    ['{"é":1,"e\u0301":2}', { é: 1, "e\u0301": 2 }],
  ])("is read: %s", (body, value) => {
    expect(parseJsonBody(Buffer.from(body))).toEqual(value);
  });

  it("without bytes is undefined", () => {
    expect(parseJsonBody(Buffer.alloc(0))).toBeUndefined();
  });

  it.each([" ", "\n", "\r\n\t ", "\ufeff", "\ufeff \n"])("that is blank is refused: %j", (body) => {
    const detail = "Must be JSON, but is blank. Send {} or no body at all.";
    expect(faultsOf(body)).toEqual([{ pointer: "", detail }]);
  });

  it.each(["\u00a0", "\v", "\f", "\u2028", "\ufeff\ufeff", "\0"])("of non-JSON white space is broken: %j", (body) => {
    expect(faultsOf(body)).toMatchObject([{ pointer: "" }]);
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
    expect(faultsOf(body)).toEqual([{ pointer: "", detail: `Must be JSON, but ${end}` }]);
  });

  it.each(['{"a": secret}', "secret", '{"secret', "[secret, secret]", '"secret\n"'])(
    "that is malformed is not repeated in the refusal: %j",
    (body) => {
      expect(JSON.stringify(faultsOf(body))).not.toMatch(/secret/);
      expect(faultsOf(body)).toMatchObject([
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
    expect(faultsOf(body)?.map(({ pointer }) => pointer)).toEqual([""]);
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
    expect(faultsOf(body)).toEqual(pointers.map((pointer) => ({ pointer, detail: "Must occur only once." })));
  });

  it.each([
    ["[", "", "]", "/0"],
    ['{"a":', "1", "}", "/a"],
  ])("may be nested 32 levels deep, and no deeper: %s", (open, innermost, close, step) => {
    const nested = (levels: number): string => open.repeat(levels) + innermost + close.repeat(levels);
    expect(faultsOf(nested(32))).toBeUndefined();
    for (const levels of [33, 10_000]) {
      const detail = "Must not be nested deeper than 32 levels.";
      expect(faultsOf(nested(levels))).toEqual([{ pointer: step.repeat(32), detail }]);
    }
  });

  it("may have a number of values, and no more", () => {
    const parse = (values: number) => () => parseJsonBody(Buffer.from(`{"a":[${Array(values).fill(1)}]}`), 1000);
    expect(parse(1000)).not.toThrow();
    expect(parse(1001)).toThrow("Must have at most 1000 values in all.");
  });

  it("is searched for one fault more than a problem lists", () => {
    const body = `{"${"~".repeat(32_000)}":{${'"":0,'.repeat(6000)}"":0}}`;
    expect(faultsOf(body)).toHaveLength(101);
  });
});

it.each([
  ["", ""],
  ["a", "a"],
  ["/", "~1"],
  ["~", "~0"],
  ["~1", "~01"],
  ["a/b~c", "a~1b~0c"],
])("the name %j is escaped as %j in a JSON pointer", (name, escaped) => {
  expect(escapePointer(name)).toBe(escaped);
});
