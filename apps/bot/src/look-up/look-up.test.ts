import { checkBlocks, type Person, type SeenView, textOf } from "@media-ops/fake-slack";
import { formatLogs } from "@media-ops/formatters/slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { WebClient } from "@slack/web-api";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { created, failure, ids, refusal, webhook } from "../test/entries.js";
import { sendPayload } from "../test/requests.js";
import {
  connectProject,
  expectWords,
  labelsOf,
  newRoom,
  type Stage,
  type StageOptions,
  startStage,
} from "../test/stage.js";
import { findSubjects, piecesOf, wordsIn } from "./look-up.js";

async function startWithEvents(options: StageOptions = {}): Promise<Stage> {
  const stage = await startStage(options);
  await stage.service.add("events", created({ minutesAgo: 9 }), failure({ minutesAgo: 8 }), refusal());
  return stage;
}

/** For tests that log nothing more, and change nothing for the workspace. */
const shared = await startWithEvents({ atEnd: closeAfterAll() });

const isWaiting = (view: SeenView): boolean => textOf(view).includes("One moment");

/** The window after it was filled. */
const windowOf = ({ slack }: Stage, person: Person): Promise<SeenView> =>
  slack.until(() => (person.modal && !isWaiting(person.modal) ? person.modal : undefined));

/** Uses the shortcut on a message with this text, and returns the window. */
async function lookUp(stage: Stage, text: string, person = stage.ann): Promise<SeenView> {
  const message = await stage.bob.says(text, { in: stage.general });
  await person.messageShortcut(message, "look_up");
  return windowOf(stage, person);
}

describe("the shortcut Look up in Media Ops", () => {
  it("shows the trace of the id in a message, in a window for that person alone", async () => {
    const stage = newRoom(shared);
    const view = await lookUp(stage, `why did ${ids.connection_id} drop?`);
    expect(view.title).toBe("Trace");
    expect(checkBlocks(view.blocks, "modal")).toEqual({ ok: true });
    expect(textOf(view)).toContain(`Trace of connection ${ids.connection_id}, project demo`);
    expect(textOf(view)).toContain("connection 0J9V6TQ2…W1NA failed after 20 s: ICE timeout");
    expect(stage.bob.modal).toBeUndefined();
    expect(stage.bob.sees(stage.general)).toHaveLength(1);
  });

  it.each([
    ["0J9V6TQ2…W1NA", `connection ${ids.connection_id}`],
    ["calls drop in lobby@demo", "channel lobby"],
    ["`c1` can't connect", "client c1"],
    [`session ${ids.session_id}`, `session ${ids.session_id}`],
    ["Customers in lobby say that calls drop, why?", "channel lobby"],
    ["why can't c1 connect?", "client c1"],
  ])("finds what %s names", async (text, subject) => {
    const stage = newRoom(shared);
    expect(textOf(await lookUp(stage, text))).toContain(`Trace of ${subject}, project demo`);
  });

  it("leads to a message with all controls, which only that person sees", async () => {
    const stage = newRoom(shared);
    const view = await lookUp(stage, ids.connection_id);
    expect(view.submit).toBe("Show as a message");
    const message = await stage.next(stage.ann, stage.general, () => stage.ann.submit());
    expect(message.isOnlyVisibleToYou).toBe(true);
    expect(labelsOf(message)).toEqual(["Refresh", "Share here", "CSV"]);
    expect(textOf(message)).toContain("failed after 20 s: ICE timeout");
    expect(stage.bob.sees(stage.general)).toHaveLength(1);
  });

  it("offers a button for each of several things, which shows its trace in the same window", async () => {
    const stage = newRoom(shared);
    const choice = await lookUp(stage, `\`c1\` or 0J9V6TQ2…W1NA in lobby@demo?`);
    expect(textOf(choice)).toContain("This message names several things.");
    expect(labelsOf(choice)).toEqual(["0J9V6TQ2…W1NA", "channel lobby", "c1"]);
    expect(checkBlocks(choice.blocks, "modal")).toEqual({ ok: true });
    await stage.ann.press(choice, "c1");
    const view = await stage.slack.until(() =>
      textOf(stage.ann.modal ?? []).includes("Trace of client c1") ? stage.ann.modal : undefined,
    );
    expect(view.id).toBe(choice.id);
    const message = await stage.next(stage.ann, stage.general, () => stage.ann.submit());
    expect(textOf(message)).toContain("client c1 refused: channel full (5 of 5)");
  });

  it("says what it looks for if a message names nothing", async () => {
    const stage = newRoom(shared);
    const view = await lookUp(stage, "good morning");
    expectWords(view, "No id, no channel and no client was found in this message.", "0J9V6TQ2…W1NA");
    expect(checkBlocks(view.blocks, "modal")).toEqual({ ok: true });
  });

  it("finds names without their kind only among the events of the last day", async () => {
    const stage = await startStage();
    await stage.service.add("events", refusal({ client_id: "c1", minutesAgo: 25 * 60 }), created({ client_id: "c2" }));
    const choice = await lookUp(stage, "c1, c2: who is in lobby?");
    expect(labelsOf(choice)).toEqual(["channel lobby", "client c2"]);
  });

  it("says what was searched if nothing is known of an id", async () => {
    const stage = newRoom(shared);
    const view = await lookUp(stage, "9Z9V6TQ2M4EXK7C3R8ZB5HW1NA");
    expect(textOf(view)).toContain("Nothing was found. Searched: event log, ");
  });

  it("reads a table that the bot shared", async () => {
    const stage = await startStage();
    await stage.service.add("events", refusal({ client_id: "c1" }));
    const own = await stage.ask(stage.ann, "/media logs events");
    const posted = await stage.next(stage.bob, stage.general, () => stage.ann.press(own, "Share here"));
    await stage.bob.messageShortcut(posted, "look_up");
    expect(labelsOf(await windowOf(stage, stage.bob))).toEqual(["channel lobby", "client c1"]);
  });

  it("opens one window on a double click, and if Slack sends it twice", async () => {
    const stage = await startWithEvents();
    const message = await stage.bob.says(ids.connection_id, { in: stage.general });
    stage.slack.repeatNext();
    await Promise.all([1, 2].map(() => stage.ann.messageShortcut(message, "look_up")));
    await stage.settled();
    expect(stage.slack.transcript.filter(({ name }) => name === "views.open")).toHaveLength(1);
  });

  it("explains in the window that no project is connected, and who can connect one", async () => {
    const stage = await startStage({ media: "none" });
    expect(textOf(await lookUp(stage, ids.connection_id, stage.bob))).toContain(
      "No project is connected yet. Ask an admin",
    );
  });
});

describe("the project of a message", () => {
  async function startWithTwo(): Promise<Stage> {
    const stage = await startWithEvents();
    await connectProject(stage, "other", "Only for commands that name it");
    return stage;
  }

  it("is the one that a channel's id names", async () => {
    const stage = await startWithTwo();
    await stage.service.project("other").add("events", refusal({ channel_id: "stage@other" }));
    const view = await lookUp(stage, "stage@other is full");
    expectWords(view, "Trace of channel stage, project other", "channel full (5 of 5)");
  });

  it("is the one that is used in the channel, and the window leads to the others if it has nothing", async () => {
    const stage = await startWithTwo();
    await stage.service.project("other").add("events", refusal({ client_id: "c9", channel_id: "stage@other" }));
    const none = await lookUp(stage, "`c9`");
    expect(textOf(none)).toContain("Trace of c9, project demo");
    await stage.ann.press(none, "In other");
    await stage.slack.until(() => textOf(stage.ann.modal ?? []).includes("Trace of client c9, project other"));
  });

  it("is asked for if none is used there", async () => {
    const stage = await startWithTwo();
    await connectProject(stage, "third", "In the whole workspace");
    const question = await stage.ask(stage.ann, "/media forget third");
    await stage.next(stage.ann, stage.general, () => stage.ann.press(question, "Remove third"));
    expect(labelsOf(await lookUp(stage, "`c1`", stage.bob))).toEqual(["c1 in demo", "c1 in other"]);
  });
});

describe("in a thread", () => {
  async function startInThread({ withBot }: { withBot: boolean }) {
    const stage = await startWithEvents();
    const { ann, bob, team } = stage;
    const place = team.addChannel({ name: "ops", members: [ann, bob], withBot });
    const first = await bob.says("calls drop", { in: place });
    const client = new WebClient(team.botToken, { slackApiUrl: stage.slack.apiUrl });
    const reply = { channel: place.id, thread_ts: first.ts, text: ids.connection_id };
    // A message in a thread of a channel that the bot may have left since.
    await (withBot ? client.chat.postMessage(reply) : bob.says(ids.connection_id, { in: place }));
    const message = ann.sees(place).at(-1) ?? first;
    await ann.messageShortcut(message, "look_up");
    await windowOf(stage, ann);
    const shown = await stage.next(ann, place, () => ann.submit());
    const sent = (name: string) =>
      stage.slack.transcript.filter((entry) => entry.name === name).map(({ detail }) => detail);
    return { stage, place, first, shown, sent };
  }

  it("the message is there, too, for that person alone, and stays there", async () => {
    const { stage, place, first, shown, sent } = await startInThread({ withBot: true });
    expect(shown.isOnlyVisibleToYou).toBe(true);
    expect(sent("chat.postEphemeral")).toMatchObject([{ args: { thread_ts: first.ts } }]);
    const refreshed = await stage.next(stage.ann, place, () => stage.ann.press(shown, "Refresh"));
    expect(refreshed.ts).toBe(shown.ts);
    expect(sent("response_url").at(-1)).toMatchObject({ args: { thread_ts: first.ts, replace_original: true } });
  });

  it("a page is shared there", async () => {
    const { stage, place, first, shown, sent } = await startInThread({ withBot: true });
    await stage.next(stage.bob, place, () => stage.ann.press(shown, "Share here"));
    expect(sent("response_url")).toContainEqual(
      expect.objectContaining({
        args: expect.objectContaining({ thread_ts: first.ts, response_type: "in_channel", replace_original: false }),
      }),
    );
  });
});

/** A payload that was never sent by Slack. */
const forged = (stage: Stage, message: unknown) => ({
  type: "message_action",
  callback_id: "look_up",
  trigger_id: "1.2.3",
  user: { id: stage.ann.id, team_id: stage.team.id },
  team: { id: stage.team.id },
  channel: { id: stage.general.id },
  message,
});

it("a message that is none of Slack's changes nothing", async () => {
  const stage = newRoom(shared);
  for (const message of [
    null,
    {},
    { ts: "1.2", text: 5 },
    { ts: "1.2", blocks: "x" },
    { ts: "1.2", attachments: {} },
  ]) {
    expect((await sendPayload(stage, forged(stage, message))).status).toBe(400);
  }
  await stage.settled();
  expect(stage.ann.modal).toBeUndefined();
});

const projects = ["demo", "main.hall"];
const [connection, session] = [ids.connection_id, ids.session_id];

type Message = Partial<Parameters<typeof piecesOf>[0]>;

const foundIn = ({ text = "", blocks = [], attachments = [] }: Message) =>
  findSubjects(piecesOf({ text, blocks, attachments }), projects);
const namesIn = (message: Message) => foundIn(message).map(({ what }) => what);

describe("in a text, a message names", () => {
  it.each<[string, string[]]>([
    [`connection ${connection} failed`, [connection]],
    [`(${connection}), then ${session}.`, [connection, session]],
    ["connection 0J9V6TQ2…W1NA failed", ["0J9V6TQ2…W1NA"]],
    ["connection 0J9V6TQ2...W1NA failed", ["0J9V6TQ2…W1NA"]],
    ["it begins with 0J9V6TQ2…", ["0J9V6TQ2…"]],
    ["client stage-ca…ra-2 was refused", ["stage-ca…ra-2"]],
    ["calls drop in lobby@demo, why?", ["lobby@demo"]],
    ["in &lt;lobby@demo&gt; and side@room@demo.", ["lobby@demo", "side@room@demo"]],
    ["stage@main.hall is empty", ["stage@main.hall"]],
    ["client `c1` retries, and `stage-camera-2`", ["c1", "stage-camera-2"]],
    ["`lobby@demo`", ["lobby@demo"]],
    [`see <https://status.example/${connection}>`, [connection]],
  ])("%s", (text, names) => {
    expect(namesIn({ text })).toEqual(names);
  });

  it.each([
    "",
    "calls drop in lobby",
    "ask ann@acme.example or bob@demo.example",
    "nobody@demolition",
    "HELLO... ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "`/media trace lobby` `--help` `https://hooks.example/media` `503` `two words`",
    "```\nconst c1 = `x`;\n```",
    "x0J9V6TQ2M4EXK7C3R8ZB5HW1NA 0J9V6TQ2M4EXK7C3R8ZB5HW1NA_ 0J9V6TQ2M4EXK7C3R8ZB5HW1NAB",
  ])("nothing: %s", (text) => {
    expect(namesIn({ text })).toEqual([]);
  });

  it("whole ids first, then shortened ones, channels and code spans, in the order of the text", () => {
    const text = `\`c1\` in lobby@demo: 7N3DS2KQ…B6RY, ${connection}, 1N3DS2KQ…B6RY and side@demo`;
    expect(namesIn({ text })).toEqual([connection, "7N3DS2KQ…B6RY", "1N3DS2KQ…B6RY", "lobby@demo", "side@demo", "c1"]);
  });

  it("each thing once, also if it is shortened in one place", () => {
    const text = `0J9V6TQ2…W1NA is ${connection}, \`${connection}\`, ${connection}`;
    expect(namesIn({ text })).toEqual([connection]);
  });

  it("no key and no token, though it may look like an id", () => {
    const key = "mo_0123_0123456789ABCDEFGHJKMNPQRS";
    const token = `eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiIxIn0.${"0123456789ABCDEFGHJKMNPQRS".repeat(2)}`;
    expect(namesIn({ text: `\`${key}\` ${key} ${token} \`${token}\`` })).toEqual([]);
  });
});

it.each<[string, string[]]>([
  ["Customers in lobby say that calls drop, why?", ["Customers", "in", "lobby", "say", "that", "calls", "drop", "why"]],
  ["tv-61 (again). room_2.1! tv-61", ["tv-61", "again", "room_2.1"]],
  ["5 of 503, and 1234", ["of", "and", "1234"]],
  ["key mo_0123_0123456789ABCDEFGHJKMNPQRS", ["key", "mo_0123", "redacted"]],
])("the words of a message %s", (text, words) => {
  expect(wordsIn(piecesOf({ text, blocks: [], attachments: [] }))).toEqual(words);
});

describe("in blocks, a message names", () => {
  it("what the columns of a shared table say, with what it is", () => {
    const { blocks } = formatLogs("events", [failure({ client_id: "c1" })], { now: Date.now(), title: "events" });
    expect(foundIn({ blocks })).toEqual([
      { what: "lobby", is: "channel" },
      { what: "c1", is: "client" },
    ]);
    const wide = formatLogs("connections", [{ ...ids, channel_id: "lobby@demo", client_id: "" }], { now: Date.now() });
    expect(foundIn({ blocks: wide.blocks })).toContainEqual({ what: "lobby", is: "channel" });
    const hooks = formatLogs("webhooks", [webhook()], { now: Date.now() });
    expect(foundIn({ blocks: hooks.blocks })).toEqual([]);
  });

  it("ids, channels and code spans of rich text, sections and attachments, but not of buttons", () => {
    const rich = {
      type: "rich_text",
      elements: [
        {
          type: "rich_text_section",
          elements: [
            { type: "text", text: "client " },
            { type: "text", text: "c1", style: { code: true } },
            { type: "text", text: " in lobby@demo" },
          ],
        },
      ],
    };
    const button = { type: "button", text: { type: "plain_text", text: session }, value: session };
    const blocks = [rich, { type: "actions", elements: [button] }];
    const attachments = [{ fields: [{ title: "Connection", value: connection }], footer: "`c2`" }];
    expect(namesIn({ blocks, attachments })).toEqual([connection, "lobby@demo", "c1", "c2"]);
  });
});

describe("any message", () => {
  it("is read, whatever its blocks contain", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.array(fc.jsonValue()), fc.string(), (blocks, attachments, text) => {
        for (const { what } of foundIn({ blocks, attachments, text })) expect(what).not.toBe("");
      }),
    );
  });

  it("is read in little time, however long, deep or odd it is", () => {
    let deep: unknown = { type: "text", text: connection };
    for (let level = 0; level < 5000; level++) deep = { elements: [deep] };
    const odd = [
      "a".repeat(40_000),
      "0".repeat(40_000),
      "`".repeat(40_000),
      "@demo".repeat(8000),
      "0J9V…".repeat(8000),
    ];
    // The process's own time, which other programs on the machine don't add to.
    const started = process.cpuUsage();
    for (const text of odd) expect(foundIn({ text }).length).toBeLessThanOrEqual(50);
    expect(foundIn({ blocks: [deep] })).toEqual([]);
    expect(foundIn({ text: `${" ".repeat(200_000)}${connection}` })).toEqual([]);
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});
