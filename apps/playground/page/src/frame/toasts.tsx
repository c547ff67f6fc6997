import type { ReactNode } from "react";

export interface Toast {
  readonly id: number;
  readonly text: string;
}

/** What could not be done, until it is put away. */
export function Toasts({ toasts, close }: { toasts: readonly Toast[]; close: (id: number) => void }): ReactNode {
  return (
    <div className="toasts">
      {toasts.map(({ id, text }) => (
        <div key={id} role="alert" className="toast">
          {text}
          <button type="button" className="button is-icon" aria-label="Dismiss" onClick={() => close(id)}>
            <span aria-hidden="true">✕</span>
          </button>
        </div>
      ))}
    </div>
  );
}
