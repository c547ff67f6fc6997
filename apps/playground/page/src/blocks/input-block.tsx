import { type ReactNode, useId } from "react";
import { Element } from "../elements/element.js";
import { useSurface } from "../elements/surface.js";
import { isObject, type Json, labelIn, stringIn } from "../json.js";

/** Elements that are several controls, which a label cannot point at. */
const GROUPS = new Set(["radio_buttons", "checkboxes"]);

/** An input with its label, its hint, and what is wrong with it. */
export function InputBlock({ block }: { block: Json }): ReactNode {
  const id = useId();
  const error = useSurface().errors[stringIn(block.block_id)];
  const hint = labelIn(block.hint);
  const { element } = block;
  if (!isObject(element)) return null;
  const isGroup = GROUPS.has(stringIn(element.type)) || stringIn(element.type).startsWith("multi_");
  const label = (
    <>
      {labelIn(block.label)}
      {block.optional === true && <span className="muted"> (optional)</span>}
    </>
  );
  const about = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  return (
    <div className="input" data-input={stringIn(block.block_id)}>
      {isGroup ? (
        <div className="label" id={`${id}-label`}>
          {label}
        </div>
      ) : (
        <label className="label" htmlFor={id}>
          {label}
        </label>
      )}
      <Element
        block={block}
        element={element}
        {...(isGroup ? { labelledBy: `${id}-label` } : { id })}
        describedBy={about}
        isInvalid={error !== undefined}
      />
      {error !== undefined && (
        <div className="error is-small" id={`${id}-error`} role="alert">
          {error}
        </div>
      )}
      {hint && (
        <div className="muted is-small" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  );
}
