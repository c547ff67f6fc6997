import type { Entry } from "@media-ops/fake-slack";
import { createContext, useCallback, useContext, useMemo, useState } from "react";
import type { ActionResult, Surface } from "../../../src/window/protocol.js";
import { isObject, type Json, stringIn } from "../json.js";
import { useStage } from "../state/stage.js";
import { useConfirm } from "./confirm.js";
import { elementKey, initialEntry } from "./form.js";

/** The state that the elements of a message, a modal or a home share. */
export interface SurfaceState {
  readonly entered: ReadonlyMap<string, Entry>;
  readonly enter: (key: string, entry: Entry) => void;
  /** Errors by block id. */
  readonly errors: Readonly<Record<string, string>>;
  readonly press: (blockId: string, actionId: string) => Promise<void>;
  readonly choose: (blockId: string, actionId: string, entry: Entry) => Promise<void>;
}

export const SurfaceContext = createContext<SurfaceState | undefined>(undefined);

export function useSurface(): SurfaceState {
  const surface = useContext(SurfaceContext);
  if (!surface) throw new Error("An element must be inside a SurfaceContext.");
  return surface;
}

const NOTHING: ReadonlyMap<string, Entry> = new Map();
const NO_ERRORS = {};

interface SurfaceOptions {
  readonly errors?: Readonly<Record<string, string>>;
  /** When this changes, all entries are discarded. */
  readonly of?: unknown;
  readonly answered: (result: ActionResult) => void;
}

/** Keeps the entries of a surface. */
export function useSurfaceState(surface: Surface, { errors = NO_ERRORS, of, answered }: SurfaceOptions): SurfaceState {
  const { act } = useStage();
  const [kept, keep] = useState({ of, entered: NOTHING });
  const entered = kept.of === of ? kept.entered : NOTHING;
  const enter = useCallback(
    (key: string, entry: Entry) =>
      keep((before) => ({ of, entered: new Map(before.of === of ? before.entered : NOTHING).set(key, entry) })),
    [of],
  );
  const id = JSON.stringify(surface);
  return useMemo(() => {
    const on: Surface = JSON.parse(id);
    return {
      entered,
      enter,
      errors,
      press: async (blockId, actionId) => answered(await act({ do: "press", on, blockId, actionId })),
      choose: async (blockId, actionId, entry) => answered(await act({ do: "choose", on, blockId, actionId, entry })),
    };
  }, [id, entered, enter, errors, act, answered]);
}

/** An element in a block. */
export interface ElementProps {
  readonly block: Json;
  readonly element: Json;
  /** The attributes of an input's control; outside of inputs there are none. */
  readonly input?: InputProps;
}

/** How the control of an input is labelled and checked. */
export interface InputProps {
  readonly id: string;
  readonly required: boolean;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

/** The entry of an element, and how to change it. Outside of inputs, changes are sent to the app. */
export function useElement({ block, element, input }: ElementProps) {
  const surface = useSurface();
  const confirm = useConfirm();
  const blockId = stringIn(block.block_id);
  const actionId = stringIn(element.action_id);
  const key = elementKey(blockId, actionId);
  const isConfirmed = (): Promise<boolean> => confirm(isObject(element.confirm) ? element.confirm : undefined);

  return {
    entry: surface.entered.get(key) ?? initialEntry(element),
    /** Changes the entry, and sends it, after the confirmation dialog if there is one. */
    enter: async (next: Entry): Promise<void> => {
      if (!input && !(await isConfirmed())) return;
      surface.enter(key, next);
      // Slack sends no empty choice.
      if (!input && next !== "") await surface.choose(blockId, actionId, next);
    },
    press: async (): Promise<void> => {
      if (await isConfirmed()) await surface.press(blockId, actionId);
    },
  };
}
