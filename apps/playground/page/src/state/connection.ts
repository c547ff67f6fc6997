import { useEffect, useState } from "react";
import type { WindowEvents } from "../../../src/window/protocol.js";
import type { WindowChange } from "./window-state.js";

export type Connection = "live" | "connecting" | "reconnecting" | "stopped";

const AGAIN_MS = 1000;
/** As long as a restart takes. */
const STOPPED_MS = 6000;

/** Hears what happens in a person's window for as long as it is shown, and begins anew when it is lost. */
export function useConnection(person: string | undefined, tell: (change: WindowChange) => void): Connection {
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => {
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let stopped: ReturnType<typeof setTimeout> | undefined;
    // A person that is gone, after all was made anew, must not keep the page from showing another.
    let wanted = person;

    const open = (): void => {
      source = new EventSource(`api/window${wanted === undefined ? "" : `?person=${encodeURIComponent(wanted)}`}`);
      hear(source, (change) => {
        if (change.event === "scene") {
          clearTimeout(stopped);
          stopped = undefined;
          setConnection("live");
        }
        tell(change);
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
  }, [person, tell]);
  return connection;
}

function hear(source: EventSource, tell: (change: WindowChange) => void): void {
  const on = <Name extends keyof WindowEvents>(
    name: Name,
    change: (data: WindowEvents[Name]) => WindowChange,
  ): void => {
    source.addEventListener(name, ({ data }: MessageEvent<string>) => tell(change(JSON.parse(data))));
  };
  on("scene", (data) => ({ event: "scene", data }));
  on("message", (data) => ({ event: "message", data }));
  on("gone", (data) => ({ event: "gone", data }));
  on("modal", (data) => ({ event: "modal", data }));
  on("home", (data) => ({ event: "home", data }));
  on("exchange", (data) => ({ event: "exchange", data }));
  on("log", (data) => ({ event: "log", data }));
}
