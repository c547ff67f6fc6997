import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benches, longBenches } from "./benches.js";
import { type Result, table, withTables } from "./report.js";

const USAGE = `Usage: bench [name …] [--results <file>] [--document]

Measures side by side, and writes what came out into apps/bench/results.json, or the file that --results names. With
--document the tables in docs/performance.md become those of this run.

Without a name it runs ${Object.keys(benches).join(", ")}.
By name only, as they take long: ${Object.keys(longBenches).join(", ")}.`;

const { names, resultsFile, isDocumented } = readArguments();
const results: Result[] = [];
for (const name of names) {
  const started = Date.now();
  const own = await run(name);
  console.log(`\n${name}, ${((Date.now() - started) / 1000).toFixed(0)} s\n\n${table(own)}`);
  results.push(...own);
}
writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
if (isDocumented) {
  const document = new URL("../../../docs/performance.md", import.meta.url);
  writeFileSync(document, withTables(readFileSync(document, "utf8"), results));
}
const judged = results.filter(({ met }) => met !== null);
console.log(`\nGoals met: ${judged.filter(({ met }) => met).length} of ${judged.length}. The figures: ${resultsFile}`);

function readArguments() {
  const resultsFile = fileURLToPath(new URL("../results.json", import.meta.url));
  try {
    const { values, positionals } = parseArgs({
      args: process.argv.slice(2).filter((argument) => argument !== "--"),
      options: {
        results: { type: "string", default: resultsFile },
        document: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
      allowPositionals: true,
    });
    if (values.help) {
      console.log(USAGE);
      process.exit();
    }
    const unknown = positionals.filter((name) => !Object.hasOwn({ ...benches, ...longBenches }, name));
    if (unknown.length > 0) throw new Error(`There is no measurement "${unknown.join('", "')}".`);
    const names = positionals.length > 0 ? positionals : Object.keys(benches);
    return { names, resultsFile: values.results, isDocumented: values.document };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Runs one in a process of its own; ends with it if it fails. */
async function run(name: string): Promise<Result[]> {
  const child = fork(new URL("bench-process.js", import.meta.url), [name], { serialization: "advanced" });
  let own: Result[] | undefined;
  child.on("message", (message: Result[]) => {
    own = message;
  });
  const [code] = await once(child, "exit");
  if (own && code === 0) return own;
  console.error(`The measurement "${name}" failed. What it said about it stands above.`);
  process.exit(1);
}
