import assert from "node:assert/strict";
import { join } from "node:path";
import { checkConnectionLogs } from "../databases/check-log.js";
import { open } from "../databases/open.js";
import { Load, type Rate } from "../load/load.js";
import { type Raced, raceServers } from "../load/race-servers.js";
import { quantile } from "../measure.js";
import { compare, type Result, ratioAtLeast } from "../report.js";
import { show } from "../service/feeder.js";
import { withSandbox } from "../service/sandbox.js";
import { createIntakeKey, createProject, startServiceProcess } from "../service/service-process.js";
import { startBareServer } from "../service/start-bare.js";
import { checkAnswers } from "./check-answers.js";
import { Connection, toRequest } from "./events.js";
import { RawRows } from "./raw-rows.js";

const ROUNDS = 7;
// Enough that the beginning and the end of a round, when not all connections are busy, weigh little.
const EVENTS = 12_000;
const CONNECTIONS = 256;
const PROJECT = "bench";
const MINUTES = 10;
const GOAL = ratioAtLeast(0.6);
// What both servers answer to an event: {}
const ANSWER_BYTES = 2;

/** What is sent. */
interface Traffic {
  readonly name: string;
  /** The events of a connection, in their order; the last is its end. */
  of(connection: Connection): string[];
  /** What of it is written. */
  readonly written: string;
  readonly inTheWay: string;
}

const ordinary: Traffic = {
  name: `connections of ${MINUTES} minutes`,
  of: (connection) => connection.life(MINUTES),
  written: `2 of ${MINUTES + 2} events, the others being signs of life`,
  inTheWay:
    "the bare server neither knows the key, nor checks what is sent, nor keeps anything; each of these is small, and sending the answer costs both the same",
};

const worst: Traffic = {
  name: "nothing but connections that end",
  of: (connection) => [connection.end(MINUTES)],
  written: "every event, and each is an entry",
  inTheWay:
    "the bare server keeps nothing; the thread that writes has a third of what the service computes, and two cores are shared with whoever asks; the rows below show what writing alone takes",
};

/** How many events a second the intake keeps, durably, against what only parses or only writes them. */
export async function benchIntake(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const url = `sqlite:${join(sandbox.folder, "intake.db")}`;
    await createProject(url, PROJECT);
    const intakeKey = await createIntakeKey(url);
    const service = await startServiceProcess(sandbox, url);
    const bareServer = await startBareServer(sandbox, new URL("bare-intake.js", import.meta.url));
    let ended = await checkAnswers({ service, bareUrl: bareServer.url, intakeKey, projectId: PROJECT });
    const raw = await RawRows.open(join(sandbox.folder, "raw.db"));
    const [ours, bare] = [
      await Load.open([service.insideUrl], CONNECTIONS),
      await Load.open([bareServer.url], CONNECTIONS),
    ];
    /** The same for each that races, and new ones in the next round: an event is kept once. */
    const linesFor = (racers: number, traffic: Traffic): (() => Buffer[][]) => {
      let lines: Buffer[][] = [];
      let given = 0;
      return () => {
        if (given % racers === 0) {
          lines = makeLines(traffic, intakeKey);
          ended += lines.length;
        }
        given += 1;
        return lines;
      };
    };

    const lives = linesFor(2, ordinary);
    const life = await raceServers(
      { ours: { load: ours, lines: lives, check: told(ordinary) }, bare: { load: bare, lines: lives, check } },
      { rounds: ROUNDS },
    );
    const ends = linesFor(3, worst);
    const end = await raceServers(
      {
        ours: { load: ours, lines: ends, check: told(worst) },
        bare: { load: bare, lines: ends, check },
        raw: { load: raw, lines: ends },
      },
      { rounds: ROUNDS },
    );
    ours.close();
    bare.close();
    await Promise.all([service.stop(), bareServer.stop()]);
    const database = await open(url);
    await checkConnectionLogs(database, ended, "intake");
    await database.close();
    raw.check();
    raw.close();
    return [besideBare(ordinary, life), besideBare(worst, end), ...besideRaw(end)];
  });
}

function makeLines({ of }: Traffic, intakeKey: string): Buffer[][] {
  const lines: Buffer[][] = [];
  for (let events = 0; events < EVENTS; events += lines.at(-1)?.length ?? 0) {
    const connection = new Connection(PROJECT, Date.now() - MINUTES * 60_000);
    lines.push(of(connection).map((body) => toRequest(body, intakeKey)));
  }
  return lines;
}

function check({ count, bytes }: Rate): void {
  assert.equal(bytes, count * ANSWER_BYTES, "each event is answered as such");
}

function told({ name }: Traffic): (rate: Rate) => void {
  return (rate) => {
    show(`intake, ${name}: ${rate.perSecond.toFixed(0)} a second`);
    check(rate);
  };
}

function besideBare({ name, written, inTheWay }: Traffic, { ours, bare }: { ours: Raced; bare: Raced }): Result {
  const [p50, p99] = [quantile(ours.p50, 0.5), quantile(ours.p99, 0.5)];
  const telling = {
    name: "intake",
    measure: `${name}: events a second`,
    against: "bare node:http server that parses the same bodies",
    goal: GOAL,
    note: `written, durably before the answer: ${written}; ${CONNECTIONS} connections; p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    inTheWay,
  };
  return compare(telling, ours.perSecond, bare.perSecond);
}

function besideRaw({ ours, bare, raw }: Record<"ours" | "bare" | "raw", Raced>): Result[] {
  const telling = { name: "intake", measure: `${worst.name}: events a second` };
  const inTurn = raw.perSecond.map((rate, round) => 1 / (1 / rate + 1 / (bare.perSecond[round] ?? Number.NaN)));
  return [
    compare(
      {
        ...telling,
        against: "raw better-sqlite3: their rows alone, in batches as large as the service's",
        note: "no HTTP, no JSON, no other thread",
      },
      ours.perSecond,
      raw.perSecond,
    ),
    compare(
      {
        ...telling,
        against: "both floors, one after the other",
        goal: GOAL,
        note: "what is parsed must be written, too",
      },
      ours.perSecond,
      inTurn,
    ),
  ];
}
