import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatLogDetail, formatLogs, formatSummary } from "../terminal/index.js";
import { anyKind } from "../test/arbitrary.js";
import { ofEntries } from "../test/of-entries.js";
import { now, samples } from "../test/samples.js";
import { colours, knownSigns, knownWidth, withoutColours } from "../test/terminal-text.js";

const entry = samples.webhooks[0];
const linesOf = (...given: Parameters<typeof formatLogs>): string[] => formatLogs(...given).split("\n");

it.each([
  ["table", /Time.*Bytes +Channel.*Received.*Sent.*\n.*1\.28 GB/],
  ["compact", /· bytes 1\.28 GB ·/],
] as const)("the value that connections are sorted by is shown in a %s", (style, shown) => {
  const options = { now, width: 150, style, sortedBy: "total_bytes" };
  expect(formatLogs("connections", samples.connections, options)).toMatch(shown);
});

describe("a table of entries", () => {
  it("has more columns if all of their content fits", () => {
    const heading = (width: number) => linesOf("connections", samples.connections, { now, width })[0];
    expect(heading(73)).toMatch(/Duration$/);
    expect(heading(88)).toMatch(/Duration {2}Connection$/);
    expect(heading(103)).toMatch(/Connection {5}Session$/);
    expect(heading(Number.POSITIVE_INFINITY)).toMatch(/Connection {5}Session$/);
  });

  it("shortens texts, then omits relative times, then columns from the right", () => {
    const heading = (width: number) => linesOf("media-api", samples["media-api"], { now, width });
    expect(heading(93)[1]).toBe("14:04:59 · 30 s ago    ✓ 200   41 ms  Media_20151104.DisconnectChannel  lobby");
    expect(heading(75)[1]).toBe("14:04:59 · 30 s ago    ✓ 200   41 ms  Media_20…tChannel  lobby");
    expect(heading(65)[1]).toBe("14:04:59    ✓ 200   41 ms  Media_201…tChannel  lobby");
    expect(heading(48)[1]).toBe("14:04:59    ✓ 200   41 ms  Media_2015…ectChannel");
    expect(heading(20)[1]).toBe("14:04:59    ✓ 200");
  });

  it.each([0, -1, Number.NaN, undefined])("is 80 columns wide if a terminal reports a width of %s", (width) => {
    expect(formatLogs("webhooks", samples.webhooks, { now, width })).toBe(
      formatLogs("webhooks", samples.webhooks, { now }),
    );
    expect(Math.max(...linesOf("webhooks", samples.webhooks, { now, width }).map((line) => line.length))).toBe(80);
  });

  it("names the zone only if it is UTC", () => {
    const [heading, first] = linesOf("api", samples.api, { now, timeZone: "Asia/Tokyo" });
    expect(heading).toMatch(/^Time {2,}Status/);
    expect(first).toMatch(/^23:05:01 · 28 s ago/);
    expect(() => formatLogs("api", [], { now, timeZone: "Mars/Olympus" })).toThrow(RangeError);
  });

  it("keeps its columns aligned beside wide characters", () => {
    const names = ["会議室", "👩‍👩‍👧‍👦", "e\u0301", "lobby"];
    const entries = names.map((name) => ({
      timestamp: entry?.timestamp,
      channel_id: `${name}@demo`,
      max_connections: 7,
    }));
    expect(
      linesOf("sessions", entries, { now })
        .slice(1)
        .map((line) => line.slice("14:05:28 · 1 s ago  ".length)),
    ).toEqual([
      "会議室             –     7         –  –",
      "👩‍👩‍👧‍👦                 –     7         –  –",
      "e\u0301                  –     7         –  –",
      "lobby              –     7         –  –",
    ]);
  });

  it("has a message for an empty list", () => {
    expect(formatLogs("media-api", [], { now })).toBe("No media API calls were found.");
    expect(formatLogs("media-api", [], { now, style: "compact", width: 10 })).toBe("No media\nAPI calls\nwere\nfound.");
  });

  it("is between a title and a note, which have their own lines", () => {
    const options = {
      now,
      width: 30,
      title: "Webhooks since\u001b[2J 13:00",
      note: "Older ones are no longer listed by the service.",
    };
    expect(linesOf("webhooks", [], options)).toEqual([
      "Webhooks since␛[2J 13:00",
      "No webhooks were found.",
      "",
      "Older ones are no longer",
      "listed by the service.",
    ]);
  });
});

describe("two different receivers", () => {
  const at = (url: string) => ({ ...entry, url });
  const long = "connection.destroyed";
  it.each([
    ["ports", "http://127.0.0.1:9083/events", "http://127.0.0.1:9084/events"],
    ["hosts", "https://eu.hooks.example/teams/video/media/events", "https://us.hooks.example/teams/video/media/events"],
    ["ends of a path", "https://hooks.example/teams/video/rooms/1", "https://hooks.example/teams/video/rooms/2"],
    ["hosts of one cloud", "https://a.fn.eu-central-1.cloud.example/in", "https://b.fn.eu-central-1.cloud.example/in"],
  ])("that differ in their %s are distinguishable at 80 and at 60 columns", (_, one, other) => {
    for (const width of [80, 60]) {
      for (const style of ["table", "compact"] as const) {
        for (const timestamp of [entry?.timestamp, "2026-11-20T09:00:00Z"]) {
          const [first, second] = [one, other].map((url) =>
            formatLogs("webhooks", [{ ...at(url), type: long, timestamp, status: 0 }], { now, width, style }),
          );
          expect(first).not.toBe(second);
          for (const line of first?.split("\n") ?? []) expect(line.length).toBeLessThanOrEqual(width);
        }
      }
    }
  });

  it("are whole at 80 columns if they run on one machine, and on their own lines if they do not fit", () => {
    const entries = [{ ...at("http://127.0.0.1:9083/events"), timestamp: "2026-11-20T09:00:00Z", type: long }];
    expect(linesOf("webhooks", entries, { now, width: 80 })[1]).toBe(
      "Nov 20 09:00:00  ✓ 200   84 ms  connection.destroyed  127.0.0.1:9083/events",
    );
    expect(linesOf("webhooks", entries, { now, width: 56 })).toEqual([
      "Time (UTC)       Status   Took  Event",
      "  Sent to",
      "Nov 20 09:00:00  ✓ 200   84 ms  connection.destroyed",
      "  127.0.0.1:9083/events",
    ]);
  });
});

describe("compact entries", () => {
  it("omit missing values", () => {
    expect(linesOf("api", [{ status: 200 }, {}, null], { now, style: "compact" })).toEqual(["✓ 200", "–", "–"]);
  });
});

describe("colours", () => {
  it("show the status beside its mark, and make less important text faint", () => {
    const options = { now, color: true, title: "T", note: "N" };
    const [title, heading, ...lines] = colours(formatLogs("webhooks", samples.webhooks, options)).split("\n");
    expect(title).toBe("<1>T<22>");
    expect(heading).toMatch(/^<2>Time \(UTC\) .*Sent to<22>$/);
    expect(lines[0]).toContain("<32>✓ 200<39>");
    expect(lines[1]).toContain("<31>✗ 503<39>");
    expect(lines[4]).toContain("<33>→ 302<39>");
    expect(lines.slice(-2)).toEqual(["", "<2>N<22>"]);
  });

  it("include the relative time if it fits", () => {
    expect(colours(formatLogs("api", samples.api, { now, color: true }))).toContain("14:05:01<2> · 28 s ago<22> ");
  });

  it("change nothing else", () => {
    for (const style of ["table", "compact"] as const) {
      const plain = formatLogs("webhooks", samples.webhooks, { now, style });
      const coloured = formatLogs("webhooks", samples.webhooks, { now, style, color: true });
      expect(withoutColours(coloured)).toBe(plain);
      expect(coloured).not.toBe(plain);
    }
  });
});

describe("one entry", () => {
  it("wraps a long value", () => {
    expect(formatLogDetail("api", { url: `https://media.example/${"x".repeat(30)}` }, { now, width: 40 })).toBe(
      [
        "Time     –",
        "Status   –",
        "Took     –",
        `Address  https://media.example/${"x".repeat(9)}`,
        `         ${"x".repeat(21)}`,
      ].join("\n"),
    );
  });

  it("has values below their titles if they do not fit beside them", () => {
    expect(formatLogDetail("api", samples.api[0], { now, width: 26 }).split("\n").slice(0, 6)).toEqual([
      "Time",
      "  2026-11-21 14:05:01 UTC",
      "  · 28 s ago ·",
      "  2026-11-21T14:05:01.332Z",
      "Status",
      "  ✓ 200",
    ]);
  });
});

describe("characters whose widths are known from a fixed table", () => {
  const unit = fc.constantFrom(...Object.keys(knownSigns), ..."abc …/.-");
  const anyName = fc.string({ unit, minLength: 1, maxLength: 60 });
  const anyEntry = fc.record({
    timestamp: fc.constantFrom("2026-11-21T14:05:28.001Z", "2026-11-20T09:00:00Z", "2021-01-01T00:00:00Z"),
    status: fc.constantFrom(0, 200, 302, 404, 503),
    elapsed_time_ms: fc.nat(100_000),
    ...{
      type: anyName,
      url: anyName,
      channel_id: anyName,
      session_id: anyName,
      media_target: anyName,
      region: anyName,
    },
  });
  const anyEntries = fc.array(anyEntry, { minLength: 1, maxLength: 5 });
  const anyWidth = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 250 }));
  const anyStyle = fc.constantFrom("table" as const, "compact" as const);

  it("never exceed the width of the terminal", () => {
    fc.assert(
      fc.property(anyKind, anyEntries, anyWidth, anyStyle, (kind, entries, width, style) => {
        const texts = [
          formatLogs(kind, entries, { now, width, style }),
          formatLogDetail(kind, entries[0], { now, width }),
          ofEntries(formatSummary)(kind, entries, { now, width }),
        ];
        for (const line of texts.join("\n").split("\n")) expect(knownWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("keep the columns of a table aligned", () => {
    fc.assert(
      fc.property(anyEntries, anyWidth, (entries, width) => {
        const [heading = "", ...lines] = formatLogs("media-api", entries, { now, width }).split("\n");
        // The third column has numbers: it ends with a unit and a gap in each line.
        const end = heading.indexOf("Took") + 4;
        for (const line of end === 3 ? [] : lines) {
          const before = /^.*? (?:ms|s|min|h)(?=$| {2})/u.exec(line)?.[0] ?? "";
          expect(knownWidth(before)).toBe(end);
        }
      }),
    );
  });
});
