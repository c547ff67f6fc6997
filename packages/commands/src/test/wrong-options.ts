import type { WrongRow } from "./named.js";
import { everyKind } from "./named.js";

export const wrongOptions: Readonly<Record<string, readonly WrongRow[]>> = {
  options: [
    ["summary webhooks last:50", "summary has no option last; logs and trace have it.", "summary webhooks"],
    ["summary webhooks as:csv", "summary has no option as; logs and trace have it.", "summary webhooks"],
    ["logs connections -since:2h", "since takes no minus before it.", "logs connections since:2h"],
    [
      "logs webhooks since:2x",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "2x". Units are ms, s, m, h, d and w.',
      "help times",
    ],
    [
      "logs webhooks since:2",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "2". A number needs a unit.',
      "help times",
    ],
    ["logs webhooks since:", "since: needs a value after it, such as since:2h.", "help times"],
    [
      "logs webhooks since:soon",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "soon".',
      "help times",
    ],
    [
      "logs webhooks since:yesteray",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "yesteray".',
      "logs webhooks since:yesterday",
    ],
    [
      "logs webhooks since:lastweek",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "lastweek".',
      "help times",
    ],
    ["logs webhooks since:tomorrow", 'since must be in the past, but "tomorrow" is in the future.', "help times"],
    ["logs webhooks since:2099-01-01", 'since must be in the past, but "2099-01-01" is in the future.', "help times"],
    [
      "logs webhooks since:11/20/2026",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "11/20/2026". Dates are written with hyphens, the year first.',
      "logs webhooks since:2026-11-20",
    ],
    [
      "logs webhooks since:2026-13-01",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "2026-13-01". The date does not exist.',
      "help times",
    ],
    [
      "logs webhooks since:2026-02-30",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "2026-02-30". The date does not exist.',
      "help times",
    ],
    [
      "logs webhooks since:25:00",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "25:00". The time of day does not exist.',
      "help times",
    ],
    ["logs webhooks since>2h", 'since takes a colon before its value, not ">".', "logs webhooks since:2h"],
    ["logs webhooks since:2h since:1h", 'since is given twice: "since:1h" is one too many.', "help times"],
    [
      "logs webhooks since:1h until:2h",
      '"since:1h" is later than "until:2h", so the period is empty.',
      "logs webhooks since:2h until:1h",
    ],
    [
      "logs webhooks since:today until:yesterday",
      '"since:today" is later than "until:yesterday", so the period is empty.',
      "logs webhooks since:yesterday until:today",
    ],
    [
      "logs webhooks since:99999w",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "99999w". The time is out of range.',
      "help times",
    ],
    [
      "logs webhooks until:never",
      'until takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "never".',
      "help times",
    ],
    ["logs webhooks last:0", 'last takes a whole number from 1 to 1000, not "0".', "logs webhooks last:1"],
    ["logs webhooks last:5000", 'last takes a whole number from 1 to 1000, not "5000".', "logs webhooks last:1000"],
    ["logs webhooks last:ten", 'last takes a whole number from 1 to 1000, not "ten".', "logs webhooks last:50"],
    ["logs webhooks last:1.5", 'last takes a whole number from 1 to 1000, not "1.5".', "logs webhooks last:50"],
    ["logs webhooks as:xml", 'as takes table, compact, csv or json, not "xml".', "logs webhooks as:table"],
    ["logs webhooks as:tabel", 'as takes table, compact, csv or json, not "tabel".', "logs webhooks as:table"],
    ["logs webhooks since:in 2h", 'since must be in the past, but "in 2h" is in the future.', "help times"],
    ["logs webhooks kind:foo", `kind takes ${everyKind}, not "foo".`, "logs webhooks"],
    ["logs webhooks kind:api", 'logs takes one kind: "webhooks" is one too many.', "logs kind:api"],
    ["logs webhooks as:", "as: needs a value after it, such as as:table.", "logs webhooks as:table"],
    [
      "summary webhooks since:2x",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "2x". Units are ms, s, m, h, d and w.',
      "help times",
    ],
    ["logs webhooks until:1h until:2h", 'until is given twice: "until:2h" is one too many.', "help times"],
    ["logs webhooks as:csv as:json", 'as is given twice: "as:json" is one too many.', "logs webhooks as:csv"],
    ["logs webhooks last:5 limit:6", 'last is given twice: "limit:6" is one too many.', "logs webhooks last:5"],
    ["logs webhooks -last:5", "last takes no minus before it.", "logs webhooks last:5"],
    ["logs webhooks last>5", 'last takes a colon before its value, not ">".', "logs webhooks last:5"],
    ["logs webhooks last:-1", 'last takes a whole number from 1 to 1000, not "-1".', "logs webhooks last:50"],
    [
      "webhooks since:2h!",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "2h!".',
      "logs webhooks since:2h",
    ],
    [
      "webhooks since:2h2h",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "2h2h".',
      "help times",
    ],
    [
      "webhooks since:9.30",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "9.30".',
      "logs webhooks since:09:30",
    ],
    [
      "webhooks since:13pm",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "13pm". Units are ms, s, m, h, d and w.',
      "help times",
    ],
    [
      "webhooks since:1h30",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "1h30".',
      "help times",
    ],
    [
      "webhooks since:90",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "90". A number needs a unit.',
      "help times",
    ],
    [
      "webhooks since:this week",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "this week".',
      "help times",
    ],
    [
      "webhooks since:3 months",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "3 months". Units are ms, s, m, h, d and w.',
      "help times",
    ],
    [
      "webhooks since:20 Nov",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "20 Nov".',
      "help times",
    ],
    [
      "webhooks since:5/6/2026",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "5/6/2026". Dates are written with hyphens, the year first.',
      "help times",
    ],
    [
      "webhooks since:20/11/2026",
      'since takes a time, such as 2h, yesterday, 09:00 or 2026-11-20, not "20/11/2026". Dates are written with hyphens, the year first.',
      "logs webhooks since:2026-11-20",
    ],
    ["webhooks since:yesterday 25:00", '"25:00" is not part of a time.', "help times"],
    ["webhooks since:1h since 2h", 'since is given twice: "since 2h" is one too many.', "help times"],
    ["webhooks last:2x", 'last takes a whole number from 1 to 1000, not "2x".', "logs webhooks last:50"],
  ],
};
