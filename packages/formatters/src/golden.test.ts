import { describe, expect, it } from "vitest";
import { columns } from "./columns.js";
import * as csv from "./csv/index.js";
import * as jsonl from "./jsonl/index.js";
import * as markdown from "./markdown/index.js";
import * as terminal from "./terminal/index.js";
import { claims, kinds, now, problem, samples, service, statuses, token } from "./test/samples.js";

const options = { now, width: 100 };

describe("the golden files, which are read by people,", () => {
  it.each(kinds)("show %s in a terminal", async (kind) => {
    await golden(`${kind}.terminal.txt`, terminal.formatLogs(kind, samples[kind], options));
    await golden(`${kind}.narrow.txt`, terminal.formatLogs(kind, samples[kind], { now, width: 48 }));
    await golden(`${kind}.compact.txt`, terminal.formatLogs(kind, samples[kind], { ...options, style: "compact" }));
    await golden(`${kind}.detail.txt`, terminal.formatLogDetail(kind, samples[kind][0], options));
    await golden(`${kind}.summary.txt`, terminal.formatSummary(kind, samples[kind], options));
  });

  it("show webhooks in colours", async () => {
    const text = terminal.formatLogs("webhooks", samples.webhooks, {
      ...options,
      color: true,
      title: "Webhooks since yesterday",
      note: "Older ones are no longer listed by the service.",
    });
    await golden("webhooks.color.txt", text);
  });

  it.each(kinds)("show %s in Markdown", async (kind) => {
    const parts = [
      markdown.formatLogs(kind, samples[kind], { now, title: columns[kind].title }),
      markdown.formatLogDetail(kind, samples[kind][0], { now }),
      markdown.formatSummary(kind, samples[kind], { now, title: "Summary", chart: "latency" }),
    ];
    await golden(`${kind}.md`, parts.join("\n\n"));
  });

  it.each(kinds)("show %s as CSV and as lines of JSON", async (kind) => {
    await exactly(`${kind}.csv`, csv.formatLogs(kind, samples[kind]));
    await exactly(`${kind}.jsonl`, jsonl.formatLogs(kind, samples[kind]));
  });

  it("show how a service stands", async () => {
    await golden("status.txt", terminal.formatStatus(statuses, service, options));
  });

  it("show a token", async () => {
    await golden("token.txt", terminal.formatToken(token, claims, options));
  });

  it("show a problem", async () => {
    await golden("problem.txt", terminal.formatProblem(problem, options));
  });
});

const exactly = async (file: string, text: string): Promise<void> => {
  await expect(text).toMatchFileSnapshot(`../golden/${file}`);
};

/** A file ends with a line's end, what a printer gives does not. */
const golden = (file: string, text: string): Promise<void> => exactly(file, `${text}\n`);
