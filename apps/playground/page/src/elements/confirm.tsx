import { createContext, type ReactNode, useCallback, useContext, useEffect, useId, useRef, useState } from "react";
import { useFocusBack } from "../frame/focus.js";
import { isObject, type Json, labelIn } from "../json.js";
import { SlackText } from "../text/slack-text.js";

/** The content of a confirmation dialog. */
type Confirmation = Json;

type Ask = (confirmation: Confirmation | undefined) => Promise<boolean>;

const ConfirmContext = createContext<Ask>(() => Promise.resolve(true));

/** Asks for confirmation; resolves to true at once if there is nothing to ask. */
export function useConfirm(): Ask {
  return useContext(ConfirmContext);
}

interface Question {
  readonly confirmation: Confirmation;
  readonly answer: (isSure: boolean) => void;
}

/** Shows the confirmation dialogs of its children. */
export function Confirming({ children }: { children: ReactNode }): ReactNode {
  const [question, setQuestion] = useState<Question>();
  const ask = useCallback<Ask>((confirmation) => {
    if (!confirmation) return Promise.resolve(true);
    return new Promise((resolve) => {
      const answer = (isSure: boolean): void => {
        setQuestion(undefined);
        resolve(isSure);
      };
      setQuestion({ confirmation, answer });
    });
  }, []);
  return (
    <ConfirmContext value={ask}>
      {children}
      {question && <ConfirmDialog {...question} />}
    </ConfirmContext>
  );
}

function ConfirmDialog({ confirmation, answer }: Question): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useFocusBack();
  useEffect(() => dialog.current?.showModal(), []);
  const { text, style } = confirmation;
  return (
    <dialog
      ref={dialog}
      className="dialog is-small"
      aria-labelledby={`${id}-title`}
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        event.stopPropagation();
        answer(false);
      }}
    >
      <header className="dialog-head">
        <h2 id={`${id}-title`}>{labelIn(confirmation.title)}</h2>
      </header>
      <div className="dialog-body">{isObject(text) && <SlackText text={text} />}</div>
      <footer className="dialog-foot">
        <button type="button" className="button" onClick={() => answer(false)}>
          {labelIn(confirmation.deny) || "Cancel"}
        </button>
        <button
          type="button"
          className={`button ${style === "danger" ? "is-danger" : "is-primary"}`}
          onClick={() => answer(true)}
        >
          {labelIn(confirmation.confirm) || "Yes"}
        </button>
      </footer>
    </dialog>
  );
}
