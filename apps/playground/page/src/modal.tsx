import type { SeenView } from "@media-ops/fake-slack";
import { type FormEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ActionResult } from "../../src/window/protocol.js";
import { Blocks } from "./blocks/blocks.js";
import { complaintsIn, entriesOf } from "./elements/form.js";
import { SurfaceContext, useSurfaceState } from "./elements/surface.js";
import { Dialog } from "./frame/dialog.js";
import { useStage } from "./state/stage.js";

const FIRST = ".dialog-body :is(input, select, textarea, button, a), .dialog-foot button:last-child";

/** A modal of the app. */
export function Modal({ view }: { view: SeenView }): ReactNode {
  const { act, you } = useStage();
  const [refusals, setRefusals] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  const [complaints, setComplaints] = useState<Readonly<Record<string, string>>>({});
  const dialog = useRef<HTMLDialogElement>(null);
  const isTouched = useRef(false);

  const answered = useCallback(({ shownError, error }: ActionResult) => setTrouble(shownError ?? error), []);
  const errors = useMemo(() => ({ ...view.errors, ...complaints }), [view.errors, complaints]);
  const surface = useSurfaceState({ kind: "view", id: view.id }, answered, errors);

  // The app may first show a loading modal, and later replace it with a form.
  useEffect(() => {
    if (!isTouched.current) dialog.current?.querySelector<HTMLElement>(FIRST)?.focus();
  }, [view.blocks]);
  // Repeated identical errors must not move the focus of a person who is typing.
  const errorsJson = JSON.stringify(view.errors);
  useEffect(() => {
    const wrong = dialog.current?.querySelector(".error")?.closest("[data-input]");
    wrong?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  }, [errorsJson, refusals]);

  const close = (): void => void act({ do: "close" }).then(answered);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isBusy || view.submit === undefined) return;
    setTrouble(undefined);
    const found = complaintsIn(event.currentTarget);
    setComplaints(found);
    if (Object.keys(found).length > 0) {
      setRefusals(refusals + 1);
      return;
    }
    setBusy(true);
    const entries = entriesOf(view.blocks, new FormData(event.currentTarget), you.timeZone);
    answered(await act({ do: "submit", view: view.id, entries }));
    setBusy(false);
  };
  const touch = (): void => {
    isTouched.current = true;
  };
  return (
    <Dialog ref={dialog} title={view.title} onClose={close}>
      <form
        noValidate
        onSubmit={(event) => void submit(event)}
        onChange={({ currentTarget }) => refusals > 0 && setComplaints(complaintsIn(currentTarget))}
        onKeyDownCapture={touch}
        onPointerDownCapture={touch}
      >
        <div className="dialog-body">
          {trouble !== undefined && (
            <div role="alert" className="alert">
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
    </Dialog>
  );
}
