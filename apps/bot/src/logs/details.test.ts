import { buttonsOf, checkBlocks, type Person, type SeenMessage, type SeenView, textOf } from "@media-ops/fake-slack";
import type { ConnectionLogEntry, SessionLogEntry } from "@media-ops/sdk";
import { describe, expect, it } from "vitest";
import { created, failure, ids, webhook } from "../test/entries.js";
import { labelsOf, plainStage, roomsIn, type Stage, stageWith, startStage } from "../test/stage.js";

const timeOf = (minutesAgo: number): string => new Date(Date.now() - minutesAgo * 60_000).toISOString();

const session = (id: string, minutesAgo: number): SessionLogEntry => ({
  timestamp: timeOf(minutesAgo),
  channel_id: "lobby@demo",
  session_id: id,
  total_connections: 2,
  max_connections: 1,
  created_timestamp: timeOf(minutesAgo + 10),
  destroyed_timestamp: timeOf(minutesAgo),
  duration_min: 10,
});

const connection = (id: string, sessionId: string, minutesAgo: number): ConnectionLogEntry => ({
  timestamp: timeOf(minutesAgo),
  channel_id: "lobby@demo",
  session_id: sessionId,
  client_id: `client of ${id}`,
  bundle_id: "",
  connection_id: id,
  total_received_bytes: 5,
  total_sent_bytes: 7,
  created_timestamp: timeOf(minutesAgo + 5),
  destroyed_timestamp: timeOf(minutesAgo),
  duration_min: 5,
});

/** The entries in the menu of a message. */
const optionsIn = (message: SeenMessage): string[] =>
  textOf(message).split("Details of…\n")[1]?.split("\n").filter(Boolean) ?? [];

/** Chooses one of the entries, counted from 0, and returns the window after it was filled. */
async function look({ slack }: Stage, person: Person, message: SeenMessage, at: number): Promise<SeenView> {
  await person.choose(message, "Details of…", optionsIn(message)[at] ?? "");
  return slack.until(() => (person.modal && isWaiting(person.modal) ? undefined : person.modal));
}

const isWaiting = (view: SeenView): boolean => textOf(view).includes("One moment");

describe("the details of an entry", () => {
  it("show every field of the chosen entry as it was sent, even after it has moved, for that person alone", async () => {
    const stage = await startStage();
    const { ann, service } = stage;
    const entry = webhook({ type: "connection.created", status: 503, elapsed_time_ms: 12_345 });
    const equal = webhook({ minutesAgo: 9 });
    await service.add("webhooks", equal, equal, entry);
    const message = await stage.ask(ann, "/media logs webhooks");
    await service.add("webhooks", webhook({ minutesAgo: 0, elapsed_time_ms: 99 }));
    const view = await look(stage, ann, message, 0);
    expect(view).toMatchObject({ title: "Webhook", submit: undefined });
    for (const part of [entry.timestamp, "12.3 s (12,345 ms)", "https://hooks.example/media"]) {
      expect(textOf(view)).toContain(part);
    }
    await ann.close();
    expect(textOf(await look(stage, ann, message, 2))).toContain("Took\n84 ms");
    expect(stage.bob.modal).toBeUndefined();
  });

  it("report that the entry is gone if the service no longer lists it", async () => {
    const stage = await plainStage();
    stage.media.add("webhooks", webhook({ minutesAgo: 5, elapsed_time_ms: 1 }));
    const message = await stage.ask(stage.ann, "/media logs webhooks");
    stage.media.add("webhooks", ...Array.from({ length: 1000 }, () => webhook()));
    expect(textOf(await look(stage, stage.ann, message, 0))).toContain(
      "This entry is no longer listed. The service keeps entries for 30 days.",
    );
  });
});

describe("from a session to its connections and back", () => {
  async function startWithSessions(): Promise<Stage> {
    const stage = await startStage();
    const sessions = Array.from({ length: 30 }, (_, at) => session(`session-${30 - at}`, 30 - at));
    await stage.service.add("sessions", ...sessions);
    await stage.service.add(
      "connections",
      connection("a", "session-25", 27),
      connection("b", "session-25", 26),
      connection("c", "session-3", 4),
    );
    return stage;
  }
  const submit = (stage: Stage) => stage.next(stage.ann, stage.general, () => stage.ann.submit());

  it("shows the connections of that session in place, and leads back to the previous page", async () => {
    const stage = await startWithSessions();
    const first = await stage.ask(stage.ann, "/media logs sessions channel:lobby");
    const older = await stage.press(first, "Older");
    await stage.service.add("sessions", session("session-0", 0));
    const view = await look(stage, stage.ann, older, 4);
    expect([view.title, view.submit]).toEqual(["Session", "Show its connections"]);
    expect(textOf(view)).toContain("session-25");

    const connections = await submit(stage);
    expect(stage.ann.modal).toBeUndefined();
    expect(connections.ts).toBe(first.ts);
    expect(connections.text).toContain("2 connections of 3, session session-25, project demo: 2 connections");
    expect(labelsOf(connections)).toContain("Back to sessions");

    const back = await stage.press(await stage.press(connections, "Refresh"), "Back to sessions");
    expect(back.text).toContain("channel lobby");
    expect(optionsIn(back)).toEqual(optionsIn(older));
    expect(back.text).toContain("22–31 of 31 sessions");
  });

  it("leads from a connection to its session and back, each time to the previous page", async () => {
    const stage = await startWithSessions();
    const sessions = await stage.ask(stage.ann, "/media logs sessions");
    await look(stage, stage.ann, sessions, 2);
    const connections = await submit(stage);
    const view = await look(stage, stage.ann, connections, 0);
    expect([view.title, view.submit]).toEqual(["Connection", "Show its session"]);
    const found = await submit(stage);
    expect(found.text).toContain("1 session of 30, session session-3, project demo: 1 session");
    const back = await stage.press(found, "Back to connections");
    expect(optionsIn(back)).toEqual(optionsIn(connections));
  });

  it("reports a session that has not ended, and keeps the way back after other pages were opened in between", async () => {
    const stage = await stageWith("connections", connection("a", "session-1", 1));
    await stage.service.add("sessions", session("session-2", 2));
    const connections = await stage.ask(stage.ann, "/media logs connections");
    await look(stage, stage.ann, connections, 0);
    const none = await submit(stage);
    expect(textOf(none)).toContain("A session is logged when it ends.");
    const all = await stage.press(none, "Without the filters");
    expect(all.text).toBe("1 session, project demo: 1 session");
    expect(optionsIn(await stage.press(all, "Back to connections"))).toHaveLength(1);
  });

  it("offers nothing for a connection without a session", async () => {
    const stage = await stageWith("connections", connection("a", "", 1));
    const connections = await stage.ask(stage.ann, "/media logs connections");
    expect((await look(stage, stage.ann, connections, 0)).submit).toBeUndefined();
  });
});

const room = await roomsIn(async (options) => {
  const stage = await startStage(options);
  await stage.service.add("events", created({ minutesAgo: 9 }), failure({ minutesAgo: 8 }));
  const about = { channel_id: "lobby@demo", connection_id: ids.connection_id };
  await stage.service.add("webhooks", webhook(), webhook({ minutesAgo: 8, status: 503, ...about }));
  return stage;
});

describe("from an entry to the traces of what it names", () => {
  /** The window of the newest entry of a listing. */
  async function startAtEntry(logs: string) {
    const stage = room();
    const listing = await stage.ask(stage.ann, `/media logs ${logs}`);
    return { stage, listing, view: await look(stage, stage.ann, listing, 0) };
  }
  const windowWith = ({ slack, ann }: Stage, words: string): Promise<SeenView> =>
    slack.until(() => (ann.modal && textOf(ann.modal).includes(words) ? ann.modal : undefined));

  it.each([
    ["events", ["Trace connection", "Trace session", "Trace client", "Trace channel"]],
    ["webhooks", ["Trace connection", "Trace channel"]],
  ])("the window of one of the %s has a button for each", async (kind, labels) => {
    const { view } = await startAtEntry(`${kind} failed`);
    expect(labelsOf(view)).toEqual(labels);
    expect(checkBlocks(view.blocks, "modal")).toEqual({ ok: true });
  });

  it("a button shows the trace in the window, which becomes a message in place, with the way back", async () => {
    const { stage, listing, view } = await startAtEntry("webhooks failed");
    await stage.ann.press(view, "Trace connection");
    const trace = await windowWith(stage, `Trace of connection ${ids.connection_id}, project demo`);
    expect(trace.id).toBe(view.id);
    expect(textOf(trace)).toContain("failed after 20 s: ICE timeout");
    expect(checkBlocks(trace.blocks, "modal")).toEqual({ ok: true });
    const message = await stage.next(stage.ann, stage.general, () => stage.ann.submit());
    expect(message.ts).toBe(listing.ts);
    expect(stage.ann.modal).toBeUndefined();
    const back = await stage.press(message, "Back to webhooks");
    expect(textOf(back)).toContain("1 failed webhook");
  });

  it("a channel and a client are shown from the entry's time on, with what was before", async () => {
    const { stage, view } = await startAtEntry("events failed");
    await stage.ann.press(view, "Trace channel");
    const trace = await windowWith(stage, "Trace of channel lobby, project demo");
    expect(textOf(trace)).toContain("ICE timeout");
    expect(textOf(trace)).not.toContain("W1NA created");
    const message = await stage.next(stage.ann, stage.general, () => stage.ann.submit());
    const older = await stage.press(message, "Older");
    expect(textOf(older)).toContain("connection 0J9V6TQ2…W1NA created");
  });

  it("an entry that names nothing has no buttons", async () => {
    expect(buttonsOf((await startAtEntry("webhooks")).view)).toEqual([]);
  });
});
