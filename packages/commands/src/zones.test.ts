import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { defineLanguage } from "./language.js";
import { when } from "./test/language.js";

const language = defineLanguage(coreCommands);

function parse(typed: string, timeZone = "Europe/Berlin", now = when.now) {
  return language.parse(`logs webhooks ${typed}`, { now, timeZone });
}

const reasonOf = (typed: string): string => {
  const result = parse(typed);
  return result.ok ? "understood" : result.problem.reason;
};

describe("a time with a zone", () => {
  it("is the same in a filter, and in a range of which both ends name it", () => {
    const both = parse('time:"yesterday 14:00 Tokyo".."yesterday 15:00 Tokyo"');
    expect(both.ok && language.write(both.command)).toBe(
      "logs webhooks time:2026-11-20T05:00:00.000Z..2026-11-20T06:00:00.000Z",
    );
    expect(reasonOf('time:"yesterday 14:00".."15:00 Tokyo"')).toBe(
      'In "yesterday 14:00..15:00 Tokyo", the zone must follow both times.',
    );
  });

  it("may be half of a period that ends on the same day", () => {
    const now = Date.parse("2026-11-21T00:30:00Z");
    const period = parse("since:9:00 Tokyo until:10:00 Tokyo", "UTC", now);
    expect(period.ok && language.describe(period.command, { timeZone: "Asia/Tokyo" })).toBe(
      "webhook logs, since 2026-11-21 09:00, until 2026-11-21 10:00, Asia/Tokyo",
    );
  });
});

describe("a time with a zone that is unknown", () => {
  const notPart = (word: string): string =>
    `Unexpected "${word}": write filters as type:session.created, options as since:2h, and values with spaces in quotes.`;

  it.each([
    // With two meanings: in Los Angeles, and in Manila.
    ["since:yesterday 14:00 PST", notPart("PST")],
    ["since:yesterday 14:00 Mordor", notPart("Mordor")],
    ["since:yesterday 14:00 Tokio failed", notPart("Tokio")],
    ["since:2h Tokyo", notPart("Tokyo")],
    [
      'since:"yesterday 14:00 IST"',
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "yesterday 14:00 IST".',
    ],
    ["since:yesterday zone:Tokoy", 'zone takes a time zone, such as Asia/Tokyo, Tokyo or +09:00, not "Tokoy".'],
    ["zone:est", 'zone takes a time zone, such as Asia/Tokyo, Tokyo or +09:00, not "est".'],
  ])("is refused: %s", (typed, reason) => {
    expect(reasonOf(typed)).toBe(reason);
  });
});

describe("the zone of a period", () => {
  const commandFor = (typed: string) => {
    const result = parse(typed);
    if (!result.ok || result.command.name !== "logs") throw new Error(`${typed} was not understood`);
    return result.command;
  };
  const periodFor = (typed: string): string =>
    language.phrases(commandFor(typed), { now: when.now, timeZone: "Europe/Berlin" }).period;

  it.each([
    [
      'since:"yesterday 14:00 Tokyo" until:"yesterday 15:00 Tokyo"',
      "since 2026-11-20 14:00 until 2026-11-20 15:00 Asia/Tokyo",
    ],
    ['since:2h until:"20:30 in tokyo"', "since 2026-11-21 19:00 until 2026-11-21 20:30 Asia/Tokyo"],
    ["since:yesterday zone:Tokyo", "since 2026-11-20 Asia/Tokyo"],
    ["since:2h tz:new_york", "since 2026-11-21 05:00 America/New_York"],
    ['since:"14:00 jst"', "since 2026-11-21 14:00 JST"],
    ['since:"2026-11-20 14:00 +09:00"', "since 2026-11-20 14:00 +09:00"],
    ['since:"9:00 utc"', "since 2026-11-21 09:00 UTC"],
    ["since:2h", "in the last 2 hours"],
    ["since:2026-11-20T05:00:00Z", "since 2026-11-20 06:00"],
    ["zone:Tokyo", ""],
  ])("is that of its times, which are shown in it: %s", (typed, period) => {
    expect(periodFor(typed)).toBe(period);
    const command = commandFor(typed);
    expect(commandFor(language.write(command).replace("logs webhooks ", ""))).toEqual(command);
  });

  it("is that in which all times of the command are read", () => {
    expect(commandFor('since:"yesterday 14:00" zone:Tokyo')).toEqual(commandFor('since:"yesterday 14:00 Tokyo"'));
    expect(commandFor('since:"yesterday 14:00 Tokyo" until:15:00')).toEqual(
      commandFor('since:"yesterday 14:00 Tokyo" until:"15:00 Tokyo"'),
    );
    expect(commandFor("since:yesterday 14:00 Tokyo until:yesterday 15:00")).toEqual(
      commandFor('since:"yesterday 14:00 Tokyo" until:"yesterday 15:00 Tokyo"'),
    );
    expect(commandFor('until:"today 20:00 Tokyo" since:"today 19:00"')).toEqual(
      commandFor('since:"today 19:00 Tokyo" until:"today 20:00 Tokyo"'),
    );
    expect(commandFor('since:"yesterday 14:00 Tokyo" time>"yesterday 15:00"').filters).toEqual(
      commandFor('since:"yesterday 14:00 Tokyo" time>"yesterday 15:00 Tokyo"').filters,
    );
    expect(commandFor('since:"yesterday 9:00 Berlin" until:"yesterday 19:00 Tokyo"')).toMatchObject({
      since: Date.parse("2026-11-20T08:00Z"),
      until: Date.parse("2026-11-20T10:00Z"),
    });
  });
});
