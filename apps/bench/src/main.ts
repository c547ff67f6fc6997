import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Result, type Row, table } from "./measure.js";
import { buildIn, ours } from "./programs.js";

/** Rows are loaded on demand; each module has a function of its name. */
const rows: Readonly<Record<string, () => Promise<Readonly<Record<string, Row>>>>> = {
  list: () => import("./rows/list.js"),
  intake: () => import("./rows/intake.js"),
  mint: () => import("./rows/mint.js"),
  admit: () => import("./rows/admit.js"),
  bot: () => import("./rows/bot.js"),
  format: () => import("./rows/format.js"),
  sdk: () => import("./rows/sdk.js"),
  search: () => import("./rows/search.js"),
};
const longRows = ["search"];
const shortRows = Object.keys(rows).filter((name) => !longRows.includes(name));

const USAGE = `Usage: bench [row …] [--against <folder>] [--results <file>] [--quick]

Measures this checkout by turns with the bare platform and with what one might use instead.

  --against <folder>  another checkout, built, that takes turns as well
  --results <file>    writes the figures to a JSON file
  --quick             as little as shows that a row works; the figures mean nothing

Without a row it runs ${shortRows.join(", ")}.
By name only, as it takes minutes: ${longRows.join(", ")}.`;

const { values, positionals } = readArguments();
if (process.send) await runRow(positionals[0] ?? "");
else await runRows(positionals.length > 0 ? positionals : shortRows);

function readArguments() {
  try {
    const parsed = parseArgs({
      args: process.argv.slice(2).filter((argument) => argument !== "--"),
      options: {
        against: { type: "string" },
        results: { type: "string" },
        quick: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
      allowPositionals: true,
    });
    if (parsed.values.help) {
      console.log(USAGE);
      process.exit();
    }
    const unknown = parsed.positionals.find((name) => !Object.hasOwn(rows, name));
    if (unknown !== undefined)
      throw new Error(`Unknown row "${unknown}": must be one of ${Object.keys(rows).join(", ")}.`);
    return parsed;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Runs each row in its own process, so that memory left by one does not slow down the next. */
async function runRows(selected: readonly string[]): Promise<void> {
  const options = process.argv
    .slice(2)
    .filter((argument) => !positionals.includes(argument) || argument === values.against);
  const all: (Result & { readonly row: string })[] = [];
  for (const name of selected) {
    const started = Date.now();
    const child = fork(process.argv[1] ?? "", [name, ...options], { serialization: "advanced" });
    const results: Result[] = [];
    child.on("message", (sent: Result[]) => results.push(...sent));
    const [code] = await once(child, "exit");
    if (code !== 0 || results.length === 0) {
      console.error(`The row "${name}" failed; its error is above.`);
      process.exit(1);
    }
    console.log(`\n${name}, ${((Date.now() - started) / 1000).toFixed(0)} s\n\n${table(results)}`);
    all.push(...results.map((result) => ({ row: name, ...result })));
  }
  if (values.results) writeFileSync(values.results, `${JSON.stringify(all, null, 2)}\n`);
  const judged = all.filter(({ met }) => met !== null);
  console.log(`\nGoals met: ${judged.filter(({ met }) => met).length} of ${judged.length}.`);
}

async function runRow(name: string): Promise<void> {
  const row = (await rows[name]?.())?.[name];
  const builds = [ours, ...(values.against ? [buildIn(values.against)] : [])] as const;
  process.send?.(await row?.({ builds, isQuick: values.quick }));
  process.disconnect();
}
