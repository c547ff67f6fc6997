import { type ReactNode, useState } from "react";
import { isObject, type Json, labelIn, listIn, stringIn } from "../json.js";
import { useStage } from "../state/stage.js";
import { type ElementProps, useElement } from "./use-element.js";

function classOf({ style }: Json): string {
  if (style === "primary") return "button is-primary";
  return style === "danger" ? "button is-danger-quiet" : "button";
}

export function Button({ block, element }: ElementProps): ReactNode {
  const { press } = useElement({ block, element });
  const [isBusy, setBusy] = useState(false);
  const url = stringIn(element.url);
  const label = labelIn(element.text);
  const name = stringIn(element.accessibility_label) || undefined;
  const once = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await press();
    setBusy(false);
  };
  // The app is told of a link that is followed, too.
  if (/^https?:/i.test(url)) {
    return (
      <a
        className={classOf(element)}
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={name}
        onClick={() => void once()}
      >
        {label}
        <span aria-hidden="true"> ↗</span>
      </a>
    );
  }
  return (
    <button type="button" className={classOf(element)} aria-label={name} aria-busy={isBusy} onClick={() => void once()}>
      {label}
    </button>
  );
}

/** The small buttons below a message. */
export function IconButton({ block, element }: ElementProps): ReactNode {
  const { you } = useStage();
  const { press } = useElement({ block, element });
  const visibleTo = element.visible_to_user_ids;
  if (Array.isArray(visibleTo) && !visibleTo.includes(you.id)) return null;
  return (
    <button type="button" className="button is-quiet" onClick={() => void press()}>
      <span aria-hidden="true">🗑 </span>
      {labelIn(element.text)}
    </button>
  );
}

/** Thumbs up and down; which of them was pressed is told as its value. */
export function FeedbackButtons({ block, element }: ElementProps): ReactNode {
  const { pick } = useElement({ block, element });
  const [pressed, setPressed] = useState<string>();
  const both = [element.positive_button, element.negative_button];
  return listIn(both.filter(isObject)).map((button, at) => {
    const value = stringIn(button.value);
    return (
      <button
        key={value}
        type="button"
        className="button is-quiet"
        aria-pressed={pressed === value}
        onClick={() => {
          setPressed(value);
          void pick(value);
        }}
      >
        <span aria-hidden="true">{at === 0 ? "👍 " : "👎 "}</span>
        {labelIn(button.text)}
      </button>
    );
  });
}
