import { type ReactNode, useState } from "react";
import { isObject, type Json, labelIn, listIn, numberIn, stringIn } from "../json.js";
import { titleOf } from "../state/place.js";
import { useStage } from "../state/stage.js";
import { SlackText } from "../text/slack-text.js";
import { initialValue, isInitial, offeredPlaces, optionValue } from "./form.js";
import { type ElementProps, useElement } from "./surface.js";

const elements: Readonly<Record<string, (props: ElementProps) => ReactNode>> = {
  button: Button,
  static_select: Select,
  conversations_select: ConversationsSelect,
  radio_buttons: Boxes,
  checkboxes: Boxes,
  plain_text_input: TextInput,
  number_input: TextInput,
  datetimepicker: DateTimePicker,
};

/** An interactive element that a person can press, choose from or fill in. */
export function Element(props: ElementProps): ReactNode {
  const type = stringIn(props.element.type);
  const Drawn = elements[type];
  return Drawn ? <Drawn {...props} /> : <Unknown type={type} />;
}

/** A placeholder for a block or element that the page does not support. */
export function Unknown({ type }: { type: string }): ReactNode {
  return (
    <div className="unknown">
      Not drawn here: <code>{type || "a block without a type"}</code>
    </div>
  );
}

const STYLES: Readonly<Record<string, string>> = {
  primary: "button is-primary",
  danger: "button is-danger-quiet",
};

function Button(props: ElementProps): ReactNode {
  const { style, text } = props.element;
  const { press } = useElement(props);
  const [isBusy, setBusy] = useState(false);
  const onClick = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await press();
    setBusy(false);
  };
  return (
    <button
      type="button"
      className={STYLES[stringIn(style)] ?? "button"}
      aria-busy={isBusy}
      onClick={() => void onClick()}
    >
      {labelIn(text)}
    </button>
  );
}

/** Radio buttons and checkboxes. */
function Boxes({ element, input }: ElementProps): ReactNode {
  const isOne = element.type === "radio_buttons";
  return listIn(element.options).map((option) => {
    const value = optionValue(option);
    return (
      <label key={value} className="choice">
        <input
          type={isOne ? "radio" : "checkbox"}
          name={input?.name}
          required={isOne && input?.required}
          value={value}
          defaultChecked={isInitial(element, option)}
        />
        <OptionText option={option} />
      </label>
    );
  });
}

function OptionText({ option: { text, description } }: { option: Json }): ReactNode {
  return (
    <span>
      {isObject(text) && <SlackText text={text} />}
      {isObject(description) && (
        <span className="muted is-small">
          <SlackText text={description} />
        </span>
      )}
    </span>
  );
}

function Select(props: ElementProps): ReactNode {
  const { element, input } = props;
  const { choose } = useElement(props);
  const placeholder = labelIn(element.placeholder) || "Choose an option";
  const initial = initialValue(element);
  return (
    <select
      {...input}
      // The app may choose another option in an update.
      key={initial}
      className="control"
      aria-label={input ? undefined : placeholder}
      defaultValue={initial}
      // Slack does not send an empty choice.
      onChange={({ target }) => !input && target.value !== "" && void choose(target.value)}
    >
      <option value="">{placeholder}</option>
      {listIn(element.options).map((option) => (
        <option key={optionValue(option)} value={optionValue(option)}>
          {labelIn(option.text)}
        </option>
      ))}
    </select>
  );
}

/** A menu of the person's conversations. The bot uses it only in forms. */
function ConversationsSelect({ element, input }: ElementProps): ReactNode {
  const { places, here } = useStage();
  const { offered, initial } = offeredPlaces(element, places, here);
  return (
    <select {...input} className="control" defaultValue={initial}>
      <option value="">{labelIn(element.placeholder) || "Choose a conversation"}</option>
      {offered.map((place) => (
        <option key={place.id} value={place.id}>
          {titleOf(place)}
        </option>
      ))}
    </select>
  );
}

function DateTimePicker({ input }: ElementProps): ReactNode {
  return <input {...input} className="control is-picker" type="datetime-local" />;
}

/** An input for text or numbers. */
function TextInput({ element, input }: ElementProps): ReactNode {
  const shared = {
    ...input,
    className: "control",
    maxLength: numberIn(element.max_length),
    placeholder: labelIn(element.placeholder),
    autoComplete: "off",
    spellCheck: false,
    defaultValue: initialValue(element),
  };
  if (element.multiline === true) return <textarea {...shared} rows={3} />;
  return (
    <input
      {...shared}
      type={element.type === "number_input" ? "number" : "text"}
      min={stringIn(element.min_value)}
      max={stringIn(element.max_value)}
    />
  );
}
