import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Load } from "../load/load.js";
import { quantile } from "../measure.js";
import type { Result } from "../report.js";
import { show } from "../service/feeder.js";
import { type Sandbox, withSandbox } from "../service/sandbox.js";
import { createIntakeKey, createProject, startServiceProcess } from "../service/service-process.js";
import { Connection, toRequest } from "./events.js";

const ROUNDS = 12;
const EVENTS = 9000;
const CONNECTIONS = 256;
const PROJECT = "bench";
const GOAL = 0.6;
const MINUTES = 10;

/** What is sent. */
interface Traffic {
  readonly name: string;
  /** The events of a connection, in their order. */
  of(connection: Connection): string[];
  readonly goal: number | undefined;
  /** What of it is written. */
  readonly written: string;
}

const traffics: readonly Traffic[] = [
  {
    name: `connections of ${MINUTES} minutes`,
    of: (connection) => connection.life(MINUTES),
    goal: GOAL,
    written: `2 of ${MINUTES + 2} events, the others being signs of life`,
  },
  // The worst that can come: each event is an entry.
  {
    name: "nothing but connections that end",
    of: (connection) => [connection.end(MINUTES)],
    goal: undefined,
    written: "every event",
  },
];

/** How many events a second the intake keeps, durably, against a bare server that only parses the same bodies. */
export async function benchIntake(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const url = `sqlite:${join(sandbox.folder, "intake.db")}`;
    await createProject(url, PROJECT);
    const intakeKey = await createIntakeKey(url);
    const service = await startServiceProcess(sandbox, url);
    const [ours, bare] = [
      await Load.open([service.insideUrl], CONNECTIONS),
      await Load.open([await startBare(sandbox)], CONNECTIONS),
    ];
    const results: Result[] = [];
    for (const traffic of traffics) results.push(await measure(traffic, { ours, bare, intakeKey }));
    ours.close();
    bare.close();
    await service.stop();
    return results;
  });
}

async function measure(
  { name, of, goal, written }: Traffic,
  { ours, bare, intakeKey }: { ours: Load; bare: Load; intakeKey: string },
): Promise<Result> {
  const rates: { ours: number; bare: number }[] = [];
  const makeLines = (): Buffer[][] => {
    const lines: Buffer[][] = [];
    for (let events = 0; events < EVENTS; events += lines.at(-1)?.length ?? 0) {
      const connection = new Connection(PROJECT, Date.now() - MINUTES * 60_000);
      lines.push(of(connection).map((body) => toRequest(body, intakeKey)));
    }
    return lines;
  };
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const sent = makeLines();
    const first = round % 2 === 0 ? await bare.rate(sent) : undefined;
    const { perSecond: own } = await ours.rate(sent);
    rates.push({ ours: own, bare: (first ?? (await bare.rate(sent))).perSecond });
    show(`intake, ${name}: round ${round} of ${ROUNDS}, ${own.toFixed(0)} a second`);
  }
  const counted = rates.slice(1);
  const ratios = counted.map((rate) => rate.ours / rate.bare);
  const ratio = quantile(ratios, 0.5);
  return {
    name: "intake",
    measure: `${name}: events a second`,
    against: "bare node:http server that parses the same bodies",
    ours: quantile(
      counted.map((rate) => rate.ours),
      0.5,
    ),
    theirs: quantile(
      counted.map((rate) => rate.bare),
      0.5,
    ),
    ratio,
    goal: goal === undefined ? null : `≥ ${goal}`,
    met: goal === undefined ? null : ratio >= goal,
    note: `written, durably before the answer: ${written}; ${CONNECTIONS} connections; middle half of ${ROUNDS} rounds ${quantile(ratios, 0.25).toFixed(2)}–${quantile(ratios, 0.75).toFixed(2)}`,
  };
}

async function startBare({ adopt }: Sandbox): Promise<string> {
  const server = adopt(fork(new URL("bare-intake.js", import.meta.url)));
  const [port] = await once(server, "message");
  return `http://127.0.0.1:${port}`;
}
