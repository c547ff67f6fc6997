import type { SeenView } from "@media-ops/fake-slack";
import type { ReactNode } from "react";
import { Blocks } from "../blocks/blocks.js";
import { SurfaceContext, useSurfaceState } from "../elements/surface.js";
import { useStage } from "../state/stage.js";

/** The app's home. */
export function Home({ view }: { view: SeenView | null }): ReactNode {
  const { report } = useStage();
  const surface = useSurfaceState({ kind: "view", id: view?.id ?? "" }, report);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
    <div className="conversation home" tabIndex={0}>
      <SurfaceContext value={surface}>
        {view ? <Blocks blocks={view.blocks} /> : <p className="muted">Loading the app's home …</p>}
      </SurfaceContext>
    </div>
  );
}
