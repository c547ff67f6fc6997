import type { SeenMessage } from "@media-ops/fake-slack";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useStage } from "../state/stage.js";

interface MessageMenuProps {
  readonly message: SeenMessage;
  /** Undefined in a thread. */
  readonly openThread: ((ts: string) => void) | undefined;
}

/** What can be done with a message: a reply in its thread, and the app's shortcuts. */
export function MessageMenu({ message: { channelId, threadTs, ts }, openThread }: MessageMenuProps): ReactNode {
  const { app, act, report } = useStage();
  const [isOpen, setOpen] = useState(false);
  // The newest messages are at the bottom, where there is no room below them.
  const [isUpward, setUpward] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const use = async (callbackId: string): Promise<void> => {
    close();
    report(await act({ do: "message-shortcut", callbackId, channelId, ts }), { channelId, threadTs });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only sees that the focus leaves its button and menu.
    <div
      className="message-menu"
      onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && setOpen(false)}
    >
      {openThread && (
        <button type="button" className="button is-icon" aria-label="Reply in thread" onClick={() => openThread(ts)}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M2 3h12v8H7l-3 3v-3H2Z" fill="none" stroke="currentColor" strokeWidth="1.4" />
          </svg>
        </button>
      )}
      <button
        ref={button}
        type="button"
        className="button is-icon"
        aria-label="More actions"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={({ currentTarget }) => {
          setUpward(currentTarget.getBoundingClientRect().top > innerHeight / 2);
          setOpen(!isOpen);
        }}
      >
        <span aria-hidden="true">⋮</span>
      </button>
      {isOpen && (
        <Menu
          id={id}
          isUpward={isUpward}
          items={app.messageShortcuts}
          use={(callbackId) => void use(callbackId)}
          close={close}
        />
      )}
    </div>
  );
}

interface MenuProps {
  readonly id: string;
  readonly isUpward: boolean;
  readonly items: readonly { readonly callbackId: string; readonly name: string }[];
  readonly use: (callbackId: string) => void;
  readonly close: () => void;
}

function Menu({ id, isUpward, items, use, close }: MenuProps): ReactNode {
  const menu = useRef<HTMLDivElement>(null);
  const focus = (at: number): void => {
    const item = menu.current?.children[(at + items.length) % items.length];
    if (item instanceof HTMLElement) item.focus();
  };
  useEffect(() => {
    const first = menu.current?.firstElementChild;
    if (first instanceof HTMLElement) first.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") close();
    else if (step) focus([...(menu.current?.children ?? [])].findIndex((item) => item.matches(":focus")) + step);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={menu}
      id={id}
      role="menu"
      aria-label="More actions"
      className={isUpward ? "menu is-upward" : "menu"}
      onKeyDown={onKeyDown}
    >
      {items.map(({ callbackId, name }) => (
        <button key={callbackId} type="button" role="menuitem" tabIndex={-1} onClick={() => use(callbackId)}>
          {name}
        </button>
      ))}
    </div>
  );
}
