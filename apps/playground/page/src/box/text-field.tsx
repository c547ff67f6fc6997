import { type ClipboardEventHandler, type KeyboardEventHandler, type ReactNode, useLayoutEffect, useRef } from "react";

interface TextFieldProps {
  readonly label: string;
  readonly text: string;
  /** The list that is open for it, and what is highlighted there. */
  readonly list: { readonly id: string; readonly active: string | undefined } | undefined;
  readonly write: (text: string) => void;
  readonly onFocus: (hasFocus: boolean) => void;
  readonly onKeyDown: KeyboardEventHandler<HTMLInputElement | HTMLTextAreaElement>;
  readonly onPaste: ClipboardEventHandler<HTMLInputElement | HTMLTextAreaElement>;
}

/** One line, which can be helped along by a list; or several, which cannot. Only the former may be called a combobox. */
export function TextField({ label, text, list, write, onFocus, ...handlers }: TextFieldProps): ReactNode {
  const line = useRef<HTMLInputElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const isArea = text.includes("\n");
  const wasArea = useRef(isArea);

  useLayoutEffect(() => {
    if (area.current) {
      area.current.style.height = "auto";
      area.current.style.height = `${area.current.scrollHeight}px`;
    }
    if (wasArea.current === isArea) return;
    wasArea.current = isArea;
    // One has come in place of the other, in which somebody was typing.
    const field = isArea ? area.current : line.current;
    field?.focus();
    field?.setSelectionRange(text.length, text.length);
  }, [isArea, text]);

  const common = {
    "aria-label": label,
    placeholder: label,
    autoComplete: "off",
    spellCheck: false,
    value: text,
    onFocus: () => onFocus(true),
    onBlur: () => onFocus(false),
    ...handlers,
  };
  if (isArea) return <textarea ref={area} rows={2} {...common} onChange={({ target }) => write(target.value)} />;
  return (
    <input
      ref={line}
      type="text"
      role="combobox"
      aria-autocomplete="list"
      aria-expanded={list !== undefined}
      aria-controls={list?.id}
      aria-activedescendant={list?.active}
      {...common}
      onChange={({ target }) => write(target.value)}
    />
  );
}
