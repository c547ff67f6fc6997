import { describe, expect, it } from "vitest";
import { tooLong } from "../test/errors.js";
import { modal, plain, section } from "../test/views.js";
import { checkView } from "./check-view.js";

const errorsOf = (view: unknown, surface: "modal" | "home" = "modal"): string[] => {
  const answer = checkView(view, surface);
  return answer.ok ? [] : answer.errors;
};

const { submit: _, ...withoutSubmit } = modal();
const long = (length: number): string => "x".repeat(length);

describe("a modal", () => {
  it("is taken with all that it may have", () => {
    const view = modal({
      title: plain(long(24)),
      submit: plain(long(24)),
      close: plain(long(24)),
      callback_id: long(255),
      external_id: long(255),
      private_metadata: long(3000),
      notify_on_close: true,
      clear_on_close: true,
    });
    expect(errorsOf(view)).toEqual([]);
  });

  it.each([
    ["title", plain(long(25)), `${tooLong(24)} [json-pointer:/view/title/text]`],
    ["submit", plain(long(25)), `${tooLong(24)} [json-pointer:/view/submit/text]`],
    ["close", plain(long(25)), `${tooLong(24)} [json-pointer:/view/close/text]`],
    ["callback_id", long(256), `${tooLong(255)} [json-pointer:/view/callback_id]`],
    ["external_id", long(256), `${tooLong(255)} [json-pointer:/view/external_id]`],
    ["private_metadata", long(3001), `${tooLong(3000)} [json-pointer:/view/private_metadata]`],
    ["type", "home", "must be a valid enum value [json-pointer:/view/type]"],
    ["title", undefined, "missing required field: title [json-pointer:/view]"],
    ["blocks", undefined, "missing required field: blocks [json-pointer:/view]"],
    ["colour", "red", "invalid additional property: colour [json-pointer:/view]"],
    [
      "blocks",
      Array.from({ length: 101 }, () => section("x")),
      "no more than 100 items allowed [json-pointer:/view/blocks]",
    ],
  ])("is refused with this %s: %j", (name, value, error) => {
    expect(errorsOf({ ...modal(), [name]: value })).toEqual([error]);
  });

  it("needs a button where something is entered, and only there", () => {
    expect(errorsOf(withoutSubmit)).toEqual([
      "missing required field: submit, as there is an input block [json-pointer:/view]",
    ]);
    expect(errorsOf({ ...withoutSubmit, blocks: [section("x")] })).toEqual([]);
  });

  it("may leave fields null", () => {
    expect(errorsOf({ ...modal(), close: null, external_id: null })).toEqual([]);
  });

  it("is an object", () => {
    expect(errorsOf("view")).toEqual(["must provide an object [json-pointer:/view]"]);
  });

  it("may not use a block's id twice", () => {
    const twice = [1, 2].map(() => ({ ...section("x"), block_id: "same" }));
    expect(errorsOf(modal({ blocks: twice }))).toEqual([
      '`block_id` "same" already exists [json-pointer:/view/blocks/1/block_id]',
    ]);
  });
});

describe("a home", () => {
  it("is taken without a title", () => {
    expect(errorsOf({ type: "home", blocks: [section("x")] }, "home")).toEqual([]);
  });

  it("is refused with one", () => {
    expect(errorsOf({ type: "home", title: plain("x"), blocks: [] }, "home")).toEqual([
      "invalid additional property: title [json-pointer:/view]",
    ]);
  });
});
