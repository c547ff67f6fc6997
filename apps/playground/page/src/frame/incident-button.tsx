import { type ReactNode, useId } from "react";
import { useStage } from "../state/stage.js";
import { dateWriter } from "../text/slack-date.js";

interface IncidentButtonProps {
  /** When webhooks succeed again, in Unix milliseconds. Null if they do. */
  readonly until: number | null;
}

/** A button that lets the demo's webhooks fail for a while, so that a person sees what the bot does then. */
export function IncidentButton({ until }: IncidentButtonProps): ReactNode {
  const { act, report, you } = useStage();
  const id = useId();
  const begin = (): void => void act({ do: "incident" }).then((answer) => report(answer));
  const time = until !== null && dateWriter("en-GB", { timeZone: you.timeZone, timeStyle: "medium" }).format(until);
  return (
    <>
      <button
        type="button"
        className="place incident"
        aria-disabled={until !== null}
        aria-describedby={id}
        onClick={() => until === null && begin()}
      >
        <span aria-hidden="true" className="hash">
          ⚡
        </span>
        <span className="place-name">Let webhooks fail</span>
      </button>
      <p id={id} className="incident-about is-small" role="status">
        {time ? `Webhooks fail until ${time}.` : "For a while. A watch notifies #incidents."}
      </p>
    </>
  );
}
