import type { ReactNode } from "react";
import type { PlaceInfo } from "../../../src/window/protocol.js";
import { titleOf } from "../state/place.js";
import { useStage } from "../state/stage.js";

const EXAMPLES = [
  ["/media", "What the bot can do"],
  ["/media logs webhooks status:0,4xx,5xx", "Webhooks that failed"],
  ["/media summary webhooks since:3h", "The last three hours, with a chart"],
  ["/media status", "How the service is now"],
  ["/media token lobby for:10m", "A token to enter a channel"],
] as const;

interface WelcomeProps {
  readonly place: PlaceInfo;
  readonly isEmpty: boolean;
  readonly send: (line: string) => void;
}

/** The beginning of a conversation; as long as nothing was said in it, with something to try. */
export function Welcome({ place, isEmpty, send }: WelcomeProps): ReactNode {
  const { app } = useStage();
  return (
    <div className="welcome">
      <h3>{titleOf(place)}</h3>
      <p className="muted">
        {place.kind === "channel"
          ? `This is the beginning of ${titleOf(place)}. Type a command below, as you would in Slack: what the app answers is private until it is shared.`
          : `This is your direct conversation with ${app.name}: files and what its home is asked for come here.`}
      </p>
      {isEmpty && (
        <ul className="examples" aria-label="Examples">
          {EXAMPLES.map(([line, about]) => (
            <li key={line}>
              <button type="button" className="example" onClick={() => send(line)}>
                <code>{line}</code>
                <span className="muted is-small">{about}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
