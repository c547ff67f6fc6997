// Runs in its own thread, so that a flood of public calls takes no time from the intake.
import { parentPort, workerData } from "node:worker_threads";
import { DatabaseError } from "@media-ops/database";
import type { OpenFileShares } from "../config/share-open-files.js";
import { logChange } from "../health.js";
import { StartError } from "../http/listening.js";
import { KeyRing } from "../keys/api-keys.js";
import { LiveSeats } from "../live/live-seats.js";
import { createLog } from "../log.js";
import { listingCacheBytes } from "../logs/cached-listings.js";
import { type PublicListener, startPublicListener } from "../public-listener.js";
import { startReadThread } from "../reads/read-thread.js";
import { listingsOf } from "../stores.js";
import { SigningKeys } from "../tokens/signing-keys.js";
import { EntryPort, type FromThread, type ToThread, VaultPort, WritePort } from "./messages.js";
import { collectThreadMetrics, lowerPriority, openInThread, type ThreadData } from "./thread.js";

const port = parentPort;
if (!port) throw new Error("This file is run as a worker thread.");

// Enough for the intake to keep up; on a busy core, public calls still get a third as much time as the rest.
const NICER_BY = 5;

lowerPriority(NICER_BY);
const send = (message: FromThread): void => port.postMessage(message);
const entries = new EntryPort(send);
const writes = new WritePort(send);
const vault = new VaultPort(send);
const ownMetrics = collectThreadMetrics("media_public_");
// Received from the main thread, which alone watches the database; undefined if the database can be used.
let databaseFault: string | undefined;
process.on("uncaughtException", fail);
port.once("message", (first: ToThread) => {
  if (first.type === "start") run(first.openFiles);
  else port.close();
});

/** Starts the listener, and answers the main thread until that sends "stop". */
function run(openFiles: OpenFileShares): void {
  const starting = start(workerData as ThreadData, openFiles);
  starting.then(({ url }) => send({ type: "listening", url })).catch(fail);
  port?.on("message", (message: ToThread) => void onMessage(message, starting).catch(fail));
}

async function start({ config, connections }: ThreadData, openFiles: OpenFileShares): Promise<PublicListener> {
  const log = createLog({ level: config.logLevel });
  const now = Date.now;
  const forReads = connections && Math.ceil(connections / 2);
  const database = await openInThread({ config, connections: connections && connections - (forReads ?? 0) });
  const reading = startReadThread({ config, connections: forReads }, writes.write);
  reading.failed.then(fail);
  try {
    const keys = await KeyRing.open(
      database.query,
      logChange(
        log,
        "the public listener cannot read the API keys; those that are known stay good",
        "the public listener reads the API keys again",
      ),
    );
    const signingKeys = await SigningKeys.open(
      database.query,
      vault,
      logChange(
        log,
        "the public listener cannot read the signing keys; those that are known stay good",
        "the public listener reads the signing keys again",
      ),
    );
    const close = (): void => {
      for (const ring of [keys, signingKeys]) ring.close();
    };
    const listener = await startPublicListener({
      config,
      log,
      now,
      keys,
      signingKeys,
      vault,
      openFiles,
      writer: entries,
      database,
      write: writes.write,
      reads: reading.reads,
      listings: listingsOf(database, now, listingCacheBytes(config)),
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
          await Promise.all([reading.stop(), database.close()]);
        });
      },
    };
  } catch (error) {
    await Promise.all([reading.stop(), database.close()]);
    throw error;
  }
}

async function onMessage(message: ToThread, starting: Promise<PublicListener>): Promise<void> {
  switch (message.type) {
    case "database":
      databaseFault = message.fault;
      return;
    case "settled":
      entries.onSettled(message.id);
      return;
    case "written":
      writes.onWritten(message);
      return;
    case "opened":
      vault.onOpened(message);
      return;
    case "metrics": {
      const listener = await starting;
      const texts = await Promise.all([listener.metrics(), ownMetrics.metrics()]);
      send({ type: "metrics", text: texts.join("\n") });
      return;
    }
    case "stop":
      try {
        await (await starting).stop();
      } finally {
        entries.flush();
        port?.close();
      }
  }
}

/** Reports a failure. The main thread then stops the whole service, and answers the calls that have begun. */
function fail(error: unknown): void {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const isExpected = error instanceof StartError || error instanceof DatabaseError;
  send({ type: "failed", message, stack: isExpected ? undefined : stack });
}
