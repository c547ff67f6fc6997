import type { Entry } from "@media-ops/fake-slack";
import { createContext, useContext, useMemo } from "react";
import type { ActionResult, Surface } from "../../../src/window/protocol.js";
import { isObject, type Json, stringIn } from "../json.js";
import { useStage } from "../state/stage.js";
import { useConfirm } from "./confirm.js";

/** The shared state of all elements in a message, a modal or a home. */
export interface SurfaceState {
  /** Errors by block id. */
  readonly errors: Readonly<Record<string, string>>;
  readonly press: (blockId: string, actionId: string) => Promise<void>;
  readonly choose: (blockId: string, actionId: string, entry: Entry) => Promise<void>;
}

export const SurfaceContext = createContext<SurfaceState | undefined>(undefined);

/** Returns the surface that contains the element. */
export function useSurface(): SurfaceState {
  const surface = useContext(SurfaceContext);
  if (!surface) throw new Error("An element must be inside a SurfaceContext.");
  return surface;
}

const NO_ERRORS = {};

/** Returns handlers that send presses and choices on a surface to the app. */
export function useSurfaceState(
  surface: Surface,
  answered: (result: ActionResult) => void,
  errors: SurfaceState["errors"] = NO_ERRORS,
): SurfaceState {
  const { act } = useStage();
  const id = JSON.stringify(surface);
  return useMemo(() => {
    const on: Surface = JSON.parse(id);
    return {
      errors,
      press: async (blockId, actionId) => answered(await act({ do: "press", on, blockId, actionId })),
      choose: async (blockId, actionId, entry) => answered(await act({ do: "choose", on, blockId, actionId, entry })),
    };
  }, [id, errors, act, answered]);
}

/** An element in a block. */
export interface ElementProps {
  readonly block: Json;
  readonly element: Json;
  /** The attributes of an input's control. Undefined outside inputs. */
  readonly input?: InputProps;
}

/** The attributes that identify, label and validate an input's control. */
interface InputProps {
  readonly id: string;
  readonly name: string;
  readonly required: boolean;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean;
}

/** Returns the actions of an element. They are sent to the app, after the confirmation dialog if there is one. */
export function useElement({ block, element }: ElementProps) {
  const surface = useSurface();
  const confirm = useConfirm();
  const blockId = stringIn(block.block_id);
  const actionId = stringIn(element.action_id);
  const confirmation = isObject(element.confirm) ? element.confirm : undefined;
  return {
    choose: async (entry: Entry): Promise<void> => {
      if (await confirm(confirmation)) await surface.choose(blockId, actionId, entry);
    },
    press: async (): Promise<void> => {
      if (await confirm(confirmation)) await surface.press(blockId, actionId);
    },
  };
}
