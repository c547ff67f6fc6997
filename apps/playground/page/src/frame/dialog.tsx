import { type ReactNode, type RefObject, type SyntheticEvent, useEffect, useId, useRef } from "react";
import { useFocusBack } from "./focus.js";

interface DialogProps {
  readonly title: string;
  readonly size?: "is-small" | "is-wide";
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly ref?: RefObject<HTMLDialogElement | null>;
}

/** A modal dialog, which stays open until its owner removes it. */
export function Dialog({ title, size, onClose, children, ref }: DialogProps): ReactNode {
  const own = useRef<HTMLDialogElement>(null);
  const dialog = ref ?? own;
  const id = useId();
  useFocusBack();
  useEffect(() => dialog.current?.showModal(), [dialog]);
  const cancel = (event: SyntheticEvent): void => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      className={`dialog ${size ?? ""}`}
      aria-labelledby={id}
      // Browsers close a dialog at the second Escape, even if both cancel events are prevented.
      onKeyDown={(event) => event.key === "Escape" && cancel(event)}
      onCancel={cancel}
    >
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="button is-icon" aria-label="Close the window" onClick={onClose}>
          <span aria-hidden="true">✕</span>
        </button>
      </header>
      {children}
    </dialog>
  );
}
