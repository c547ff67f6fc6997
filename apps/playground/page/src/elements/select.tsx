import type { ReactNode } from "react";
import { labelIn } from "../json.js";
import { useStage } from "../state/stage.js";
import { ChoiceLabel } from "./choice-label.js";
import { type Choice, choicesOf } from "./choices.js";
import { manyOf, oneOf } from "./entry.js";
import { type ElementProps, useElement } from "./use-element.js";

/** A menu of which one is chosen. */
export function Select(props: ElementProps): ReactNode {
  const { element, id, name, describedBy, isInvalid } = props;
  const choices = choicesOf(element, useStage());
  const { entry, choose, enter, isTold } = useElement(props);
  const placeholder = labelIn(element.placeholder) || "Choose an option";
  return (
    <select
      id={id}
      className="control"
      aria-label={id ? undefined : (name ?? placeholder)}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      value={oneOf(entry)}
      onChange={({ target: { value } }) => {
        // That nothing is chosen any more is no choice.
        if (isTold && value === "") enter(value);
        else void choose(value);
      }}
    >
      <option value="">{placeholder}</option>
      {byGroup(choices).map(([group, some]) =>
        group === "" ? some.map(toOption) : <optgroup key={group} label={group} children={some.map(toOption)} />,
      )}
    </select>
  );
}

function toOption({ value, label }: Choice): ReactNode {
  return (
    <option key={value} value={value}>
      {label}
    </option>
  );
}

function byGroup(choices: readonly Choice[]): [string, Choice[]][] {
  const groups = new Map<string, Choice[]>();
  for (const choice of choices) groups.set(choice.group, [...(groups.get(choice.group) ?? []), choice]);
  return [...groups];
}

/** A menu of which several are chosen: folded, it says which. */
export function MultiSelect(props: ElementProps): ReactNode {
  const { element, name, labelledBy, describedBy } = props;
  const choices = choicesOf(element, useStage());
  const { entry, choose } = useElement(props);
  const chosen = manyOf(entry);
  const placeholder = labelIn(element.placeholder) || "Choose options";
  const told = choices.filter(({ value }) => chosen.includes(value)).map(({ label }) => label);
  return (
    <details className="multi">
      <summary className="control">{told.join(", ") || placeholder}</summary>
      <fieldset
        aria-label={labelledBy ? undefined : (name ?? placeholder)}
        {...{ "aria-labelledby": labelledBy, "aria-describedby": describedBy }}
      >
        {choices.map((choice) => (
          <label key={choice.value} className="choice">
            <input
              type="checkbox"
              checked={chosen.includes(choice.value)}
              onChange={({ target }) => void choose(changed(chosen, choice.value, target.checked))}
            />
            <ChoiceLabel choice={choice} />
          </label>
        ))}
      </fieldset>
    </details>
  );
}

/** What is chosen once one more is, or no longer. */
export function changed(chosen: readonly string[], value: string, isChosen: boolean): string[] {
  const others = chosen.filter((other) => other !== value);
  return isChosen ? [...others, value] : others;
}
