// A bare server in a process of its own, which reads a body, parses it, and answers 200: what no intake over node:http
// can be faster than. It says at which port it is.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// Those that the service sends, and as long.
const headers = [
  ...["x-request-id", "00000000-0000-4000-8000-000000000000"],
  ...["cache-control", "no-store"],
  ...["content-type", "application/json; charset=UTF-8"],
  ...["content-length", "2"],
];

// Others take their turns meanwhile, and connections stay.
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const event: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const status = typeof event === "object" ? 200 : 400;
    response.writeHead(status, headers).end("{}");
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
