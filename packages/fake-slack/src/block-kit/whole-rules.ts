// Rules about all blocks of a message or a view together.
import { fieldOf, itemsOf, lengthOf } from "./json.js";
import type { Place } from "./place.js";
import { checkUnique } from "./shape-rules.js";

const MARKDOWN_CHARACTERS = 12_000;
const CHARTS = 2;

/** A block, be it in another one or not. */
interface PlacedBlock {
  block: unknown;
  place: Place;
}

type WholeRule = (blocks: readonly PlacedBlock[]) => void;

const uniqueBlockIds: WholeRule = (blocks) => {
  checkUnique(
    blocks.map(({ block, place }) => ({ value: fieldOf(block, "block_id"), place: place.at("block_id") })),
    "block_id",
  );
};

const oneTable: WholeRule = (blocks) => {
  for (const { place } of ofType(blocks, "table", "data_table").slice(1)) place.fault("only_one_table_allowed");
};

const fewCharts: WholeRule = (blocks) => {
  for (const { place } of ofType(blocks, "data_visualization").slice(CHARTS)) {
    place.fault(`no more than ${CHARTS} data_visualization blocks allowed`);
  }
};

const shortMarkdown: WholeRule = (blocks) => {
  let characters = 0;
  for (const { block, place } of ofType(blocks, "markdown")) {
    characters += lengthOf(fieldOf(block, "text"));
    if (characters > MARKDOWN_CHARACTERS) {
      return place.at("text").fault(`must be less than ${MARKDOWN_CHARACTERS + 1} characters`);
    }
  }
};

const oneFocus: WholeRule = (blocks) => {
  const focused = blocks.flatMap(elementsOf).filter(({ block }) => fieldOf(block, "focus_on_load") === true);
  for (const { place } of focused.slice(1)) place.at("focus_on_load").fault("only one element may have the focus");
};

const wholeRules = [uniqueBlockIds, oneTable, fewCharts, shortMarkdown, oneFocus];

export function checkWhole(blocks: readonly unknown[], place: Place): void {
  const placed = blocks.flatMap((block, index) => withChildren({ block, place: place.at(index) }));
  for (const rule of wholeRules) rule(placed);
}

/** A container holds blocks, a carousel cards; none of these holds any. */
function withChildren(parent: PlacedBlock): PlacedBlock[] {
  const isCarousel = fieldOf(parent.block, "type") === "carousel";
  return [parent, ...childrenOf(parent, "child_blocks"), ...(isCarousel ? childrenOf(parent, "elements") : [])];
}

function elementsOf(parent: PlacedBlock): PlacedBlock[] {
  const single = ["element", "accessory"].map((name) => ({
    block: fieldOf(parent.block, name),
    place: parent.place.at(name),
  }));
  return [...single, ...childrenOf(parent, "elements")];
}

function childrenOf({ block, place }: PlacedBlock, name: string): PlacedBlock[] {
  return itemsOf(fieldOf(block, name)).map((child, index) => ({ block: child, place: place.at(name, index) }));
}

function ofType(blocks: readonly PlacedBlock[], ...types: unknown[]): PlacedBlock[] {
  return blocks.filter(({ block }) => types.includes(fieldOf(block, "type")));
}
