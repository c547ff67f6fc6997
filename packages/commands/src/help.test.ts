import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { fieldsOf, kinds } from "./kinds.js";
import { defineLanguage } from "./language.js";
import { language as slack, terminal, when } from "./test/language.js";

const language = defineLanguage(coreCommands);
const topics = [...terminal.commands.map(({ name }) => name), ...kinds, "filters", "times"];

const rowsOf = (topic: string, title: string) =>
  language.help(topic).sections.find((section) => section.title === title)?.rows ?? [];

describe("the help", () => {
  it("lists every command, every log and all other topics if no topic is given", () => {
    const { sections, usage } = language.help();
    const terms = sections.flatMap(({ rows }) => rows.map(([term]) => term));
    expect(terms).toEqual([...language.commands.map(({ name }) => name), ...kinds, "help filters", "help times"]);
    expect(usage[0]).toBe(
      "logs <kind> [filters] [since:2h] [until:1h] [zone:Tokyo] [last:50] [top:10] [sort:elapsed] [in:demo] [as:table]",
    );
    expect(usage[2]).toBe(
      "trace <channel or id> [since:2h] [until:1h] [zone:Tokyo] [in:demo] [is:channel] [last:50] [as:timeline]",
    );
    expect(usage[3]).toBe("why [channel] [since:2h] [until:1h] [zone:Tokyo] [in:demo]");
    expect(usage[4]).toBe("live [channel] [in:demo]");
    expect(usage[5]).toBe("token <channel> [role:recvonly] [for:10m] [max:5] [id:<uuid>] [starting:09:00] [in:demo]");
  });

  it.each(topics)("on %s has only examples that parse, and no empty text", (topic) => {
    const { title, about, usage, sections, examples } = terminal.help(topic);
    expect(title).toBe(topic);
    if (terminal.commandNamed(topic)?.name === topic) expect(usage[0]).toMatch(new RegExp(`^${topic}\\b`));
    for (const [text] of examples) expect(terminal.parse(text, when)).toMatchObject({ ok: true });
    const texts = [about, ...sections.flatMap(({ rows }) => rows.flat()), ...examples.flat()];
    expect(texts.filter((text) => text.trim() === "")).toEqual([]);
    expect(sections.every(({ rows }) => rows.length > 0)).toBe(true);
  });

  it.each(kinds)("on %s explains every field with its type and an example", (kind) => {
    const rows = rowsOf(kind, "Fields");
    expect(rows.map(([name]) => name)).toEqual(fieldsOf(kind).map(({ name }) => name));
    expect(rows.filter(([, meaning]) => !/\. Type: .+\./.test(meaning))).toEqual([]);
  });

  it.each(kinds)("on %s has an example", (kind) => {
    expect(language.help(kind).examples.length).toBeGreaterThan(0);
  });

  it("shows the default of each option", () => {
    expect(rowsOf("token", "Options")).toContainEqual([
      "role:recvonly",
      "What its holder may do. One of recvonly, sendonly, sendrecv or any. Default: recvonly.",
    ]);
  });

  it("lists all values of a field with a closed list", () => {
    const rows = new Map(rowsOf("events", "Fields"));
    expect(rows.get("outcome")).toMatch(/ Type: one of refused, failed or ok\.$/);
    expect(rows.get("reason")).toMatch(/ Type: one of ice-timeout, ice-failed, .*, expired, .* or other\.$/);
  });

  it("says what a trace is of, and how far back why looks", () => {
    expect(rowsOf("trace", "Options")).toContainEqual([
      "is:channel",
      "Which of these it is. One of channel, session, connection, client or bundle. Default: found out.",
    ]);
    expect(rowsOf("trace", "Aliases")).toEqual([["timeline", "the same as trace"]]);
    expect(rowsOf("why", "Options")[0]).toEqual([
      "since:2h",
      "Entries since this time. last:2h means the same. Default: the last hour.",
    ]);
    expect(rowsOf("live", "Arguments")).toEqual([
      ["<channel>", "The channel, with each of its connections. Default: all channels of the project."],
    ]);
  });

  it("accepts aliases and several words as a topic", () => {
    expect(language.help("hook").title).toBe("webhooks");
    expect(language.help("logs media api").title).toBe("media-api");
    expect(language.help("TOKENS").title).toBe("token");
  });

  it("shows the nearest topic if the topic is unknown", () => {
    expect(language.help("tokne")).toMatchObject({
      title: "token",
      about: 'Unknown help topic "tokne"; this is token. Creates an access token for clients.',
    });
    expect(language.help("qqqqq")).toMatchObject({
      title: "Commands",
      about: 'Unknown help topic "qqqqq"; this is the overview.',
    });
  });

  it("shows commands in Slack syntax or in shell syntax", () => {
    expect(language.help("logs", { prefix: "/media" }).examples[0]?.[0]).toBe("/media logs webhooks failed since:2h");
    expect(language.help("logs", { prefix: "media" }).examples.map(([text]) => text)).toContain(
      "media logs connections 'bytes>10MB' 'duration<5m'",
    );
    expect(language.help("token", { prefix: "/media" }).usage[0]).toMatch(/^\/media token <channel>/);
  });

  it("shows which words are typed as they are, and the options of Slack's commands", () => {
    const rows = slack.help("revoke").sections.find(({ title }) => title === "Arguments")?.rows;
    expect(rows?.map(([term]) => term)).toEqual(["<channel>", "<token id>", "disconnect"]);
    expect(slack.help("watch").usage).toEqual([
      "watch <kind> [filters] [when:count>20] [over:5m] [in:demo] [quiet:22:00-07:00]",
    ]);
    expect(slack.help("digest").usage).toEqual(["digest [at:09:00] [in:#general] [project:demo]"]);
  });
});
