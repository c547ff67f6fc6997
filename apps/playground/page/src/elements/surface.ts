import type { Entry } from "@media-ops/fake-slack";
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
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
  readonly press: (blockId: string, actionId: string) => Promise<ActionResult>;
  readonly choose: (blockId: string, actionId: string, entry: Entry) => Promise<ActionResult>;
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
  const on = useMemo((): Surface => JSON.parse(id), [id]);
  return useMemo(() => {
    const report = async (result: Promise<ActionResult>): Promise<ActionResult> => {
      answered(await result);
      return result;
    };
    return {
      entered,
      enter,
      errors,
      press: (blockId, actionId) => report(act({ do: "press", on, blockId, actionId })),
      choose: (blockId, actionId, entry) => report(act({ do: "choose", on, blockId, actionId, entry })),
    };
  }, [on, entered, enter, errors, act, answered]);
}

/** An element in a block, and its accessible name. */
export interface ElementProps {
  readonly block: Json;
  readonly element: Json;
  /** The id that its label points at. */
  readonly id?: string;
  /** The id of its label. */
  readonly labelledBy?: string;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: boolean;
}

/** A person who pauses for as long has finished picking a time. */
const PAUSE_MS = 700;

/** The entry of an element, and how to change it. Outside of inputs, changes are sent to the app. */
export function useElement({ block, element }: ElementProps) {
  const surface = useSurface();
  const confirm = useConfirm();
  const blockId = stringIn(block.block_id);
  const actionId = stringIn(element.action_id);
  const key = elementKey(blockId, actionId);
  const isSent = block.type !== "input";
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const isConfirmed = (): Promise<boolean> => confirm(isObject(element.confirm) ? element.confirm : undefined);

  return {
    entry: surface.entered.get(key) ?? initialEntry(element),
    isSent,
    /** Changes the entry on the page alone. */
    enter: (next: Entry) => surface.enter(key, next),
    /** Sends the entry after a pause. */
    sendSoon: (next: Entry): void => {
      clearTimeout(timer.current);
      if (isSent) timer.current = setTimeout(() => void surface.choose(blockId, actionId, next), PAUSE_MS);
    },
    /** Changes and sends the entry, after the confirmation dialog if there is one. */
    choose: async (next: Entry): Promise<void> => {
      if (isSent && !(await isConfirmed())) return;
      surface.enter(key, next);
      if (isSent) void surface.choose(blockId, actionId, next);
    },
    press: async (): Promise<void> => {
      if (await isConfirmed()) await surface.press(blockId, actionId);
    },
  };
}
