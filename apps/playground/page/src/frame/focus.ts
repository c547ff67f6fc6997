import { type FocusEventHandler, type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** Returns whether the focused element is gone, so that keyboard users would start again at the top of the page. */
function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Restores the focus when a dialog closes. */
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

/** Keeps the focus in a list when a change removes the focused element, such as a pressed button. */
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
