import { useEffect, useState } from "react";
import type { WindowChange } from "./window-state.js";

export type Connection = "live" | "connecting" | "reconnecting" | "stopped";

const AGAIN_MS = 1000;
/** Longer than a restart takes. */
const STOPPED_MS = 6000;

/** Subscribes to the events of a person's window, and reconnects when the connection is lost. */
export function useConnection(person: string | undefined, onChange: (change: WindowChange) => void): Connection {
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => {
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let stopped: ReturnType<typeof setTimeout> | undefined;
    const open = (): void => {
      // After a fresh start the person may be gone. The playground then sends the first person's window.
      source = new EventSource(`api/window?person=${encodeURIComponent(person ?? "")}`);
      listen(source, (change) => {
        if (change.event === "scene") {
          clearTimeout(stopped);
          stopped = undefined;
          setConnection("live");
        }
        onChange(change);
      });
      source.addEventListener("error", lost);
    };
    const lost = (): void => {
      source?.close();
      setConnection((now) => (now === "stopped" ? now : "reconnecting"));
      stopped ??= setTimeout(() => setConnection("stopped"), STOPPED_MS);
      clearTimeout(again);
      again = setTimeout(open, AGAIN_MS);
    };

    open();
    return () => {
      source?.close();
      clearTimeout(again);
      clearTimeout(stopped);
    };
  }, [person, onChange]);
  return connection;
}

const EVENTS = ["scene", "message", "gone", "modal", "home", "incident", "exchange", "log"] as const;

function listen(source: EventSource, onChange: (change: WindowChange) => void): void {
  for (const event of EVENTS) {
    source.addEventListener(event, ({ data }: MessageEvent<string>) => onChange({ event, data: JSON.parse(data) }));
  }
}
