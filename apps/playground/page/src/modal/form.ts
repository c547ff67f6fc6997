import type { Entry } from "@media-ops/fake-slack";
import { complaint } from "../elements/complaint.js";
import { initialEntry } from "../elements/entry.js";
import { elementKey } from "../elements/surface.js";
import { isObject, type Json, listIn, stringIn } from "../json.js";

type Entered = ReadonlyMap<string, Entry>;

/** What a modal sends: all that stands in its inputs, by the blocks' ids. */
export function entriesOf(blocks: readonly unknown[], entered: Entered): Record<string, Entry> {
  return Object.fromEntries(inputsIn(blocks).map(({ blockId, entry }) => [blockId, entry(entered)]));
}

/** What is to be mended before a modal is sent, by the blocks' ids. */
export function complaints(blocks: readonly unknown[], entered: Entered): Record<string, string> {
  const wrong: Record<string, string> = {};
  for (const { blockId, block, element, entry } of inputsIn(blocks)) {
    const words = complaint(element, entry(entered), { isOptional: block.optional === true });
    if (words !== undefined) wrong[blockId] = words;
  }
  return wrong;
}

interface Input {
  readonly blockId: string;
  readonly block: Json;
  readonly element: Json;
  readonly entry: (entered: Entered) => Entry;
}

function inputsIn(blocks: readonly unknown[]): Input[] {
  return blocks.filter(isObject).flatMap((block): Input[] => {
    const { element } = block;
    if (block.type !== "input" || !isObject(element)) return inputsIn(listIn(block.child_blocks));
    const blockId = stringIn(block.block_id);
    const key = elementKey(blockId, stringIn(element.action_id));
    return [{ blockId, block, element, entry: (entered) => entered.get(key) ?? initialEntry(element) }];
  });
}
