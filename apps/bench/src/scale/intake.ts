import type { PostgresServer } from "../databases/postgres.js";
import type { Result } from "../report.js";
import type { Contestant } from "./contestant.js";
import { makeLines, type Traffic } from "./lines.js";
import { measureRounds } from "./rounds.js";

/** How many events are taken in durably. Afterwards each must stand in the log, once. */
export async function measureIntake(
  contestants: readonly Contestant[],
  server: PostgresServer,
  { traffic, whose }: { traffic: Traffic; whose: string },
): Promise<Result[]> {
  const results = await measureRounds(contestants, server, {
    measure: `events in a second, ${whose}, ${traffic.name}`,
    async work(contestant) {
      const projectIds = contestant.filled.projects.map(({ projectId }) => projectId);
      const lines = makeLines(traffic, projectIds);
      const intake = await contestant.openIntake(traffic.connections);
      const perSecond = await contestant.takeIn(intake, lines);
      intake.close();
      return { perSecond, count: lines.flat().length };
    },
  });
  for (const contestant of contestants) await contestant.checkLog();
  return results;
}
