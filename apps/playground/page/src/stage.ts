import type { SeenMessage } from "@media-ops/fake-slack";
import { createContext, useContext, useEffect, useState } from "react";
import type { ActionResult, PersonAction, PersonInfo, Scene } from "../../src/window/protocol.js";
import type { Json } from "./json.js";
import type { Place, Where, WindowChange } from "./state.js";

/** The context of the whole page: the person, the workspace, and the available actions. */
export interface Stage extends Pick<Scene, "people" | "places" | "app"> {
  readonly you: PersonInfo;
  readonly here: string | undefined;
  /** Acts, and shows an error in a conversation, or else as a toast. Resolves to false if it could not be performed. */
  readonly perform: (action: WindowAction, where?: Where) => Promise<boolean>;
  /** Shows a confirmation object. Resolves to whether the person confirmed it. */
  readonly confirm: (confirmation: Json) => Promise<boolean>;
}

export const StageContext = createContext<Stage | undefined>(undefined);

export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error("useStage must be used inside a StageContext.");
  return stage;
}

/** What the parts of a person's window show, and how they change it. */
export interface WindowProps {
  readonly scene: Scene;
  readonly place: Place;
  /** The person who was selected last, whose scene may still be on its way. */
  readonly chosen: string;
  /** The messages of the open conversation, including the replies in its threads. */
  readonly messages: readonly SeenMessage[];
  /** The number of unread messages by conversation id. */
  readonly unread: Readonly<Record<string, number>>;
  /** How often the person has sent something. */
  readonly sent: number;
  /** Sends a line, and resolves to false if the playground could not be reached. */
  readonly send: (line: string, threadTs?: string) => Promise<boolean>;
  /** Opens a thread by the timestamp of its first message, or closes it. */
  readonly openThread: (ts: string | undefined) => void;
  readonly go: (person: string, place: Place) => void;
}

type WithoutPerson<D> = D extends unknown ? Omit<D, "person"> : never;

/** An action without its person. */
export type WindowAction = WithoutPerson<PersonAction>;

/** Performs an action of a person. */
export async function act(person: string, action: WindowAction): Promise<ActionResult> {
  try {
    const response = await fetch("api/do", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...action, person }),
    });
    return await response.json();
  } catch {
    return { error: "The playground did not answer. Is it still running?" };
  }
}

export type Connection = "live" | "connecting" | "reconnecting" | "stopped";

const EVENTS = ["scene", "message", "gone", "modal", "home", "incident", "log"] as const;
/** Longer than a restart takes. */
const STOPPED_MS = 6000;

/** Subscribes to the events of a person's window. The browser reconnects by itself. */
export function useConnection(person: string | undefined, onChange: (change: WindowChange) => void): Connection {
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => {
    let stopped: ReturnType<typeof setTimeout> | undefined;
    // After a fresh start the person may be gone. The playground then sends the first person's window.
    const source = new EventSource(`api/window?person=${encodeURIComponent(person ?? "")}`);
    for (const event of EVENTS) {
      source.addEventListener(event, ({ data }: MessageEvent<string>) => onChange({ event, data: JSON.parse(data) }));
    }
    source.addEventListener("scene", () => {
      clearTimeout(stopped);
      stopped = undefined;
      setConnection("live");
    });
    source.addEventListener("error", () => {
      setConnection((now) => (now === "stopped" ? now : "reconnecting"));
      stopped ??= setTimeout(() => setConnection("stopped"), STOPPED_MS);
    });
    return () => {
      source.close();
      clearTimeout(stopped);
    };
  }, [person, onChange]);
  return connection;
}
