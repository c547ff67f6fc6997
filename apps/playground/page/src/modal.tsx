import type { SeenView } from "@media-ops/fake-slack";
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { ActionResult } from "../../src/window/protocol.js";
import { Blocks } from "./blocks/blocks.js";
import { complaints, entriesOf } from "./elements/form.js";
import { SurfaceContext, useSurfaceState } from "./elements/surface.js";
import { useFocusBack } from "./frame/focus.js";
import { useStage } from "./state/stage.js";

/** A modal of the app. */
export function Modal({ view }: { view: SeenView }): ReactNode {
  const { act } = useStage();
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  const reportTrouble = ({ shownError, error }: ActionResult): void => setTrouble(shownError ?? error);
  const [answered] = useState(() => reportTrouble);
  const dialog = useRef<HTMLDialogElement>(null);
  const isTouched = useRef(false);
  const id = useId();

  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const [errors, setErrors] = useState(view.errors);
  const surface = useSurfaceState({ kind: "view", id: view.id }, { errors, answered });

  useEffect(
    () => setWrong(isTried ? complaints(view.blocks, surface.entered) : {}),
    [isTried, view.blocks, surface.entered],
  );
  useEffect(() => setErrors({ ...view.errors, ...wrong }), [view.errors, wrong]);
  useFocusBack();
  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal();
  }, []);
  // The app may first show a loading modal, and later replace it by a form.
  useEffect(() => {
    if (!isTouched.current) dialog.current?.querySelector<HTMLElement>(FIRST)?.focus();
  }, [view.blocks]);
  const touch = (): void => {
    isTouched.current = true;
  };
  // The same errors again must not move the focus of a person who is typing.
  const errorsJson = JSON.stringify(view.errors);
  useEffect(() => {
    if (errorsJson !== "{}") focusWrong(dialog.current);
  }, [errorsJson]);

  const close = (): void => {
    void act({ do: "close" }).then(reportTrouble);
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy || view.submit === undefined) return;
    setTried(true);
    setTrouble(undefined);
    if (Object.keys(complaints(view.blocks, surface.entered)).length > 0) {
      // The errors must be rendered first.
      requestAnimationFrame(() => requestAnimationFrame(() => focusWrong(dialog.current)));
      return;
    }
    setBusy(true);
    reportTrouble(await act({ do: "submit", view: view.id, entries: entriesOf(view.blocks, surface.entered) }));
    setBusy(false);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    close();
  };
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={`${id}-title`}
      onKeyDown={onKeyDown}
      onKeyDownCapture={touch}
      onPointerDownCapture={touch}
      onCancel={(event) => event.preventDefault()}
    >
      <form noValidate onSubmit={(event) => void submit(event)}>
        <header className="dialog-head">
          <h2 id={`${id}-title`}>{view.title}</h2>
          <button type="button" className="button is-icon" aria-label="Close the window" onClick={close}>
            <span aria-hidden="true">✕</span>
          </button>
        </header>
        <div className="dialog-body">
          {trouble !== undefined && (
            <div role="alert" className="alert is-error">
              {trouble}
            </div>
          )}
          <SurfaceContext value={surface}>
            <Blocks blocks={view.blocks} />
          </SurfaceContext>
        </div>
        <footer className="dialog-foot">
          <button type="button" className="button" onClick={close}>
            {view.close ?? (view.submit === undefined ? "Close" : "Cancel")}
          </button>
          {view.submit !== undefined && (
            <button type="submit" className="button is-primary" aria-busy={isBusy}>
              {view.submit}
            </button>
          )}
        </footer>
      </form>
    </dialog>
  );
}

const FIRST = ".dialog-body :is(input, select, textarea, summary, button, a), .dialog-foot button:last-child";

function focusWrong(dialog: HTMLDialogElement | null): void {
  const block = dialog?.querySelector(".error")?.closest("[data-input]");
  block?.querySelector<HTMLElement>("input, select, textarea, summary")?.focus();
}
