import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnyCommand } from "./grammar.js";
import { commandOf, effects, offerFor } from "./test/offering.js";
import { rightCommands } from "./test/right-commands.js";

const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz0123456789 .:");

/** A text with one or two typing errors. */
function mistyped(original: fc.Arbitrary<string>, most = 2): fc.Arbitrary<{ original: string; typed: string }> {
  const slip = fc.record({
    at: fc.nat(60),
    letter,
    kind: fc.constantFrom("added", "left out", "changed", "swapped" as const),
  });
  return fc.tuple(original, fc.array(slip, { minLength: 1, maxLength: most })).map(([text, editDistance]) => ({
    original: text,
    typed: editDistance.reduce((typed, { at: place, letter, kind }) => {
      const at = place % (typed.length || 1);
      const [before, behind] = [typed.slice(0, at), typed.slice(at)];
      if (kind === "added") return before + letter + behind;
      if (kind === "left out") return before + behind.slice(1);
      if (kind === "changed") return before + letter + behind.slice(1);
      return before + behind.charAt(1) + behind.charAt(0) + behind.slice(2);
    }, text),
  }));
}

/** A word that is cut in two may be two valid words: `toke ns`, `media- api`. */
const isCut = (original: string, typed: string): boolean => typed.split(" ").length > original.split(" ").length;

const ownTexts = [
  ...["projects", "connect", "disconnect demo", "login", "logout", "use demo", "use demo where:here", "status"],
  ...["token lobby", "token lobby role:sendonly for:1h", 'token "main hall"', "token channel:list", "help token"],
  ...[
    "watch webhooks failed",
    "watch api when:p95>2s over:5m",
    "watch events quiet:22-7",
    "watches",
    "watches in:demo",
  ],
  ...["digest", "digest at:9 in:#general", "digest at:off"],
];
const rightTexts = [...rightCommands.map(([typed]) => typed).filter((typed) => typed.trim() !== ""), ...ownTexts];

const anyRight = fc.constantFrom(...rightTexts);

describe("a suggestion", () => {
  it("has the effect of the mistyped command, or only reads", () => {
    fc.assert(
      fc.property(fc.oneof(mistyped(anyRight, 1), mistyped(fc.constantFrom(...ownTexts))), ({ original, typed }) => {
        const [meant, offer] = [commandOf(original), offerFor(typed)];
        if (!meant || !offer || effects.get(offer.name) === "reads" || isCut(original, typed)) return;
        // "token ?" names the token, too.
        expect([typed, [meant.name, original.split(" ")[0]]]).toEqual([typed, expect.arrayContaining([offer.name])]);
      }),
    );
  });

  it.each([
    ...["show token lobby", "list tokens", "revoke token lobby", "check token", "please token lobby", "what is token"],
    ...["how do I connect", "show disconnect demo", "logis webhooks", "logon", "role:sendonly", "lobby for:10m"],
    ...["token list", "token lobby list", "token get lobby", "token for:1h", "token channel:", "disconnect", "use"],
    ...["alert webhooks failed", "notify me", "show watch webhooks", "webhooks watch", "stop watch", "when:p95>2s"],
    ...[
      "unwatch",
      "watchs",
      "watch",
      "watch:webhooks",
      "stop digest",
      "in:#general",
      "at:9",
      "logs webhooks when:failed",
    ],
    ...["projects delete demo", "projects create demo", "status token lobby", "login out", "summary token"],
  ])("for %j only reads", (typed) => {
    const offer = offerFor(typed) ?? commandOf(typed);
    if (offer?.name !== "login") expect(effects.get(offer?.name ?? "")).toBe("reads");
  });

  it.each(["websocket", "lobby", "foo", "main-hall", "ws"])("never turns %j into a kind of log", (word) => {
    for (const typed of [`logs ${word}`, `summary ${word} since:2h`]) {
      expect(offerFor(typed)).toEqual({ name: "help", topic: typed.split(" ")[0] });
    }
  });

  it("is about the kind of log that was typed", () => {
    const selections = [
      "logs webhooks status:404",
      "logs api since:2h",
      "summary sessions last",
      "connections",
      "hooks",
    ];
    fc.assert(
      fc.property(
        mistyped(fc.constantFrom(...selections, "logs media-api target~Disconnect"), 1),
        ({ original, typed }) => {
          const offer = isCut(original, typed) ? undefined : offerFor(typed);
          const kind = (commandOf(original) ?? offerFor(original))?.kind;
          if (offer?.kind !== undefined) expect([typed, offer.kind]).toEqual([typed, kind]);
        },
      ),
    );
  });
});

describe("a sentence after a command about connections", () => {
  const aside = fc.constantFrom(
    ...[
      "do",
      "did",
      "calls",
      "clients",
      "drop",
      "failing",
      "are",
      "is",
      "the",
      "so",
      "often",
      "can't",
      "people",
      "who",
    ],
    ...["connected", "connections", "right", "please", "my", "happened", "wrong"],
  );
  const link = fc.constantFrom("in", "in the", "of", "for", "to", "with", "within our");
  const period = fc.constantFrom("", "since 2h", "since:yesterday", "today", "last hour", "2 hours ago", "for 2 hours");

  it("leads to that command with the name in it, in no other project, and with its period", () => {
    const sentence = fc.tuple(fc.array(aside, { minLength: 1, maxLength: 4 }), link, fc.array(aside, { maxLength: 2 }));
    fc.assert(
      fc.property(fc.constantFrom("why", "trace"), sentence, period, (head, [before, linked, behind], time) => {
        const typed = [head, ...before, linked, "lobby", ...behind, time].filter(Boolean).join(" ");
        const { since, ...offer } = offerFor(typed) ?? { name: "none" };
        const name = head === "why" ? { channel: "lobby" } : { what: "lobby" };
        expect([typed, offer]).toEqual([typed, { name: head, ...name }]);
        expect([typed, since !== undefined]).toEqual([typed, time !== ""]);
      }),
    );
  });

  it.each(["why", "live", "why since:1h"])("without a name leads to %s for all channels", (head) => {
    fc.assert(
      fc.property(fc.array(aside, { minLength: 1, maxLength: 5 }), (words) => {
        const typed = `${head} ${words.join(" ")}`;
        expect([typed, offerFor(typed)]).toEqual([typed, commandOf(head)]);
      }),
    );
  });

  it("never makes or deletes anything, whatever its words are", () => {
    const word = fc.oneof(
      aside,
      link,
      fc.constantFrom("lobby", "token", "connect", "disconnect", "demo", "users", "?"),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        const typed = words.join(" ");
        const [first] = words;
        const offer = offerFor(typed) ?? commandOf(typed);
        if (first !== undefined && effects.has(first) && effects.get(first) !== "reads") return;
        expect([typed, effects.get(offer?.name ?? "")]).toEqual([typed, "reads"]);
      }),
    );
  });
});

const times = fc.constantFrom(
  ...["2h", "90m", "1d12h", "1h30m", "today", "yesterday", "monday", "thursday", "09:00", "9:30", "9am", "10pm", "now"],
  ...["yesterday 14:00", "monday 9am", "2026-11-20", "2026-11-20 09:00", "2026-11-20T09:00:00Z", "09:00 UTC"],
  ...["yesterday 14:00 Tokyo", "9am New York", "monday Berlin"],
);
const zones = fc.constantFrom("UTC", "Europe/Berlin", "Asia/Tokyo", "America/St_Johns");

describe("a suggested period", () => {
  const periodOf = (found: AnyCommand | undefined) => [found?.since, found?.until];

  it("is the period before the typing error, or absent", () => {
    const since = mistyped(
      times.map((time) => `since:${time}`),
      1,
    );
    const until = mistyped(
      times.map((time) => `until:${time}`),
      1,
    );
    const both = fc.tuple(since, until, fc.boolean()).map(([first, second, isFirst]) => ({
      original: `${first.original} ${second.original}`,
      typed: isFirst ? `${first.typed} ${second.original}` : `${first.original} ${second.typed}`,
    }));
    /** The typed text if each of its times is valid; otherwise the text before the typing error. */
    const meantBy = (original: string, typed: string, zone: string) => {
      const [since, until] = /^(since:.*?) (until:.*)$/.exec(typed)?.slice(1) ?? [];
      const [from, to] = [since, until].map((part) => part && commandOf(`logs sessions ${part}`, zone));
      // "until::0m" may be a mistyped "until:90m", but "until:0m" with a repeated colon is nearer.
      const once = commandOf(`logs sessions ${typed.replaceAll(/:{2,}/g, ":")}`, zone);
      if (!from || !to) return periodOf(once ?? commandOf(`logs sessions ${original}`, zone));
      // A zone that one time names is that of the other, too.
      const there = String(from.zone ?? to.zone ?? zone);
      const both = [
        commandOf(`logs sessions ${since}`, there)?.since,
        commandOf(`logs sessions ${until}`, there)?.until,
      ];
      return both.map(Number).sort((a, b) => a - b);
    };
    fc.assert(
      fc.property(fc.oneof(since, until, both), zones, ({ original, typed }, zone) => {
        const offer = offerFor(`logs sessions ${typed}`, zone);
        if (!offer || offer.name === "help" || !commandOf(`logs sessions ${original}`, zone)) return;
        expect([typed, ...periodOf(offer)]).toEqual([typed, ...meantBy(original, typed, zone)]);
      }),
    );
  });

  it.each(["PST", "lobby", "o'clock", "in Mordor"])("is absent if its times end with %j", (place) => {
    for (const kind of ["webhooks", "sessions", "media-api"]) {
      for (const typed of [
        `since:yesterday 14:00 ${place} until:yesterday 15:00 ${place}`,
        `since:9am ${place}`,
        `until:2026-11-20 ${place} last:5`,
        `time:yesterday 14:00 ${place}`,
      ]) {
        expect([typed, offerFor(`logs ${kind} ${typed}`)?.name]).toEqual([typed, "help"]);
      }
    }
  });

  it.each([
    "since:2",
    "since:soon",
    "since:this week",
    "until:25:00",
    "since:yesterday 25:00",
    "xyz:2h",
    "since:9h30",
    "since:1h since:2h",
  ])("is absent if %j is ambiguous", (typed) => {
    expect(offerFor(`logs webhooks ${typed}`)?.name).toBe("help");
  });

  it("never starts after its end", () => {
    fc.assert(
      fc.property(times, times, zones, (since, until, zone) => {
        const [from, to] = periodOf(offerFor(`logs webhooks since:${since} until:${until}`, zone));
        if (typeof from === "number" && typeof to === "number") expect(from).toBeLessThan(to);
      }),
    );
  });
});
