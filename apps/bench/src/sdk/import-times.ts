import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { mapValues } from "../map-values.js";
import { takeTurns } from "../measure.js";
import { compare, type Result } from "../report.js";
import { type Client, type ClientName, ours } from "./clients.js";

const ROUNDS = 9;
const start = "the start of node before it";

/** How long a program waits for the import of a client. */
export async function importTimes(clients: Record<ClientName, Client>): Promise<Result[]> {
  const turns = {
    [start]: () => told("console.log(performance.now());"),
    ...mapValues(
      clients,
      ({ imported }) =>
        () =>
          told(importing(imported)),
    ),
  };
  await takeTurns(turns, 1);
  const { [ours]: own, ...others } = await takeTurns(turns, ROUNDS);
  return Object.entries(others).map(([against, theirs]) =>
    compare({ name: "sdk", measure: "import, ms", against }, own, theirs),
  );
}

const importing = (url: string): string =>
  `const started = performance.now(); await import(${JSON.stringify(url)}); console.log(performance.now() - started);`;

/** What a script says, in a process of its own. */
async function told(script: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  return Number(stdout);
}
