import type { SeenMessage } from "@media-ops/fake-slack";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useFocusKept } from "../frame/focus.js";

interface MessageLogProps {
  readonly label: string;
  readonly messages: readonly SeenMessage[];
  /** How often the person has sent something. Each change scrolls to the end again. */
  readonly sent: number;
  readonly children: ReactNode;
}

/** A scrollable list of messages, which keeps the newest visible until the person scrolls up. */
export function MessageLog({ label, messages, sent, children }: MessageLogProps): ReactNode {
  const { box, inner, hasNew, toBottom } = useStickToBottom(messages.length, sent);
  const focusKept = useFocusKept(box, messages);
  return (
    <div className="conversation-box">
      <div
        className="conversation"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
        tabIndex={0}
        role="log"
        aria-live="polite"
        aria-label={label}
        {...focusKept}
      >
        <div ref={inner} className="conversation-inner">
          {children}
        </div>
      </div>
      {hasNew && (
        <button type="button" className="button is-primary new-messages" onClick={toBottom}>
          New messages ↓
        </button>
      )}
    </div>
  );
}

/** Within this distance from the end, the person is considered to be reading the newest messages. */
const NEAR_PX = 60;

/**
 * Keeps the newest messages visible until the person scrolls up.
 *
 * @param sent How often the person has sent something. Each change scrolls to the end again.
 */
function useStickToBottom(count: number, sent: number) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const before = useRef(count);
  // Whether there are new messages below the visible area.
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
      // Growth of the conversation does not count as scrolling up.
      if (isNear) isStuck.current = true;
      else if (element.scrollTop < last) isStuck.current = false;
      last = element.scrollTop;
      if (isStuck.current) setNew(false);
    };
    // Charts change their height after loading.
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
