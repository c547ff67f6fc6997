import type { SeenView } from "@media-ops/fake-slack";
import { type ReactNode, useCallback } from "react";
import type { DeedAnswer } from "../../../src/window/protocol.js";
import { Blocks } from "../blocks/blocks.js";
import { SurfaceContext, useSurfaceState } from "../elements/surface.js";
import { useStage } from "../state/stage.js";

/** The app's own page for one person. */
export function Home({ view }: { view: SeenView | null }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse.
    <div className="conversation home" tabIndex={0}>
      {view ? <HomeView view={view} /> : <p className="muted">The app is asked for its home …</p>}
    </div>
  );
}

function HomeView({ view }: { view: SeenView }): ReactNode {
  const { report } = useStage();
  const answered = useCallback((answer: DeedAnswer) => report(answer), [report]);
  const surface = useSurfaceState({ kind: "view", id: view.id }, { of: view.blocks, answered });
  return (
    <SurfaceContext value={surface}>
      <Blocks blocks={view.blocks} />
    </SurfaceContext>
  );
}
