// A bare server in a process of its own, so that it does not share a thread with what is measured.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const entries = Array.from({ length: 1000 }, (_, i) => ({
  timestamp: new Date(Date.UTC(2026, 3, 1) - i * 1000).toISOString().replace("Z", "913Z"),
  type: i % 2 ? "connection.created" : "session.created",
  url: "https://hooks.example/media",
  status: i % 7 ? 200 : 500,
  elapsed_time_ms: i,
}));
const list = Buffer.from(JSON.stringify(entries));
const token = Buffer.from(JSON.stringify({ access_token: `e30.${"x".repeat(250)}.${"y".repeat(43)}` }));

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const body = request.url?.endsWith("token") ? token : list;
    response
      .writeHead(200, {
        "content-type": "application/json; charset=UTF-8",
        "content-length": body.length,
        "x-request-id": "bench",
      })
      .end(body);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
