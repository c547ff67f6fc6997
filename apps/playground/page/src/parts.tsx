import { type ComponentProps, type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from "react";
import logo from "./icons/page.svg";

/** Joins the class names that apply. */
export const classes = (...names: (string | false)[]): string => names.filter(Boolean).join(" ");

interface IconButtonProps extends ComponentProps<"button"> {
  readonly label: string;
}

/** A button with a sign or a picture, named for screen readers. */
export function IconButton({ label, children, ...others }: IconButtonProps): ReactNode {
  return (
    <button type="button" className="button is-icon" aria-label={label} {...others}>
      {typeof children === "string" ? <span aria-hidden="true">{children}</span> : children}
    </button>
  );
}

/** A decorative picture: the app's logo, or a person's initials. */
export function Avatar({ name, size = 36 }: { name: "app" | (string & {}); size?: number }): ReactNode {
  if (name === "app") return <img className="avatar" src={logo} width={size} height={size} alt="" />;
  const style = { width: size, height: size, fontSize: size * 0.42, background: colorOf(name) };
  return (
    <span className="avatar is-person" style={style} aria-hidden="true">
      {name
        .replaceAll(/(\S)\S*\s*/g, "$1")
        .slice(0, 2)
        .toUpperCase()}
    </span>
  );
}

// White letters have enough contrast on each color.
const PEOPLE = ["#7c3aed", "#b4236a", "#0f766e", "#b45309", "#1d4ed8", "#be123c"];

function colorOf(name: string): string | undefined {
  const sum = [...name].reduce((before, letter) => (before * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 0);
  return PEOPLE[sum % PEOPLE.length];
}

interface DialogProps {
  readonly title: string;
  readonly size?: "is-small" | "is-wide";
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog, which stays open until its owner removes it. */
export function Dialog({ title, size, onClose, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useFocusBack();
  useEffect(() => dialog.current?.showModal(), []);
  const cancel = (event: SyntheticEvent): void => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      className={classes("dialog", size ?? "")}
      aria-labelledby={id}
      // Browsers close a dialog at the second Escape, even if both cancel events are prevented.
      onKeyDown={(event) => event.key === "Escape" && cancel(event)}
      onCancel={cancel}
    >
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <IconButton label="Close the window" onClick={onClose}>
          ✕
        </IconButton>
      </header>
      {children}
    </dialog>
  );
}

/** Returns whether the focused element is gone, so that keyboard users would start again at the top of the page. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Restores the focus when a dialog or a thread closes. */
export function useFocusBack(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (!isFocusLost() || !(before instanceof HTMLElement) || before === document.body) return;
      if (before.isConnected) before.focus();
      else document.getElementById("conversation")?.focus();
    };
  }, []);
}
