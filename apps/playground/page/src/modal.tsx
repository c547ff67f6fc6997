import type { SeenView } from "@media-ops/fake-slack";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { isObject } from "../../src/json.js";
import { Blocks } from "./blocks.js";
import { complaintsIn, entriesOf } from "./form.js";
import { type Json, labelIn } from "./json.js";
import { Dialog } from "./parts.js";
import { SlackText } from "./slack-text.js";
import { act, useStage, type WindowAction } from "./stage.js";

const FIRST = ".dialog-body :is(input, select, textarea, button, a), .dialog-foot button:last-child";

/** A modal of the app. */
export function Modal({ view }: { view: SeenView }): ReactNode {
  const { you } = useStage();
  const [refusals, setRefusals] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  const [complaints, setComplaints] = useState<Readonly<Record<string, string>>>({});
  const form = useRef<HTMLFormElement>(null);
  const isTouched = useRef(false);
  const perform = async (action: WindowAction): Promise<void> => {
    const { shownError, error } = await act(you.id, action);
    setTrouble(shownError ?? error);
  };

  // The app may first show a loading modal, and later replace it with a form.
  useEffect(() => {
    if (!isTouched.current) form.current?.querySelector<HTMLElement>(FIRST)?.focus();
  }, [view.blocks]);
  // Repeated identical errors must not move the focus of a person who is typing.
  const errorsJson = JSON.stringify(view.errors);
  useEffect(() => {
    const wrong = form.current?.querySelector(".error")?.closest("[data-input]");
    wrong?.querySelector<HTMLElement>("input, select, textarea")?.focus();
  }, [errorsJson, refusals]);

  const close = (): void => void perform({ do: "close" });
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
    await perform({ do: "submit", view: view.id, entries });
    setBusy(false);
  };
  const touch = (): void => {
    isTouched.current = true;
  };
  return (
    <Dialog title={view.title} onClose={close}>
      <form
        ref={form}
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
          <Blocks
            blocks={view.blocks}
            on={{ kind: "view", id: view.id }}
            errors={{ ...view.errors, ...complaints }}
            perform={perform}
          />
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

/** A confirmation object, and what receives the person's decision. */
export interface Confirmation {
  readonly confirmation: Json;
  readonly answer: (isSure: boolean) => void;
}

/** The dialog in which a person confirms an action. */
export function ConfirmDialog({ confirmation, answer }: Confirmation): ReactNode {
  const { title, text, confirm, deny, style } = confirmation;
  return (
    <Dialog title={labelIn(title)} size="is-small" onClose={() => answer(false)}>
      <div className="dialog-body">{isObject(text) && <SlackText text={text} />}</div>
      <footer className="dialog-foot">
        <button type="button" className="button" onClick={() => answer(false)}>
          {labelIn(deny)}
        </button>
        <button
          type="button"
          className={`button ${style === "danger" ? "is-danger" : "is-primary"}`}
          onClick={() => answer(true)}
        >
          {labelIn(confirm)}
        </button>
      </footer>
    </Dialog>
  );
}
