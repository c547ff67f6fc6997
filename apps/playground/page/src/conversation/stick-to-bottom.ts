import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** Closer to the end than this, a person is reading the newest messages. */
const NEAR_PX = 60;

/**
 * Keeps the newest messages visible, until the person scrolls up.
 *
 * @param sent How often the person has sent something, which scrolls down again.
 */
export function useStickToBottom(count: number, sent: number) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const before = useRef(count);
  // Whether there are new messages below the visible ones.
  const [hasNew, setNew] = useState(false);

  const toBottom = (): void => {
    isStuck.current = true;
    setNew(false);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  useEffect(() => {
    const element = box.current;
    if (!element || !inner.current) return;
    let last = element.scrollTop;
    const onScroll = (): void => {
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
      // A longer conversation is not scrolling up.
      if (isNear) isStuck.current = true;
      else if (element.scrollTop < last) isStuck.current = false;
      last = element.scrollTop;
      if (isStuck.current) setNew(false);
    };
    // Charts change their height after they have loaded.
    const sizes = new ResizeObserver(() => {
      if (isStuck.current) element.scrollTop = element.scrollHeight;
    });
    sizes.observe(inner.current);
    sizes.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, []);
  const sentBefore = useRef(sent);
  useLayoutEffect(() => {
    if (sent !== sentBefore.current) isStuck.current = true;
    sentBefore.current = sent;
    if (isStuck.current && box.current) box.current.scrollTop = box.current.scrollHeight;
    else if (count > before.current) setNew(true);
    before.current = count;
  }, [count, sent]);
  return { box, inner, hasNew, toBottom };
}
