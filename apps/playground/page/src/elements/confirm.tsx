import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { Dialog } from "../frame/dialog.js";
import { isObject, type Json, labelIn } from "../json.js";
import { SlackText } from "../text/slack-text.js";

/** Shows a confirmation object. Resolves to true immediately if there is none. */
type Ask = (confirmation: Json | undefined) => Promise<boolean>;

const ConfirmContext = createContext<Ask>(() => Promise.resolve(true));

/** Returns a function that requests confirmation of an action. */
export function useConfirm(): Ask {
  return useContext(ConfirmContext);
}

interface Question {
  readonly confirmation: Json;
  readonly answer: (isSure: boolean) => void;
}

/** Shows the confirmation dialogs that its children request. */
export function Confirming({ children }: { children: ReactNode }): ReactNode {
  const [question, setQuestion] = useState<Question>();
  const ask = useCallback<Ask>(async (confirmation) => {
    if (!confirmation) return true;
    const isSure = await new Promise<boolean>((answer) => setQuestion({ confirmation, answer }));
    setQuestion(undefined);
    return isSure;
  }, []);
  return (
    <ConfirmContext value={ask}>
      {children}
      {question && <ConfirmDialog {...question} />}
    </ConfirmContext>
  );
}

function ConfirmDialog({ confirmation: { title, text, confirm, deny, style }, answer }: Question): ReactNode {
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
