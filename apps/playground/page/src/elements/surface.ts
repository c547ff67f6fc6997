import type { Entry } from "@media-ops/fake-slack";
import { createContext, useCallback, useContext, useMemo, useState } from "react";
import type { DeedAnswer, Surface } from "../../../src/window/protocol.js";
import { useStage } from "../state/stage.js";

/** What the elements of a message, a modal or a home share: where they stand, and what has been entered into them. */
export interface SurfaceState {
  readonly surface: Surface;
  readonly entered: ReadonlyMap<string, Entry>;
  readonly enter: (key: string, entry: Entry) => void;
  /** What is wrong, by the block's id. */
  readonly errors: Readonly<Record<string, string>>;
  readonly press: (blockId: string, actionId: string) => Promise<DeedAnswer>;
  readonly choose: (blockId: string, actionId: string, entry: Entry) => Promise<DeedAnswer>;
}

export const SurfaceContext = createContext<SurfaceState | undefined>(undefined);

export function useSurface(): SurfaceState {
  const surface = useContext(SurfaceContext);
  if (!surface) throw new Error("An element stands on no surface.");
  return surface;
}

export function elementKey(blockId: string, actionId: string): string {
  return JSON.stringify([blockId, actionId]);
}

const NOTHING: ReadonlyMap<string, Entry> = new Map();
const NO_ERRORS = {};

interface SurfaceOptions {
  readonly errors?: Readonly<Record<string, string>>;
  /** When this becomes another, what was entered is forgotten. */
  readonly of?: unknown;
  readonly answered?: (answer: DeedAnswer) => void;
}

/** Keeps what is entered into a surface for as long as it stands there. */
export function useSurfaceState(
  surface: Surface,
  { errors = NO_ERRORS, of, answered }: SurfaceOptions = {},
): SurfaceState {
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
    const told = async (answer: Promise<DeedAnswer>): Promise<DeedAnswer> => {
      answered?.(await answer);
      return answer;
    };
    return {
      surface: on,
      entered,
      enter,
      errors,
      press: (blockId, actionId) => told(act({ do: "press", on, blockId, actionId })),
      choose: (blockId, actionId, entry) => told(act({ do: "choose", on, blockId, actionId, entry })),
    };
  }, [on, entered, enter, errors, act, answered]);
}
