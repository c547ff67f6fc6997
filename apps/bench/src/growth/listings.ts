import { quantile } from "../measure.js";
import { compare, oursAtMost, type Result, ratioAtMost } from "../report.js";
import { Connections } from "../service/connection.js";
import { show } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";
import { startBareAnswer } from "../service/start-bare-answer.js";
import { type Listed, measureListing, type Servers, type Situation, situations } from "./listing.js";
import { type Sizes, serve } from "./stored.js";

// Two processes of one program differ by a tenth for as long as they live; those of several starts do not.
const STARTS = 3;
const MAX_GROWTH = 1.2;
const MAX_MS = 2;

/** How long a listing takes with few, many and most entries stored, in all situations. */
export async function measureListings(sandbox: Sandbox, sizes: Sizes): Promise<Result[]> {
  const listed = new Map<Situation, Listed[]>(situations.map((situation) => [situation, []]));
  for (let start = 1; start <= STARTS; start++) {
    const servers = await startAll(sandbox, sizes);
    for (const [situation, all] of listed) all.push(await measureListing(servers, situation));
    for (const { stop } of Object.values(servers)) await stop();
    show(`listings measured: start ${start} of ${STARTS}`);
  }
  return [...listed].flatMap(([situation, all]) => toResults(situation, all, sizes));
}

async function startAll(sandbox: Sandbox, { few, many, most }: Sizes): Promise<Servers> {
  const served = { few: await serve(sandbox, few), many: await serve(sandbox, many), most: await serve(sandbox, most) };
  const bare = await startBareAnswer(sandbox, served.most.answer);
  const connection = new Connections(bare.url);
  const floor = {
    listing: most.listing,
    connection,
    async stop() {
      connection.close();
      await bare.stop();
    },
  };
  return { floor, ...served };
}

function toResults({ name, written, gzip }: Situation, all: readonly Listed[], sizes: Sizes): Result[] {
  const { kind } = sizes.few.database;
  const medians = (server: keyof Servers): number[] => all.flatMap(({ medians }) => medians[server]);
  const grown = (size: "many" | "most"): Result =>
    compare(
      {
        name: "growth",
        measure: `${kind}: listing, ${name}, of ${sizes[size].count} entries stored: round trip p50, µs`,
        against: `${sizes.few.count} entries stored`,
        goal: ratioAtMost(MAX_GROWTH),
        note: `${STARTS} starts`,
      },
      medians(size),
      medians("few"),
    );
  const inMs = (server: keyof Servers): number[] => medians(server).map((us) => us / 1000);
  const within = (at: 0 | 1): string =>
    quantile(
      all.map((listed) => listed.within[at]),
      0.5,
    ).toFixed(1);
  const time = compare(
    {
      name: "growth",
      measure: `${kind}: listing, ${name}, of ${sizes.most.count} entries stored: service's time p50, ms`,
      against: gzip ? "bare node:http server, not compressed" : "bare node:http server, same bytes",
      // What nobody has in memory may take as long as it does.
      goal: written === "late" ? undefined : oursAtMost(MAX_MS, "ms"),
      inTheWay: "what has changed is asked of the database, and with gzip made small anew",
      note: `at most: the whole round trip; by its own clock ${within(0)} % within 1 ms, ${within(1)} % within 2 ms`,
    },
    inMs("most"),
    inMs("floor"),
  );
  return [grown("many"), grown("most"), time];
}
