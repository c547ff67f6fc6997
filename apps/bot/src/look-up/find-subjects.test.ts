import { formatLogs } from "@media-ops/formatters/slack";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failure, ids, webhook } from "../test/entries.js";
import { findSubjects, piecesOf, wordsIn } from "./look-up.js";

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

describe("the words of a message", () => {
  it.each<[string, string[]]>([
    [
      "Customers in lobby say that calls drop, why?",
      ["Customers", "in", "lobby", "say", "that", "calls", "drop", "why"],
    ],
    ["tv-61 (again). room_2.1! tv-61", ["tv-61", "again", "room_2.1"]],
    ["5 of 503, and 1234", ["of", "and", "1234"]],
    ["key mo_0123_0123456789ABCDEFGHJKMNPQRS", ["key", "mo_0123", "redacted"]],
  ])("%s", (text, words) => {
    expect(wordsIn(piecesOf({ text, blocks: [], attachments: [] }))).toEqual(words);
  });
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
