import type { ReactNode } from "react";
import { labelIn, stringIn } from "../json.js";
import { useStage } from "../state/stage.js";
import { oneOf } from "./entry.js";
import { type ElementProps, useElement } from "./use-element.js";
import { secondsAt, zonedTime } from "./zoned-time.js";

const TYPES: Readonly<Record<string, string>> = {
  datepicker: "date",
  timepicker: "time",
  datetimepicker: "datetime-local",
};

/** A day, a time of day, or both: by the browser's own control. */
export function Picker(props: ElementProps): ReactNode {
  const { element, id, name, describedBy, isInvalid } = props;
  const { timeZone } = useStage().you;
  const { entry, enter, tellSoon } = useElement(props);
  const type = stringIn(element.type);
  const isBoth = type === "datetimepicker";
  const text = oneOf(entry);
  return (
    <input
      id={id}
      className="control is-picker"
      type={TYPES[type] ?? "text"}
      aria-label={id ? undefined : labelIn(element.placeholder) || name}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      value={isBoth && text !== "" ? zonedTime(Number(text), timeZone) : text}
      onChange={({ target: { value } }) => {
        const next = isBoth ? String(secondsAt(value, timeZone) ?? "") : value;
        enter(next);
        tellSoon(next);
      }}
    />
  );
}
