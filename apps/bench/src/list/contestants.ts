import assert from "node:assert/strict";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sqliteIn } from "../databases/database.js";
import { type Answer, Connections } from "../service/connection.js";
import { listings, makeEntries, measured } from "../service/entries.js";
import { fill } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";
import { createProject, type ServiceProcess, startServiceProcess } from "../service/service-process.js";
import { startBareServer } from "../service/start-bare.js";
import { MeasuredLog } from "./measured-log.js";
import type { PeerSettings } from "./peer-tables.js";
import { type Writer, writeToPeer, writeToService } from "./writers.js";

export const path = listings[measured.kind];

const ENTRIES = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;
// A little less than the window, so that nothing falls out of it while we measure.
const DAYS = 29.9;
// What is written while we measure comes after all that stands there, and yet not out of the future.
const LAST_AGO_MS = 60 * 60 * 1000;

/** A server that lists the measured log out of a file, and who writes to that file. */
export interface Lister {
  readonly url: string;
  readonly log: MeasuredLog;
  readonly writer: Writer;
}

/** Who lists the same log, and the key with which it is asked for. */
export interface Contestants {
  readonly apiKey: string;
  readonly service: Lister & { readonly process: ServiceProcess };
  readonly peer: Lister;
}

/** Puts the same entries into the service and into its peer, and starts both. */
export async function startBoth(sandbox: Sandbox): Promise<Contestants> {
  const { url } = sqliteIn(sandbox, "service");
  const until = Date.now() - LAST_AGO_MS;
  const entries = [...makeEntries({ count: ENTRIES, from: until - DAYS * DAY_MS, until })];
  await fill(url, ENTRIES, entries);
  const apiKey = await createProject(url, measured.projectId);
  const process = await startServiceProcess(sandbox, url);
  const ours = entries.filter(({ projectId, kind }) => projectId === measured.projectId && kind === measured.kind);
  const texts = ours.map(({ text }) => text);

  const file = join(sandbox.folder, "peer.db");
  const peerWriter = writeToPeer(file, measured.projectId, apiKey);
  for (const entry of ours) peerWriter.prepare(entry)();
  const peer = await startBareServer(
    sandbox,
    new URL("peer-list.js", import.meta.url),
    JSON.stringify({ file, path } satisfies PeerSettings),
  );
  const writer = writeToService(join(sandbox.folder, "service.db"));
  return {
    apiKey,
    service: { url: process.url, log: new MeasuredLog(writer.prepare, texts, until), writer, process },
    peer: { url: peer.url, log: new MeasuredLog(peerWriter.prepare, texts, until), writer: peerWriter },
  };
}

/** Asks for the measured log once. */
export async function answerOf(url: string, apiKey: string, encoding = "identity"): Promise<Answer> {
  const connections = new Connections(url);
  const answer = await connections.answer({ path, apiKey, headers: { "accept-encoding": encoding } });
  connections.close();
  return answer;
}

/** Throws unless the service and its peer list what was stored, plain and gzipped. */
export async function checkBoth({ apiKey, service, peer }: Contestants): Promise<void> {
  for (const { url, log } of [service, peer]) {
    const { body } = await answerOf(url, apiKey);
    const { body: gzipped, headers } = await answerOf(url, apiKey, "gzip");
    assert.equal(body.toString(), log.listing, "what was stored is listed, the newest first");
    assert.equal(headers["content-encoding"], "gzip");
    assert(gunzipSync(gzipped).equals(body), "what is gzipped is the same");
  }
}
