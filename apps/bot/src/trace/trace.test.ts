import { checkBlocks, type SeenMessage, textOf } from "@media-ops/fake-slack";
import type { EventLogEntry } from "@media-ops/sdk";
import { describe, expect, it } from "vitest";
import { connection, created, failure, ids, refusal, webhook } from "../test/entries.js";
import {
  connectProject,
  expectWords,
  labelsOf,
  plainStage,
  roomsIn,
  type Stage,
  type StageOptions,
  stageWith,
  startStage,
} from "../test/stage.js";

/** The entries of a menu of a message. */
const optionsIn = (message: SeenMessage, menu: string): string[] => {
  const [, ...rest] = textOf(message).split(`${menu}\n`);
  return (
    rest
      .join("")
      .split(/\n(?:Details of…|Trace of…)\n/)[0]
      ?.split("\n") ?? []
  );
};

const hook = () =>
  webhook({
    minutesAgo: 8,
    type: "connection.failed",
    status: 503,
    elapsed_time_ms: 3400,
    channel_id: "lobby@demo",
    connection_id: ids.connection_id,
  });

async function startWithEvents(options: StageOptions = {}): Promise<Stage> {
  const stage = await startStage(options);
  await stage.service.add(
    "events",
    created({ minutesAgo: 9 }),
    failure({ minutesAgo: 8.1 }),
    refusal({ minutesAgo: 1.5 }),
  );
  await stage.service.add("webhooks", hook());
  return stage;
}

const room = await roomsIn(startWithEvents);

describe("/media trace", () => {
  it("shows all that the logs have about a channel, oldest first, with gaps between, to that person alone", async () => {
    const stage = room();
    const message = await stage.ask(stage.ann, "/media trace lobby since:1h");
    expect(message.isOnlyVisibleToYou).toBe(true);
    expect(checkBlocks(message.blocks, "message")).toEqual({ ok: true });
    const lines = textOf(message).split("\n");
    expect(lines[0]).toBe("Trace of channel lobby, project demo");
    expect(lines[1]).toContain("4 lines in the last hour, 3 of them failures");
    expect(lines.slice(2, 7).map((line) => line.replace(/^\S+Z /, ""))).toEqual([
      "connection 0J9V6TQ2…W1NA created",
      "connection 0J9V6TQ2…W1NA failed after 20 s: ICE timeout · on node-2",
      "webhook connection.failed → 503 in 3.4 s · connection 0J9V6TQ2…W1NA · to hooks.example/media",
      expect.stringContaining("6 min"),
      "client c1 refused: channel full (5 of 5)",
    ]);
  });

  it.each([
    ["0J9V6TQ2…W1NA", `connection ${ids.connection_id}`],
    ["0J9V6TQ2...W1NA", `connection ${ids.connection_id}`],
    ["7N3D", `session ${ids.session_id}`],
    ["client:c1", "client c1"],
    ["lobby@demo", "channel lobby"],
  ])("finds out what %s is", async (what, subject) => {
    const stage = room();
    expect(await stage.read(stage.ann, `/media trace ${what}`)).toContain(`Trace of ${subject}, project demo`);
  });

  it("offers each of several things that a text may name, with its trace in place", async () => {
    const stage = await startStage();
    const twin = `${ids.connection_id.slice(0, 8)}1111111111111111W1NA`;
    await stage.service.add("events", failure({ minutesAgo: 5 }), failure({ connection_id: twin }));
    const choice = await stage.ask(stage.ann, "/media trace 0J9V6TQ2…W1NA");
    expect(textOf(choice)).toContain("This could be any of these:");
    expect(labelsOf(choice)).toEqual([`connection ${twin}`, `connection ${ids.connection_id}`, "Refresh"]);
    const shown = await stage.press(choice, `connection ${twin}`);
    expect(shown.ts).toBe(choice.ts);
    expect(textOf(shown)).toContain(`Trace of connection ${twin}, project demo`);
  });

  it("says what was searched if nothing was found, and searches wider by a button", async () => {
    const stage = await startWithEvents();
    await connectProject(stage, "other", "Only for commands that name it");
    await stage.service.project("other").add("events", refusal({ client_id: "c9", channel_id: "stage@other" }));
    const none = await stage.ask(stage.ann, "/media trace client:c1 until:1h");
    expect(textOf(none)).toMatch(/Nothing was found .*Searched: event log/);
    expect(labelsOf(none)).toEqual(["Without the time", "Not only as client", "In other", "Refresh"]);
    expect(textOf(await stage.press(none, "Without the time"))).toContain("client c1 refused");
    const other = await stage.ask(stage.ann, "/media trace c9");
    expect(textOf(await stage.press(other, "In other"))).toContain("Trace of client c9, project other");
  });

  it.each(["…", "...", "… …"])("says that %s is no id", async (what) => {
    const stage = room();
    expect(await stage.read(stage.ann, `/media trace "${what}"`)).toMatch(/trace takes an id or a channel/);
  });

  it("shows what a service without an event log knows, and says what is missing", async () => {
    const stage = await plainStage();
    stage.media.add("connections", connection({ minutesAgo: 5 }));
    const message = await stage.ask(stage.ann, "/media trace client:client");
    expectWords(message, "This service has no event log.", "✓ connection connection-5 ended");
    const none = await stage.ask(stage.ann, "/media trace unknown-one");
    expect(textOf(none)).toContain("Without an event log, a session or connection is logged when it ends.");
  });
});

describe("the pages of a trace", () => {
  /** Events of one channel, one a minute. */
  const many = (count: number, more: Partial<EventLogEntry> = {}) =>
    Array.from({ length: count }, (_, at) => failure({ minutesAgo: count - at, detail: `number ${at}`, ...more }));

  const numbersIn = (message: SeenMessage): number[] =>
    [...textOf(message).matchAll(/ICE timeout \(number (\d+)/g)].map(([, number]) => Number(number));

  /** Pages as far as a button leads; returns the numbers of each page. */
  async function walk(stage: Stage, first: SeenMessage, label: "Older" | "Newer") {
    const pages = [numbersIn(first)];
    let message = first;
    while (labelsOf(message).includes(label)) {
      message = await stage.press(message, label);
      pages.push(numbersIn(message));
    }
    return { pages, message };
  }

  it("have each line once, on the way to the oldest and back, while new ones are logged", async () => {
    const stage = await stageWith("events", ...many(120));
    const first = await stage.ask(stage.ann, "/media trace lobby");
    expect(labelsOf(first)).toEqual(["Older", "Refresh", "Share here", "CSV", "Disconnect…"]);
    await stage.service.add("events", failure({ minutesAgo: 0, detail: "number 120" }));
    const { pages, message } = await walk(stage, first, "Older");
    expect(pages.reverse().flat()).toEqual(Array.from({ length: 120 }, (_, at) => at));
    const back = await walk(stage, message, "Newer");
    expect(back.pages.flat()).toEqual(Array.from({ length: 121 }, (_, at) => at));
    expect(numbersIn(await stage.press(message, "Refresh")).at(-1)).toBe(120);
  });

  it("skip no line if fewer fit, because names are long", async () => {
    const stage = await startStage();
    const long = (letter: string, at: number) => `${at}${letter.repeat(1000)}`.slice(0, 255);
    const events = many(40).map((event, at) => ({
      ...event,
      detail: `number ${at} ${long("d", at)}`,
      client_id: long("c", at),
      node_name: long("n", at),
    }));
    await stage.service.add("events", ...events);
    const first = await stage.ask(stage.ann, "/media trace lobby");
    const { pages } = await walk(stage, first, "Older");
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.reverse().flat()).toEqual(Array.from({ length: 40 }, (_, at) => at));
  });

  it("have at most as many lines as the command says", async () => {
    const stage = await stageWith("events", ...many(9));
    const first = await stage.ask(stage.ann, "/media trace lobby last:4");
    expect(numbersIn(first)).toEqual([5, 6, 7, 8]);
    expect(numbersIn(await stage.press(first, "Older"))).toEqual([1, 2, 3, 4]);
  });
});

describe("from a trace", () => {
  it("a line leads to its entry, in a window", async () => {
    const stage = room();
    const { slack, ann } = stage;
    const message = await stage.ask(ann, "/media trace lobby");
    const [, , option = ""] = optionsIn(message, "Details of…");
    await ann.choose(message, "Details of…", option);
    const view = await slack.until(() =>
      ann.modal && !textOf(ann.modal).includes("One moment") ? ann.modal : undefined,
    );
    expect(view.title).toBe("Webhook");
    expect(textOf(view)).toContain("3.4 s (3,400 ms)");
  });

  const names = [`connection ${ids.connection_id}`, `session ${ids.session_id}`, "client stage-camera-2", "client c1"];
  it.each(names)(
    "a menu leads to all that its lines name, such as %s, which has a trace of its own that leads back",
    async (name) => {
      const stage = room();
      const { ann, general } = stage;
      const message = await stage.ask(ann, "/media trace lobby");
      expect(optionsIn(message, "Trace of…")).toEqual(names);
      const own = await stage.next(ann, general, () => ann.choose(message, "Trace of…", name));
      expect(own.ts).toBe(message.ts);
      expect(textOf(own)).toContain(`Trace of ${name}, project demo`);
      expect(optionsIn(own, "Trace of…")).not.toContain(name);
      expect(optionsIn(own, "Trace of…")).toContain("channel lobby");
      const back = await stage.press(own, "Back to the trace");
      expectWords(back, "Trace of channel lobby, project demo", "client c1 refused");
    },
  );
});

it("sharing a trace shows it to everyone, and who shared it; a person who looks closer gets the same lines", async () => {
  const stage = await startWithEvents();
  const { slack, ann, bob, general } = stage;
  const own = await stage.ask(ann, "/media trace lobby since:1h");
  await ann.press(own, "Share here", { times: 2 });
  const confirmed = await slack.until(() =>
    ann.sees(general).find((one) => textOf(one).includes("Shared with everyone")),
  );
  expect(confirmed.ts).toBe(own.ts);
  expect(labelsOf(confirmed)).not.toContain("Share here");
  await stage.settled();
  const [posted, ...others] = bob.sees(general);
  expect(others).toEqual([]);
  expect(textOf(posted ?? [])).toContain(`Shared by @${ann.id}`);
  expect(posted && labelsOf(posted)).toEqual(["Look closer"]);

  const same = await stage.press(confirmed, "Newer");
  expectWords(same, "No lines are newer; these are the newest.", "client c1 refused");
  await stage.service.add("events", refusal({ minutesAgo: 0, client_id: "late" }));
  const closer = await stage.press(posted ?? own, "Look closer", bob);
  expect(closer.isOnlyVisibleToYou).toBe(true);
  expect(textOf(closer)).toContain("client c1 refused");
  expect(textOf(closer)).not.toContain("client late");
  const newer = await stage.press(closer, "Newer", bob);
  expect(textOf(newer)).toContain("client late refused");
});

describe("the file of a trace", () => {
  it("has all lines, is sent to that person alone, and leaves the page as it is", async () => {
    const stage = await startStage();
    const { ann, bob } = stage;
    const events = Array.from({ length: 1100 }, (_, at) => failure({ minutesAgo: 1100 - at, detail: `number ${at}` }));
    await stage.service.add("events", ...events);
    const message = await stage.press(await stage.ask(ann, "/media trace lobby"), "Older");
    const done = await stage.press(message, "CSV");
    expect(done.ts).toBe(message.ts);
    expect(textOf(done)).toContain("number 1001");
    const [file] = ann.files();
    expect(textOf(done)).toContain(`The file ${file?.name} with 1,100 lines is in your direct messages with the bot.`);
    const lines = file?.content.trimEnd().split("\r\n") ?? [];
    expect(lines).toHaveLength(1101);
    expect(lines[0]).toContain("kind,timestamp,type,outcome,reason,words");
    expect(lines[1]).toContain("number 0");
    expect(lines[1100]).toContain("number 1099");
    expect(bob.files()).toEqual([]);
  });

  it.each([
    ["csv", /^trace-demo-.*\.csv$/],
    ["json", /^trace-demo-.*\.jsonl$/],
  ])("is sent at once with as:%s, with the newest lines that were asked for", async (as, name) => {
    const stage = room();
    const message = await stage.ask(stage.ann, `/media trace lobby last:2 as:${as}`);
    const [file] = stage.ann.files();
    expect(file?.name).toMatch(name);
    expect(file?.content).not.toContain("connection.created");
    expect(file?.content).toContain("c1");
    const shown = await stage.press(message, "Show it here");
    expect(textOf(shown)).toContain("2 lines");
  });

  it("is not sent if nothing was found", async () => {
    const stage = room();
    expect(await stage.read(stage.ann, "/media trace unknown-one as:csv")).toContain("Nothing was found.");
    expect(stage.ann.files()).toEqual([]);
  });
});
