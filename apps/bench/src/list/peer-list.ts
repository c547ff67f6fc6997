// What one would write by hand, in a process of its own: Express, rows from better-sqlite3, and JSON.stringify. It says at
// which port it is.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Sqlite } from "@media-ops/database/load-sqlite";
import express from "express";
import { hashOf, type PeerSettings } from "./peer-tables.js";

const WINDOW_MS = 30 * 24 * 60 * 60 * 1000;
const compress = promisify(gzip);

const [message] = await once(process, "message");
const { file, path }: PeerSettings = JSON.parse(message);
const db = new Sqlite(file, { readonly: true });
const projectOf = db.prepare("select project_id from api_key where hash = ?").pluck();
const newest = db.prepare(`
  select timestamp, type, url, status, elapsed_time_ms from webhook_log
  where project_id = ? and timestamp >= ? order by timestamp desc, id desc limit 1000`);

// Neither is of use here, and both take time.
const app = express().disable("etag").disable("x-powered-by");
app.use(express.json());
app.post(path, async (request, response) => {
  const [, apiKey = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
  const projectId = projectOf.get(hashOf(apiKey));
  if (projectId === undefined) {
    response.status(401).json({ title: "The API key is not known." });
    return;
  }
  const rows = newest.all(projectId, new Date(Date.now() - WINDOW_MS).toISOString());
  if (!request.acceptsEncodings("gzip")) {
    response.json(rows);
    return;
  }
  const body = await compress(JSON.stringify(rows));
  response.set({ "content-type": "application/json", "content-encoding": "gzip", vary: "accept-encoding" }).send(body);
});
const server = app.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
