import type { ServerResponse } from "node:http";
import type { FakeSlack, Person, Place, TranscriptEntry, Workspace } from "@media-ops/fake-slack";
import type { LiveIncident } from "../demo/live.js";
import type { Scene, WindowEvents } from "./protocol.js";
import { type Log, textAt } from "./records.js";

/** The Slack that a window shows. */
export interface Setting {
  readonly slack: FakeSlack;
  readonly team: Workspace;
  readonly people: readonly Person[];
  readonly app: Omit<Scene["app"], "userId">;
  readonly incident: LiveIncident;
  readonly log: Log;
}

// A silent stream can't be distinguished from a broken one.
const HEARTBEAT_MS = 15_000;
// After a restart of the playground, people look at the page immediately.
const RECONNECT_AFTER_MS = 1000;

/**
 * Sends the scene of a person, and then each change of it, as server-sent events until the response is closed. Changes
 * are only marked, and read when they are sent: a slow reader gets the current state, and nothing accumulates.
 */
export function feed(response: ServerResponse, setting: Setting, person: Person): void {
  const { slack, incident, log } = setting;
  const due = new Map<string, () => void>();

  const send = <Name extends keyof WindowEvents>(name: Name, data: WindowEvents[Name]): void =>
    void response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const flush = (): void => {
    for (const [what, sendIt] of due) {
      if (response.writableNeedDrain) return;
      due.delete(what);
      sendIt();
    }
  };
  const mark = (what: string, sendIt: () => void): void => {
    if (due.size === 0) setImmediate(flush);
    due.set(what, sendIt);
  };
  const markShown = ({ what, name, users, detail }: TranscriptEntry): void => {
    if ((what !== "shown" && what !== "hidden") || !users.includes(person.id)) return;
    if (name === "view") mark(name, () => send("modal", person.modal ?? null));
    if (name === "home") mark(name, () => send("home", person.home ?? null));
    if (name !== "message") return;
    const reference = { channelId: textAt(detail, "channel"), ts: textAt(detail, "ts") };
    mark(`${reference.channelId} ${reference.ts}`, () => {
      const seen = person.messageAt(reference);
      if (seen) send("message", seen);
      else send("gone", reference);
    });
  };
  let sentId = log.lines.at(-1)?.id ?? 0;
  const sendLog = (): void => {
    for (const line of log.lines.filter(({ id }) => id > sentId)) send("log", line);
    sentId = log.lines.at(-1)?.id ?? 0;
  };

  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
  response.write(`retry: ${RECONNECT_AFTER_MS}\n\n`);
  send("scene", sceneOf(setting, person));
  response.on("drain", flush);
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(":\n\n");
  }, HEARTBEAT_MS);
  const ends = [
    slack.watch(markShown),
    incident.watch(() => mark("incident", () => send("incident", incident.until ?? null))),
    log.watch(() => mark("log", sendLog)),
    () => clearInterval(heartbeat),
  ];
  response.on("close", () => {
    for (const end of ends) end();
  });
}

// More than a person scrolls through. Further messages would slow down each reconnection.
const MESSAGES_OF_A_PLACE = 500;

function sceneOf({ team, people, app, incident, log }: Setting, person: Person): Scene {
  const places = placesOf(team, person);
  const messages = places.flatMap((place) => person.sees(place).slice(-MESSAGES_OF_A_PLACE));
  return {
    team: team.name,
    app: { ...app, userId: team.isInstalled ? team.botUserId : "" },
    people: people.map(({ id, name, realName, isAdmin, timeZone }) => ({ id, name, realName, isAdmin, timeZone })),
    you: person.id,
    places: places.map(({ id, name, kind }) =>
      kind === "im" ? { id, name: app.name, kind: "direct" } : { id, name, kind: "channel" },
    ),
    messages: messages.sort((one, other) => Number(one.ts) - Number(other.ts)),
    modal: person.modal ?? null,
    home: person.home ?? null,
    incident: incident.until ?? null,
    log: log.lines,
  };
}

/** Returns the conversations of a person. The one with the app is last. */
export function placesOf(team: Workspace, person: Person): Place[] {
  const channels = team.places.filter((place) => place.has(person));
  return team.isInstalled ? [...channels, person.directPlace] : channels;
}
