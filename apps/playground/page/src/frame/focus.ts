import { type FocusEventHandler, type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** Whether what had the focus is gone: who goes on by keys would begin again at the top of the page. */
function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Gives the focus back when a window closes, to where it was when that opened. */
export function useFocusBack(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (!isLost() || !(before instanceof HTMLElement) || before === document.body) return;
      if (before.isConnected) before.focus();
      else document.getElementById("conversation")?.focus();
    };
  }, []);
}

/** Keeps the focus in a list when a change of it takes away what had it, such as a button that was pressed. */
export function useFocusKept(
  list: RefObject<HTMLElement | null>,
  changed: unknown,
): { onFocus: FocusEventHandler; onBlur: FocusEventHandler } {
  const focused = useRef<Element>(undefined);
  useLayoutEffect(() => {
    if (!focused.current || focused.current.isConnected || !isLost()) return;
    list.current?.focus({ preventScroll: true });
  }, [changed, list]);
  return {
    onFocus: ({ target }) => {
      focused.current = target;
    },
    onBlur: () => {
      focused.current = undefined;
    },
  };
}
