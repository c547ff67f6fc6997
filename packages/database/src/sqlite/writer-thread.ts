// Runs in a thread of its own, so that waiting for the disk blocks no other work.
import { parentPort, workerData } from "node:worker_threads";
import { codeOf, DatabaseError, messageOf } from "../errors.js";
import { describeLoss, type HeldFileRef, HeldFileWatch, newId } from "./held-file.js";
import { Session } from "./session.js";
import type { WriterRequest, WriterResponse } from "./writer.js";

const port = parentPort;
if (!port) throw new Error("This file is run as a worker thread.");

const opened = open(workerData as HeldFileRef);

function open(held: HeldFileRef): { session: Session; watch: HeldFileWatch } | undefined {
  try {
    const session = new Session(held.file, "write");
    const watch = new HeldFileWatch(held, identify(session));
    port?.postMessage({ ok: true, result: undefined } satisfies WriterResponse);
    return { session, watch };
  } catch (error) {
    port?.postMessage(failed(error));
    return undefined;
  }
}

/** The database's id; it gets one if it has none. */
function identify(session: Session): number {
  if (session.pragma("application_id") === 0) {
    session.begin({ sql: "select 1", parameters: [] });
    if (session.pragma("application_id") === 0) session.pragma(`application_id = ${newId()}`);
    session.run({ sql: "commit", parameters: [] });
    // Into the file itself, where it can be compared.
    session.pragma("wal_checkpoint(passive)");
  }
  return Number(session.pragma("application_id"));
}

// One response for each request, in their order.
port.on("message", (request: WriterRequest) => {
  try {
    if (request === "close") {
      // The thread ends with its port, even if SQLite fails to close.
      port.close();
      opened?.session.close();
    } else if (opened) {
      const { session, watch } = opened;
      const result = request === "look" ? watch.look() : resultOf(request, session, watch);
      port.postMessage({ ok: true, result } satisfies WriterResponse);
    }
  } catch (error) {
    port.postMessage(failed(error));
  }
});

function resultOf(request: Exclude<WriterRequest, string>, session: Session, watch: HeldFileWatch): unknown {
  if ("forced" in request) return session.run({ sql: request.forced, parameters: [] });
  const result = run(request, session);
  // A commit into a file that is gone must not be acknowledged.
  const loss = session.inTransaction ? undefined : watch.look();
  if (loss !== undefined) throw new DatabaseError("moved", describeLoss(watch.file, loss));
  return result;
}

function run(request: Exclude<WriterRequest, string | { forced: string }>, session: Session): unknown {
  if ("texts" in request) return session.runAll(request);
  return "begin" in request ? session.begin(request.begin) : session.run(request);
}

function failed(error: unknown): WriterResponse {
  return { ok: false, message: messageOf(error), code: codeOf(error) };
}
