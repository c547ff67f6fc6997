import type { KeyboardEvent, ReactNode } from "react";
import { labelIn, listIn, numberIn, stringIn } from "../json.js";
import { oneOf } from "./entry.js";
import { type ElementProps, useElement } from "./use-element.js";

const TYPES: Readonly<Record<string, string>> = {
  email_text_input: "email",
  url_text_input: "url",
};

/** Text, a number, an address: what is typed. */
export function TextInput(props: ElementProps): ReactNode {
  const { element, id, name, describedBy, isInvalid } = props;
  const { entry, enter, tell, isTold, tellSoon } = useElement(props);
  const type = stringIn(element.type);
  const text = oneOf(entry);
  const placeholder = labelIn(element.placeholder);
  const isMultiline = element.multiline === true || type === "rich_text_input";
  const most = numberIn(element.max_length);
  const isTyped = tellsWhileTyping(element.dispatch_action_config);
  const type_ = (next: string): void => {
    enter(next);
    if (isTold && isTyped) tellSoon(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || !isTold || (isMultiline && event.shiftKey)) return;
    event.preventDefault();
    tell(text);
  };
  const common = {
    id,
    className: "control",
    "aria-label": id ? undefined : name || placeholder,
    "aria-describedby": describedBy,
    "aria-invalid": isInvalid,
    placeholder,
    value: text,
    onKeyDown,
  };
  return (
    <>
      {isMultiline ? (
        <textarea {...common} rows={4} onChange={({ target }) => type_(target.value)} />
      ) : (
        <input
          {...common}
          type={TYPES[type] ?? "text"}
          inputMode={type === "number_input" ? "decimal" : undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => type_(target.value)}
        />
      )}
      {most !== undefined && text.length > most * 0.8 && (
        <div className={`is-small count ${text.length > most ? "error" : "muted"}`} aria-live="polite">
          {most - text.length} characters left
        </div>
      )}
    </>
  );
}

function tellsWhileTyping(config: unknown): boolean {
  const [first] = listIn([config]);
  const on = first?.trigger_actions_on;
  return Array.isArray(on) && on.includes("on_character_entered");
}
