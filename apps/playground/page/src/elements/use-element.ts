import type { Entry } from "@media-ops/fake-slack";
import { useEffect, useRef } from "react";
import { isObject, type Json, stringIn } from "../json.js";
import type { Confirmation } from "./confirm.js";
import { useConfirm } from "./confirm.js";
import { initialEntry } from "./entry.js";
import { elementKey, useSurface } from "./surface.js";

/** An element in a block, and how it is called for those who do not see it. */
export interface ElementProps {
  readonly block: Json;
  readonly element: Json;
  /** Its name, where no label stands beside it. */
  readonly name?: string;
  /** The id that its label points at. */
  readonly id?: string;
  /** The id of its label. */
  readonly labelledBy?: string;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: boolean;
}

/** Until somebody who types has come to an end. */
const TYPED_MS = 700;

/** What stands in an element, and how it is changed: told to the app at once, where it stands in no form. */
export function useElement({ block, element }: ElementProps) {
  const surface = useSurface();
  const confirm = useConfirm();
  const blockId = stringIn(block.block_id);
  const actionId = stringIn(element.action_id);
  const key = elementKey(blockId, actionId);
  const entry = surface.entered.get(key) ?? initialEntry(element);
  const isTold = block.type !== "input" || block.dispatch_action === true;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const tell = (next: Entry): void => {
    clearTimeout(timer.current);
    if (isTold) void surface.choose(blockId, actionId, next);
  };
  return {
    entry,
    isTold,
    /** Only in the page. */
    enter: (next: Entry) => surface.enter(key, next),
    tell,
    /** Told when no more is typed for a while. */
    tellSoon: (next: Entry): void => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => tell(next), TYPED_MS);
    },
    /** Chosen for good, once the person is sure. */
    choose: async (next: Entry): Promise<void> => {
      if (isTold && !(await confirm(confirmationOf(element)))) return;
      surface.enter(key, next);
      tell(next);
    },
    press: async (): Promise<void> => {
      if (await confirm(confirmationOf(element))) await surface.press(blockId, actionId);
    },
    /** A choice that is told and not kept. */
    pick: async (value: string): Promise<void> => {
      if (await confirm(confirmationOf(element))) await surface.choose(blockId, actionId, value);
    },
  };
}

function confirmationOf({ confirm }: Json): Confirmation | undefined {
  return isObject(confirm) ? confirm : undefined;
}
