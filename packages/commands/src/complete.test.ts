import { describe, expect, it } from "vitest";
import { coreCommands } from "./commands.js";
import { kinds } from "./kinds.js";
import { defineLanguage } from "./language.js";
import { language as slack, terminal, when } from "./test/language.js";

const language = defineLanguage(coreCommands);
const completed = (...words: string[]) => language.complete(words).map(({ text }) => text);

describe("completion", () => {
  it.each([
    [
      "commands and logs first",
      "",
      "logs summary trace why live token status help sessions connections api media-api webhooks events",
    ],
    ["completions of a partial word", "s", "summary status sessions"],
    ["completions in capitals, too", "WEB", "webhooks"],
    ["nothing for an unknown command", "nonsense ", ""],
    ["kinds", "logs we", "webhooks"],
    [
      "kinds and options if there is no kind yet",
      "summary ",
      "sessions connections api media-api webhooks events since: until: zone: in: by:",
    ],
    [
      "fields and options after a kind",
      "logs webhooks ",
      "failed ok time>= type: url~ status: elapsed> channel: connection: event-id: since: until: zone: last: top: sort: in: as:",
    ],
    ["the same without the command", "webhooks st", "status:"],
    ["no option twice", "webhooks since:2h s", "status: sort:"],
    ["fields after a minus", "webhooks -t", "-time>= -type:"],
    ["choices of an option", "token lobby role:", "role:recvonly role:sendonly role:sendrecv role:any"],
    ["completions of a partial choice", "token role:send", "role:sendonly role:sendrecv"],
    ["values of a field", "webhooks type:session", "type:session.created type:session.*"],
    [
      "values in a list",
      "webhooks type:session.created,connection.",
      "type:session.created,connection.created type:session.created,connection.*",
    ],
    ["values after a comparison, without ranges", "webhooks status>=4", "status>=400 status>=404"],
    ["the filter for everything that failed", "webhooks fa", "failed"],
    ["no filter for failures that is there", "webhooks failed o", ""],
    ["no filter for failures of logs without a status", "sessions fa", ""],
    ["the numbers and times to sort by", "media-api sort:-", "sort:-time sort:-status sort:-elapsed"],
    ["the fields to group by", "summary api by:", "by:url by:status by:from by:failed"],
    ["the programs of calls", "api from:", "from:bot from:*"],
    ["times", "webhooks since:y", "since:yesterday"],
    ["times ahead", "token starting:t", "starting:tomorrow"],
    ["topics", "help t", "trace token times"],
    ["nothing after a topic", "help times ", ""],
    ["nothing for a name", "token lob", ""],
    [
      "what an id can be of, and options",
      "trace ",
      "channel: session: connection: client: bundle: since: until: zone: in: is: last: as:",
    ],
    ["no second thing to trace", "trace client:c1 ", "since: until: zone: in: is: last: as:"],
    ["the forms of a trace", "trace lobby as:", "as:timeline as:csv as:json"],
    ["only the project for live connections", "live ", "in:"],
    ["outcomes", "events outcome:", "outcome:refused outcome:failed outcome:ok"],
    ["reasons", "events reason:ice", "reason:ice-timeout reason:ice-failed"],
    ["reasons in a list", "events reason:expired,wrong-", "reason:expired,wrong-channel reason:expired,wrong-role"],
    ["the filter for failures of events", "events -fa", ""],
    ["the numbers and times to sort events by", "events sort:-", "sort:-time sort:-after sort:-count"],
    [
      "the fields to group events by",
      "summary events by:",
      "by:type by:outcome by:reason by:channel by:client by:connection by:session by:bundle by:node by:role by:media-reason by:token by:key by:failed",
    ],
    ["completions after the program's own name", "/media tok", "token"],
  ])("offers %s", (_, typed, texts) => {
    expect(completed(...typed.split(" ")).join(" ")).toBe(texts);
  });

  it("offers nothing if there are too many words before the cursor", () => {
    expect(completed(...Array.from({ length: 300 }, () => "webhooks"), "")).toEqual([]);
  });

  it("describes each completion", () => {
    expect(language.complete(["token", "role:r"])).toEqual([{ text: "role:recvonly", about: "may only receive" }]);
  });

  it.each(["logs", "logs webhooks", "logs events", "token lobby", "logs connections", "trace lobby"])(
    "offers only values that parse: %s",
    (typed) => {
      const words = typed.split(" ");
      const options = completed(...words, "").filter((text) => /[:=~<>]$/.test(text));
      const whole = options.flatMap((option) => completed(...words, option));
      const kindless = words[0] === "logs" && words.length === 1;
      for (const word of whole) {
        const more = [...(kindless ? ["api"] : []), ...(word.startsWith("top:") ? ["sort:time"] : [])];
        expect([word, language.parse([...words, ...more, word], when).ok]).toEqual([word, true]);
      }
    },
  );

  it.each([
    [terminal, "the commands that act", "re", "revoke resend"],
    [terminal, "what follows a command's name", "tokens re", "revoke recvonly"],
    [terminal, "check after token", "token ch", "check"],
    [terminal, "the states of deliveries", "deliveries w", "waiting"],
    [terminal, "the endpoints", "endpoints enable ", "auth session event in:"],
    [terminal, "people", "tokens by:", "by:me"],
    [terminal, "actions", "audit action:t", "action:token.revoke"],
    [terminal, "words that are there or not", "revoke lobby d", "disconnect"],
    [slack, "the limit of a watch", "watch api w", "when:"],
    [slack, "limits", "watch api when:", "when:count>20 when:failed>5% when:p95>2s when:p99>5s when:p50>1s"],
    [slack, "limits that the log has", "watch sessions when:", "when:count>20"],
    [slack, "durations within the limits", "watch api over:", "over:10m over:1h"],
    [slack, "spans", "watch api quiet:", "quiet:22:00-07:00 quiet:18:00-09:00"],
    [slack, "the options of a digest", "digest ", "at: in: project:"],
    [slack, "times of day", "digest at:", "at:09:00 at:17:30 at:off"],
  ] as const)("offers what a program adds: %#", (program, _, typed, texts) => {
    expect(
      program
        .complete(typed.split(" "))
        .map(({ text }) => text)
        .join(" "),
    ).toBe(texts);
  });

  it.each(kinds)("offers only limits of a watch that the log %s has", (kind) => {
    for (const { text } of slack.complete(["watch", kind, "when:"])) {
      const result = slack.parse(`watch ${kind} ${text}`, when);
      expect(result.ok && slack.write(result.command)).toBe(`watch ${kind} ${text}`);
    }
  });
});
