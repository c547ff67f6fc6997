import type { ReactNode } from "react";
import { isObject } from "../json.js";
import { SlackText } from "../text/slack-text.js";
import type { Choice } from "./choices.js";

/** An option beside its box: what it is called, and what is said of it. */
export function ChoiceLabel({ choice: { option } }: { choice: Choice }): ReactNode {
  return (
    <span>
      {isObject(option.text) && <SlackText text={option.text} />}
      {isObject(option.description) && (
        <span className="muted is-small">
          <SlackText text={option.description} />
        </span>
      )}
    </span>
  );
}
