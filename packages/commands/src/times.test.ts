import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { defineLanguage } from "./language.js";
import { when } from "./test/language.js";
import { zoneNamed } from "./times.js";

const language = defineLanguage(coreCommands);

type Option = "since" | "until" | "starting";

function read(option: Option, typed: string, timeZone: string | undefined, now = when.now): string {
  const quoted = `${option}:"${typed}"`;
  const result = language.parse(option === "starting" ? `token lobby ${quoted}` : `webhooks ${quoted}`, {
    now,
    timeZone,
  });
  if (!result.ok) throw new Error(result.problem.reason);
  const { command } = result;
  const instant =
    command.name === "token"
      ? command.starting
      : command.name === "logs"
        ? command[option === "until" ? "until" : "since"]
        : undefined;
  return new Date(instant ?? Number.NaN).toISOString();
}

describe("a time", () => {
  it.each<[string, Option, string, string, string]>([
    ["Europe/Berlin", "since", "today", "2026-11-21T12:00Z", "2026-11-20T23:00:00.000Z"],
    ["Asia/Tokyo", "since", "today", "2026-11-21T12:00Z", "2026-11-20T15:00:00.000Z"],
    ["Asia/Tokyo", "since", "today", "2026-11-21T15:00Z", "2026-11-21T15:00:00.000Z"],
    ["Asia/Kathmandu", "since", "09:00", "2026-11-21T12:00Z", "2026-11-21T03:15:00.000Z"],
    ["America/Los_Angeles", "since", "09:00", "2026-11-21T12:00Z", "2026-11-20T17:00:00.000Z"],
    ["Pacific/Kiritimati", "starting", "tomorrow", "2026-11-21T12:00Z", "2026-11-22T10:00:00.000Z"],
    ["Pacific/Kiritimati", "since", "2026-11-20 09:00 UTC", "2026-11-21T12:00Z", "2026-11-20T09:00:00.000Z"],
    ["Asia/Tokyo", "since", "9am utc", "2026-11-21T12:00Z", "2026-11-21T09:00:00.000Z"],
    ["no/where", "since", "today", "2026-11-21T12:00Z", "2026-11-21T00:00:00.000Z"],
    // Clocks went back at three in the morning of 25 October: that day has 25 hours.
    ["Europe/Berlin", "since", "yesterday", "2026-10-26T12:00Z", "2026-10-24T22:00:00.000Z"],
    ["Europe/Berlin", "until", "today", "2026-10-26T12:00Z", "2026-10-25T23:00:00.000Z"],
    ["Europe/Berlin", "since", "2026-10-25 02:30", "2026-10-26T12:00Z", "2026-10-25T00:30:00.000Z"],
    ["Europe/Berlin", "since", "2026-10-25 03:30", "2026-10-26T12:00Z", "2026-10-25T02:30:00.000Z"],
    ["Europe/Berlin", "since", "2d", "2026-10-26T12:00Z", "2026-10-24T12:00:00.000Z"],
    // Clocks went forward at two in the morning of 29 March: there was no half past two, and the day had 23 hours.
    ["Europe/Berlin", "since", "2026-03-29 02:30", "2026-03-30T12:00Z", "2026-03-29T01:30:00.000Z"],
    ["Europe/Berlin", "until", "2026-03-30", "2026-03-30T12:00Z", "2026-03-29T22:00:00.000Z"],
    ["Europe/Berlin", "since", "09:00", "2026-03-29T06:59Z", "2026-03-28T08:00:00.000Z"],
    ["Europe/Berlin", "since", "09:00", "2026-03-29T07:00Z", "2026-03-29T07:00:00.000Z"],
    ["America/New_York", "until", "2026-11-02", "2026-11-02T12:00Z", "2026-11-02T05:00:00.000Z"],
    // Clocks on Lord Howe Island change by half an hour.
    ["Australia/Lord_Howe", "since", "2026-04-05 01:45", "2026-04-06T00:00Z", "2026-04-04T14:45:00.000Z"],
    ["Australia/Lord_Howe", "since", "2026-10-04 02:15", "2026-10-05T00:00Z", "2026-10-03T15:45:00.000Z"],
    // This day began at one o'clock in Beirut.
    ["Asia/Beirut", "since", "2026-03-29", "2026-03-30T12:00Z", "2026-03-28T22:00:00.000Z"],
  ])("in %s, %s:%s at %s is %s", (zone, option, typed, now, instant) => {
    expect(read(option, typed, zone, Date.parse(now))).toBe(instant);
  });
});

describe("a time that RFC 3339 cannot write", () => {
  it.each(["since:9999-12-31", "until:9999-12-31"])("is rejected: %s in a zone behind UTC", (typed) => {
    const result = language.parse(`webhooks ${typed}`, { ...when, timeZone: "America/Los_Angeles" });
    expect(result).toMatchObject({
      ok: false,
      problem: { reason: expect.stringContaining("There is no such time between 1970 and 9999.") },
    });
  });
});

describe("a zone", () => {
  it.each(["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca"])(
    "%s maps every local time back to its instant, except in the hours that occur twice",
    (name) => {
      const zone = zoneNamed(name);
      const lost: string[] = [];
      for (let at = Date.parse("2026-01-01T00:30Z"); at < Date.parse("2027-01-01"); at += 3_600_000 * 7) {
        const found = zone.instantAt(zone.wallAt(at));
        const isTwice = zone.wallAt(found) === zone.wallAt(at) && found < at;
        if (found !== at && !isTwice) lost.push(new Date(at).toISOString());
      }
      expect(lost).toEqual([]);
    },
  );
});

function webhooks(typed: string, timeZone = "Europe/Berlin", now = when.now) {
  return language.parse(`logs webhooks ${typed}`, { now, timeZone });
}

const reasonOf = (typed: string): string => {
  const result = webhooks(typed);
  return result.ok ? "understood" : result.problem.reason;
};

describe("a time with a zone", () => {
  it("is the same in a filter, and in a range of which both ends name it", () => {
    const both = webhooks('time:"yesterday 14:00 Tokyo".."yesterday 15:00 Tokyo"');
    expect(both.ok && language.write(both.command)).toBe(
      "logs webhooks time:2026-11-20T05:00:00.000Z..2026-11-20T06:00:00.000Z",
    );
    expect(reasonOf('time:"yesterday 14:00".."15:00 Tokyo"')).toBe(
      'In "yesterday 14:00..15:00 Tokyo", the zone must follow both times.',
    );
  });

  it("may be half of a period that ends on the same day", () => {
    const now = Date.parse("2026-11-21T00:30:00Z");
    const period = webhooks("since:9:00 Tokyo until:10:00 Tokyo", "UTC", now);
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
    const result = webhooks(typed);
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
