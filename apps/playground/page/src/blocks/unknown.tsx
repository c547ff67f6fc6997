import type { ReactNode } from "react";

/** What stands in the place of something that the page cannot draw. */
export function UnknownBlock({ type }: { type: string }): ReactNode {
  return (
    <div className="unknown">
      Not drawn here: <code>{type || "a block without a type"}</code>
    </div>
  );
}
