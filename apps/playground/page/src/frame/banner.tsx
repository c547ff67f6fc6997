import type { ReactNode } from "react";
import type { Connection } from "../state/connection.js";

/** Says that what is shown may be old. */
export function Banner({ connection }: { connection: Connection }): ReactNode {
  return (
    <div role="status" className="banner-place">
      {connection === "reconnecting" && <div className="banner">Reconnecting…</div>}
      {connection === "stopped" && (
        <div className="banner is-stopped">
          The playground has stopped. Start it again: <code>npx -y pnpm@12 start</code>
        </div>
      )}
    </div>
  );
}
