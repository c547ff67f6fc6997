import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkBlocks, type Surface } from "../index.js";
import { blocks } from "../test/blocks.js";
import { elements } from "../test/elements.js";
import { places } from "../test/places.js";
import { plain } from "../test/texts.js";

const ok = { ok: true };

/** Where a block or an element is shown; all others are shown everywhere. */
const surfacesOf: Readonly<Record<string, Surface[]>> = {
  alert: ["modal"],
  carousel: ["message", "home"],
  container: ["message", "home"],
  context_actions: ["message"],
  data_table: ["message"],
  data_visualization: ["message"],
  file: ["message"],
  markdown: ["message"],
  plan: ["message"],
  table: ["message"],
  task_card: ["message"],

  datetimepicker: ["message", "modal"],
  email_text_input: ["modal"],
  feedback_buttons: ["message"],
  file_input: ["modal"],
  icon_button: ["message"],
  number_input: ["modal"],
  rich_text_input: ["modal", "home"],
  url_text_input: ["modal"],
  workflow_button: ["message"],
};
const surfaces: Surface[] = ["message", "modal", "home"];

/** Blocks that hold an element in each place where it may stand. */
const hosts: Readonly<Record<keyof typeof places, (element: object) => object>> = {
  accessory: (accessory) => ({ type: "section", text: plain(1), accessory }),
  action: (element) => ({ type: "actions", elements: [element] }),
  contextAction: (element) => ({ type: "context_actions", elements: [element] }),
  input: (element) => ({ type: "input", label: plain(1), element }),
};
const hosted = Object.entries(hosts).flatMap(([place, host]) =>
  Object.entries(elements).map(([type, samples]) => ({ type, place, host, samples })),
);
const standsIn = (place: string, type: string): boolean =>
  Object.entries(places).some(([name, types]) => name === place && Object.hasOwn(types, type));

describe("a block", () => {
  for (const [name, { minimal, maximal }] of Object.entries(blocks)) {
    const type = name.split(" ")[0] ?? name;
    for (const surface of surfaces) {
      const isShown = (surfacesOf[type] ?? surfaces).includes(surface);
      it(`${name} is ${isShown ? "taken" : "refused"} in a ${surface}`, () => {
        const pointer = surface === "message" ? "/blocks/0/type" : "/view/blocks/0/type";
        const answer = isShown ? ok : { errors: [`unsupported type: ${type} [json-pointer:${pointer}]`] };
        expect(checkBlocks([minimal], surface)).toMatchObject(answer);
        expect(checkBlocks([maximal], surface)).toMatchObject(answer);
      });
    }
  }
});

describe("an element", () => {
  it.each(hosted)("$type as $place is taken where it may stand", ({ type, place, host, samples }) => {
    for (const surface of surfaces) {
      const isShown = standsIn(place, type) && (surfacesOf[type] ?? surfaces).includes(surface);
      if (place === "contextAction" && surface !== "message") continue;
      const answer = isShown ? ok : { errors: [expect.stringMatching(`^unsupported type: ${type} .*/type]$`)] };
      expect(checkBlocks([host(samples.minimal)], surface)).toMatchObject(answer);
      expect(checkBlocks([host(samples.maximal)], surface)).toMatchObject(answer);
    }
  });
});

describe("checkBlocks", () => {
  it("answers as chat.postMessage does", () => {
    expect(checkBlocks([{ type: "header", text: plain(151) }, { type: "foo" }], "message")).toStrictEqual({
      ok: false,
      error: "invalid_blocks",
      errors: [
        "must be less than 151 characters [json-pointer:/blocks/0/text/text]",
        "unsupported type: foo [json-pointer:/blocks/1/type]",
      ],
      response_metadata: {
        messages: [
          "[ERROR] must be less than 151 characters [json-pointer:/blocks/0/text/text]",
          "[ERROR] unsupported type: foo [json-pointer:/blocks/1/type]",
        ],
      },
    });
  });

  it.each(["modal", "home"] as const)("answers as the methods for views do about a %s", (surface) => {
    for (const wrong of [[{ type: "section" }], "[]", [1]]) {
      expect(checkBlocks(wrong, surface)).toMatchObject({
        ok: false,
        error: "invalid_arguments",
        errors: [expect.stringMatching(/ \[json-pointer:\/view\/blocks(\/0)?]$/)],
      });
    }
  });

  it.each([
    ["nothing", undefined, "must provide an array [json-pointer:/blocks]"],
    ["null", null, "must provide an array [json-pointer:/blocks]"],
    ["JSON", "[]", "must provide an array [json-pointer:/blocks]"],
    ["an object of blocks", { blocks: [] }, "must provide an array [json-pointer:/blocks]"],
    ["a text among blocks", [{ type: "divider" }, "divider"], "must provide an object [json-pointer:/blocks/1]"],
    ["a list among blocks", [[{ type: "divider" }]], "must provide an object [json-pointer:/blocks/0]"],
    ["a hole among blocks", [undefined], "must provide an object [json-pointer:/blocks/0]"],
  ])("says invalid_blocks_format of %s", (_, given, error) => {
    expect(checkBlocks(given, "message")).toMatchObject({ error: "invalid_blocks_format", errors: [error] });
  });

  it.each([
    ["message", 50, "no more than 50 items allowed [json-pointer:/blocks]"],
    ["modal", 100, "no more than 100 items allowed [json-pointer:/view/blocks]"],
    ["home", 100, "no more than 100 items allowed [json-pointer:/view/blocks]"],
  ] as const)("takes in a %s up to %i blocks", (surface, most, error) => {
    expect(checkBlocks([], surface)).toEqual(ok);
    expect(checkBlocks(Array(most).fill({ type: "divider" }), surface)).toEqual(ok);
    expect(checkBlocks(Array(most + 1).fill({ type: "divider" }), surface)).toMatchObject({ errors: [error] });
  });

  it("counts characters as UTF-16 does, so that what fits here fits by any count", () => {
    const header = (text: string) => [{ type: "header", text: { type: "plain_text", text } }];
    expect(checkBlocks(header("🎥".repeat(75)), "message")).toEqual(ok);
    expect(checkBlocks(header("🎥".repeat(76)), "message")).toMatchObject({ ok: false });
    expect(checkBlocks(header("é".repeat(150)), "message")).toEqual(ok);
  });

  it("takes fields that are undefined for such as are not there", () => {
    expect(checkBlocks([{ type: "divider", block_id: undefined, foo: undefined }], "message")).toEqual(ok);
    expect(checkBlocks([{ type: "header", text: undefined }], "message")).toMatchObject({
      errors: ["missing required field: text [json-pointer:/blocks/0]"],
    });
  });

  it("does not change what it is given", () => {
    const before = structuredClone(blocks);
    for (const { maximal } of Object.values(blocks)) checkBlocks([maximal], "message");
    expect(blocks).toEqual(before);
  });

  it("stands anything", () => {
    const typed = fc.record({ type: fc.constantFrom(...Object.values(blocks).map(({ minimal }) => typeOf(minimal))) });
    const anyBlock = fc.tuple(fc.object(), typed).map(([fields, { type }]) => ({ ...fields, type }));
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.array(anyBlock)), fc.constantFrom(...surfaces), (given, surface) => {
        const answer = checkBlocks(given, surface);
        expect(answer.ok || answer.errors.length > 0).toBe(true);
      }),
    );
  });
});

function typeOf(block: object): unknown {
  return "type" in block ? block.type : undefined;
}
