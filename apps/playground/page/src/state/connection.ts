import { useEffect, useState } from "react";
import type { WindowEvents } from "../../../src/window/protocol.js";
import type { WindowChange } from "./window-state.js";

export type Connection = "live" | "connecting" | "reconnecting" | "stopped";

const AGAIN_MS = 1000;
/** Longer than a restart takes. */
const STOPPED_MS = 6000;

/** Listens to the events of a person's window, and reconnects when the connection is lost. */
export function useConnection(person: string | undefined, onChange: (change: WindowChange) => void): Connection {
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => {
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let stopped: ReturnType<typeof setTimeout> | undefined;
    // After a fresh start the person may be gone; then the page shows the first one.
    let wanted = person;

    const open = (): void => {
      source = new EventSource(`api/window${wanted === undefined ? "" : `?person=${encodeURIComponent(wanted)}`}`);
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
      const isRefused = source?.readyState === EventSource.CLOSED;
      source?.close();
      if (isRefused) wanted = undefined;
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

function listen(source: EventSource, onChange: (change: WindowChange) => void): void {
  const on = <Name extends keyof WindowEvents>(
    name: Name,
    change: (data: WindowEvents[Name]) => WindowChange,
  ): void => {
    source.addEventListener(name, ({ data }: MessageEvent<string>) => onChange(change(JSON.parse(data))));
  };
  on("scene", (data) => ({ event: "scene", data }));
  on("message", (data) => ({ event: "message", data }));
  on("gone", (data) => ({ event: "gone", data }));
  on("modal", (data) => ({ event: "modal", data }));
  on("home", (data) => ({ event: "home", data }));
  on("exchange", (data) => ({ event: "exchange", data }));
  on("log", (data) => ({ event: "log", data }));
}
