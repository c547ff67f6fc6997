import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useStage } from "../state/stage.js";
import { type Choice, choicesOf } from "./choices.js";
import { type ElementProps, useElement } from "./use-element.js";

/** The three dots, and the menu below them. */
export function Overflow(props: ElementProps): ReactNode {
  const choices = choicesOf(props.element, useStage());
  const { pick } = useElement(props);
  const [isOpen, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const menu = useId();

  useEffect(() => {
    if (!isOpen) return;
    whole.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const closeOutside = ({ target }: Event): void => {
      if (target instanceof Node && !whole.current?.contains(target)) setOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [isOpen]);

  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    const items = [...(whole.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = items.findIndex((item) => item.matches(":focus"));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Tab") {
      setOpen(false);
      return;
    }
    if (event.key === "Escape") close();
    else if (step !== undefined) items.at((at + step) % items.length)?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const take = ({ value, url }: Choice): void => {
    close();
    if (/^https?:/i.test(url)) open(url, "_blank", "noopener,noreferrer");
    void pick(value);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the button and the menu in it.
    <div className="overflow" ref={whole} onKeyDown={onKeyDown}>
      <button
        ref={opener}
        type="button"
        className="button is-icon"
        aria-label={props.name ? `More actions: ${props.name}` : "More actions"}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? menu : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">⋯</span>
      </button>
      {isOpen && (
        <div role="menu" id={menu} className="menu" aria-label="More actions">
          {choices.map((choice) => (
            <button key={choice.value} type="button" role="menuitem" tabIndex={-1} onClick={() => take(choice)}>
              {choice.label}
              {choice.description && <span className="muted is-small">{choice.description}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
