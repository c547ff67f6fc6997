import { describe, expect, it } from "vitest";
import { language } from "./language.js";
import { version } from "./run.js";
import { atTerminal } from "./test/user.js";

const topics = [
  "",
  ...language.commands.map(({ name }) => name),
  "webhooks",
  "connections",
  "events",
  "filters",
  "times",
];

describe("media help", () => {
  it.each([40, 60, 80, 120])(
    "is no wider than a terminal with %d columns, except for text to be copied",
    async (columns) => {
      for (const topic of topics) {
        const { out } = await atTerminal(["help", ...topic.split(" ").filter(Boolean)], columns);
        const wide = out.split("\n").filter((line) => line.length > columns);
        // Whole commands, and words longer than a line.
        expect(wide.filter((line) => !line.startsWith("  media ") && line.trim().includes(" "))).toEqual([]);
      }
    },
  );

  it("has no line wider than 80 columns on any page", async () => {
    const pages = [
      ...topics,
      ...language.commands.flatMap(({ aliases = [] }) => aliases),
      "sessions",
      "api",
      "media-api",
    ];
    for (const topic of pages) {
      const { out } = await atTerminal(["help", ...topic.split(" ").filter(Boolean)], 80);
      expect([topic, out.split("\n").filter((line) => line.length > 80)]).toEqual([topic, []]);
    }
  });

  it("explains --watch with live, and in the overview", async () => {
    for (const topic of [[], ["live"]]) {
      const { out } = await atTerminal(["help", ...topic], 80);
      expect(out).toMatch(/^ {2}--watch\[=<seconds>\] +with live: show it again every 2 seconds/m);
    }
    expect((await atTerminal(["live", "--watch", "--help"], 80)).out).toContain("--watch[=<seconds>]");
    expect((await atTerminal(["help", "logs"], 80)).out).not.toContain("--watch");
  });

  it.each(["--version", "-V", "version"])("prints the version: media %s", async (typed) => {
    const { code, out } = await atTerminal([typed], 80);
    expect({ code, out }).toEqual({ code: 0, out: `${version}\n` });
  });

  it("indents continued lines below the start of their text", async () => {
    const { out } = await atTerminal(["help"], 60);
    expect(out).toContain(
      "\n  login       Asks for address, project and API key of a\n              service, tries them, and stores them for you\n",
    );
    expect(out).toContain(
      "\n  media logs <kind> [filters] [since:2h] [until:1h]\n      [zone:Tokyo] [last:50] [top:10] [sort:elapsed]\n      [in:demo] [as:table]\n",
    );
  });

  it("lists the supported flags and variables", async () => {
    const { out } = await atTerminal(["help"], 100);
    for (const word of ["--json", "--profile <name>", "MEDIA_PROFILE", "MEDIA_API_KEY", "NO_COLOR"]) {
      expect(out).toContain(`\n  ${word} `);
    }
  });
});
