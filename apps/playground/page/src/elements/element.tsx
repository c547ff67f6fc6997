import { type ReactNode, useId, useState } from "react";
import { isObject, type Json, labelIn, listIn, numberIn, stringIn } from "../json.js";
import { useStage } from "../state/stage.js";
import { SlackText } from "../text/slack-text.js";
import { manyOf, oneOf, secondsAt, zonedTime } from "./form.js";
import { type ElementProps, useElement } from "./surface.js";

const elements: Readonly<Record<string, (props: ElementProps) => ReactNode>> = {
  button: Button,
  static_select: Select,
  radio_buttons: Boxes,
  checkboxes: Boxes,
  plain_text_input: TextInput,
  number_input: TextInput,
  datetimepicker: DateTimePicker,
};

/** Something that a person can press, choose from or fill in. */
export function Element(props: ElementProps): ReactNode {
  const type = stringIn(props.element.type);
  const Drawn = elements[type];
  return Drawn ? <Drawn {...props} /> : <Unknown type={type} />;
}

/** Stands in for a block or an element that the page does not draw. */
export function Unknown({ type }: { type: string }): ReactNode {
  return (
    <div className="unknown">
      Not drawn here: <code>{type || "a block without a type"}</code>
    </div>
  );
}

function Button({ block, element }: ElementProps): ReactNode {
  const { press } = useElement({ block, element });
  const [isBusy, setBusy] = useState(false);
  const { style } = element;
  const url = stringIn(element.url);
  const label = labelIn(element.text);
  const common = {
    className: `button${style === "primary" ? " is-primary" : style === "danger" ? " is-danger-quiet" : ""}`,
    "aria-label": stringIn(element.accessibility_label) || undefined,
    onClick: async (): Promise<void> => {
      if (isBusy) return;
      setBusy(true);
      await press();
      setBusy(false);
    },
  };
  // Slack sends the press of a link to the app, too.
  if (/^https?:/i.test(url)) {
    return (
      <a {...common} href={url} target="_blank" rel="noopener noreferrer">
        {label}
        <span aria-hidden="true"> ↗</span>
      </a>
    );
  }
  return (
    <button type="button" {...common} aria-busy={isBusy}>
      {label}
    </button>
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
  readonly option: Json;
}

function optionsOf(element: Json): Option[] {
  return listIn(element.options).map((option) => {
    const label = labelIn(option.text);
    return { value: stringIn(option.value) || label, label, option };
  });
}

/** Radio buttons and checkboxes. */
function Boxes(props: ElementProps): ReactNode {
  const { element, labelledBy, describedBy, isInvalid } = props;
  const { entry, choose } = useElement(props);
  const group = useId();
  const chosen = manyOf(entry);
  const isOne = element.type === "radio_buttons";
  const toggled = (value: string, isChosen: boolean): string[] => {
    const others = chosen.filter((other) => other !== value);
    return isChosen ? [...others, value] : others;
  };
  const boxes = optionsOf(element).map(({ value, option: { text, description } }) => (
    <label key={value} className="choice">
      <input
        type={isOne ? "radio" : "checkbox"}
        name={group}
        checked={chosen.includes(value)}
        onChange={({ target }) => void choose(isOne ? value : toggled(value, target.checked))}
      />
      <span>
        {isObject(text) && <SlackText text={text} />}
        {isObject(description) && (
          <span className="muted is-small">
            <SlackText text={description} />
          </span>
        )}
      </span>
    </label>
  ));
  const about = {
    className: "boxes",
    "aria-label": labelledBy ? undefined : stringIn(element.action_id),
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

function Select(props: ElementProps): ReactNode {
  const { element, id, describedBy, isInvalid } = props;
  const { entry, choose, enter, isSent } = useElement(props);
  const placeholder = labelIn(element.placeholder) || "Choose an option";
  return (
    <select
      id={id}
      className="control"
      aria-label={id ? undefined : placeholder}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      value={oneOf(entry)}
      onChange={({ target: { value } }) => {
        // Slack sends no empty choice.
        if (isSent && value === "") enter(value);
        else void choose(value);
      }}
    >
      <option value="">{placeholder}</option>
      {optionsOf(element).map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function DateTimePicker(props: ElementProps): ReactNode {
  const { id, describedBy, isInvalid } = props;
  const { timeZone } = useStage().you;
  const { entry, enter, sendSoon } = useElement(props);
  const text = oneOf(entry);
  return (
    <input
      id={id}
      className="control is-picker"
      type="datetime-local"
      aria-label={id ? undefined : "Date and time"}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      value={text === "" ? "" : zonedTime(Number(text), timeZone)}
      onChange={({ target: { value } }) => {
        const next = String(secondsAt(value, timeZone) ?? "");
        enter(next);
        sendSoon(next);
      }}
    />
  );
}

/** Text and numbers, which occur in inputs only. */
function TextInput(props: ElementProps): ReactNode {
  const { element, id, describedBy, isInvalid } = props;
  const { entry, enter } = useElement(props);
  const text = oneOf(entry);
  const most = numberIn(element.max_length);
  const common = {
    id,
    className: "control",
    "aria-describedby": describedBy,
    "aria-invalid": isInvalid,
    placeholder: labelIn(element.placeholder),
    value: text,
    onChange: ({ target }: { target: { value: string } }) => enter(target.value),
  };
  const inputMode = element.type === "number_input" ? "decimal" : undefined;
  return (
    <>
      {element.multiline === true ? (
        <textarea {...common} rows={4} />
      ) : (
        <input {...common} type="text" inputMode={inputMode} autoComplete="off" spellCheck={false} />
      )}
      {most !== undefined && text.length > most * 0.8 && (
        <div className={`is-small count ${text.length > most ? "error" : "muted"}`} aria-live="polite">
          {most - text.length} characters left
        </div>
      )}
    </>
  );
}
