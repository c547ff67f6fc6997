import { type ReactNode, useEffect, useRef, useState } from "react";

/** For as long, it is said that something was copied. */
const SAID_MS = 2500;

/** Text as it is, such as a token: to be taken somewhere else with one press. */
export function Code({ children }: { children: ReactNode }): ReactNode {
  const code = useRef<HTMLPreElement>(null);
  const [said, say] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => say(""), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    if (!code.current) return;
    try {
      await navigator.clipboard.writeText(code.current.textContent ?? "");
      say("Copied");
    } catch {
      // A browser may keep pages from its clipboard; what is selected, people can copy.
      getSelection()?.selectAllChildren(code.current);
      say("Selected");
    }
  };
  return (
    <div className="code">
      <pre ref={code}>{children}</pre>
      <button type="button" className="button copy" onClick={() => void copy()}>
        {said || "Copy"}
      </button>
      <span role="status" className="hidden">
        {said}
      </span>
    </div>
  );
}
