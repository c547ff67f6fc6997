import { type ReactNode, useId } from "react";
import { useStage } from "../state/stage.js";
import { ChoiceLabel } from "./choice-label.js";
import { choicesOf } from "./choices.js";
import { manyOf } from "./entry.js";
import { changed } from "./select.js";
import { type ElementProps, useElement } from "./use-element.js";

/** Radio buttons and checkboxes: all that can be chosen stands there. */
export function Boxes(props: ElementProps): ReactNode {
  const { element, name, labelledBy, describedBy, isInvalid } = props;
  const choices = choicesOf(element, useStage());
  const { entry, choose } = useElement(props);
  const group = useId();
  const chosen = manyOf(entry);
  const isOne = element.type === "radio_buttons";
  const boxes = (
    <>
      {choices.map((choice) => (
        <label key={choice.value} className="choice">
          <input
            type={isOne ? "radio" : "checkbox"}
            name={group}
            checked={chosen.includes(choice.value)}
            onChange={({ target }) => void choose(isOne ? choice.value : changed(chosen, choice.value, target.checked))}
          />
          <ChoiceLabel choice={choice} />
        </label>
      ))}
    </>
  );
  const about = {
    className: "boxes",
    "aria-label": labelledBy ? undefined : name,
    "aria-labelledby": labelledBy,
    "aria-describedby": describedBy,
    "data-invalid": isInvalid,
  };
  if (!isOne) return <fieldset {...about}>{boxes}</fieldset>;
  return (
    <div role="radiogroup" {...about}>
      {boxes}
    </div>
  );
}
