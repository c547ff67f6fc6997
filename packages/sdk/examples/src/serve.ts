// Puts the fake of the service behind a real address, with entries that keep coming, so that one can try the SDK,
// curl, or a program of one's own.
import type { AddressInfo } from "node:net";
import { createFakeMediaService } from "@media-ops/sdk/testing";
import { createHttpServer } from "./http.js";

const WANTED_PORT = 8080;
const service = createFakeMediaService();
const { apiKey } = service.clientOptions;
const server = createHttpServer(service.fetch);

/** One more thing happens: a delivery, of which every fifth fails, and now and then the end of a connection or a session. */
function happen(count: number, at = Date.now()): void {
  const timestamp = new Date(at).toISOString();
  const status = count % 5 === 0 ? 500 : count % 17 === 0 ? 0 : 200;
  service.add("webhooks", { timestamp, status, type: count % 3 === 0 ? "session.created" : "connection.created" });
  if (count % 3 === 0) service.add("connections", { timestamp });
  if (count % 9 === 0) service.add("sessions", { timestamp });
  if (count % 20 === 0) service.add("media-api", { timestamp });
  if (count % 10 === 0) service.add("api", { timestamp });
}

server.once("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EADDRINUSE") throw error;
  console.log(`Port ${WANTED_PORT} is taken; using another one.`);
  server.listen(0, "127.0.0.1");
});

server.once("listening", () => {
  for (let count = 1; count <= 100; count++) happen(count, Date.now() - (100 - count) * 60_000);
  let count = 100;
  setInterval(() => {
    count += 1;
    happen(count);
  }, 1000);
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console.log(`
  A fake of the service is at ${address} until Ctrl-C. Its API key is ${apiKey}
  In another terminal, list its webhook log, or make a token:

  curl ${address}/orgs/list-webhook-logs -H 'Authorization: Bearer ${apiKey}' -X POST
  curl ${address}/projects/create-access-token -H 'Authorization: Bearer ${apiKey}' --json '{"role":"recvonly"}'
`);
});

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit());
server.listen(WANTED_PORT, "127.0.0.1");
