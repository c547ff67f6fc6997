import { sqliteIn } from "../databases/database.js";
import { type PostgresServer, withPostgres } from "../databases/postgres.js";
import type { Result } from "../report.js";
import { show } from "../service/feeder.js";
import { type Sandbox, withSandbox } from "../service/sandbox.js";
import { Contestant } from "./contestant.js";
import { diskResults } from "./disk.js";
import { fillProjects } from "./filled.js";
import { measureFloors } from "./floor.js";
import { measureIntake } from "./intake.js";
import { traffics } from "./lines.js";
import { measureListings, situations } from "./listings.js";

const MANY_PROJECTS = 100;
const PROCESSES = [1, 2];

/** One process or two, on SQLite or PostgreSQL: how many events go in and listings come out, and what they take on disk. */
export async function benchScale(): Promise<Result[]> {
  return withSandbox((sandbox) =>
    withPostgres(async (server) => {
      const results: Result[] = [];
      for (const projects of [1, MANY_PROJECTS]) results.push(...(await benchProjects(sandbox, server, projects)));
      results.push(...(await measureFloors(sandbox, server)));
      return results;
    }),
  );
}

async function benchProjects(sandbox: Sandbox, server: PostgresServer, projects: number): Promise<Result[]> {
  const contestants: Contestant[] = [];
  for (const processes of PROCESSES) {
    for (const make of [async () => sqliteIn(sandbox, `${projects}-${processes}`), () => server.make()]) {
      const filled = await fillProjects(await make(), projects);
      contestants.push(await Contestant.start(sandbox, filled, processes));
      show(`scale: ${contestants.at(-1)?.name} on ${projects} projects are ready`);
    }
  }
  const whose = projects === 1 ? "1 project" : `${projects} projects`;
  const results: Result[] = [];
  for (const situation of situations.filter((one) => one.projects === projects)) {
    results.push(...(await measureListings(contestants, server, situation)));
  }
  for (const traffic of traffics.filter((one) => one.projects.includes(projects)))
    results.push(...(await measureIntake(contestants, server, { traffic, whose })));
  for (const contestant of contestants) await contestant.stop();
  const filled = contestants.map((contestant) => contestant.filled);
  return projects === 1 ? results : [...results, ...diskResults(filled)];
}
