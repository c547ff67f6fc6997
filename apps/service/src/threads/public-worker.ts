// Runs in its own thread, so that a flood of public calls takes no time from the intake.
import { DatabaseError, type Statement } from "@media-ops/database";
import { logChange } from "../health.js";
import { openKeyRing } from "../keys/api-keys.js";
import { LiveSeats } from "../live/live-seats.js";
import { createLog } from "../log.js";
import { Listings, listingCacheBytes } from "../logs/listings.js";
import { type PublicListener, startPublicListener } from "../public-listener.js";
import { openExistingVault } from "../secrets/open-vault.js";
import { openSigningKeys } from "../tokens/signing-keys.js";
import { startReadThread } from "./child-thread.js";
import { collectThreadMetrics, inThread, openInThread, type ThreadData } from "./own-thread.js";
import { EntryPort, ThreadCalls, toSent } from "./thread-calls.js";

// Enough for the intake to keep up; on a busy core, public calls still get a third as much time as the rest.
const NICER_BY = 5;

const { port, data } = inThread(NICER_BY);
const ownMetrics = collectThreadMetrics("media_public_");
// Received from the main thread, which alone watches the database; undefined if the database can be used.
let databaseFault: string | undefined;
let starting: Promise<PublicListener> | undefined;
// The main thread then stops the whole service, and answers the calls that have begun.
const fail = (error: unknown): void => void calls.call("failed", toSent(error));
process.on("uncaughtException", fail);

const calls = new ThreadCalls(port, {
  async start() {
    starting = start(data);
    return (await starting).url;
  },
  async database(fault: string | undefined) {
    databaseFault = fault;
  },
  async metrics() {
    const texts = await Promise.all([(await starting)?.metrics() ?? "", ownMetrics.metrics()]);
    return texts.join("\n");
  },
  async stop() {
    await (await starting)?.stop().finally(() => entries.flush());
  },
});
const entries = new EntryPort(calls);
const write = (statements: readonly Statement[]): Promise<unknown[][]> =>
  // A compiled query has more members, which would be copied as well.
  calls.call(
    "write",
    statements.map(({ sql, parameters }) => ({ sql, parameters })),
  );

async function start({ config, connections }: ThreadData): Promise<PublicListener> {
  const log = createLog({ level: config.logLevel });
  const now = Date.now;
  const forReads = connections && Math.ceil(connections / 2);
  const database = await openInThread({ config, connections: connections && connections - (forReads ?? 0) });
  const reading = startReadThread({ config, connections: forReads }, write);
  reading.failed.then(fail);
  try {
    const reporting = (what: string) =>
      logChange(
        log,
        `the public listener cannot read the ${what}; those that are known stay good`,
        `the public listener reads the ${what} again`,
      );
    const vault = await openExistingVault(config, database.query);
    if (!vault) throw new Error("The main thread has created no master key.");
    const keys = await openKeyRing(database.query, reporting("API keys"));
    const signingKeys = await openSigningKeys(database.query, vault, reporting("signing keys"));
    const close = (): void => {
      for (const ring of [keys, signingKeys]) ring.close();
    };
    // Loading it would delay the first connections, which could then be more at once than the process may have open.
    await reading.started;
    const listener = await startPublicListener({
      config,
      log,
      now,
      keys,
      signingKeys,
      vault,
      writer: entries,
      database,
      write,
      reads: reading.reads,
      listings: new Listings(database, now, listingCacheBytes(config)),
      live: new LiveSeats(database, { now, elapsed: performance.now.bind(performance) }),
      checkDatabase() {
        if (databaseFault !== undefined) throw new DatabaseError("moved", databaseFault);
      },
    }).catch((error: unknown) => {
      close();
      throw error;
    });
    return {
      ...listener,
      async stop() {
        await listener.stop().finally(async () => {
          close();
          await Promise.all([reading.end(), database.close()]);
        });
      },
    };
  } catch (error) {
    await Promise.all([reading.end(), database.close()]);
    throw error;
  }
}
