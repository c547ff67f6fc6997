// A bare server in a process of its own, which reads a body, parses it, and answers 200: what no intake over node:http
// can be faster than. It says at which port it is.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { headersFor } from "../service/bare-json.js";

const ANSWER = "{}";
const headers = headersFor(ANSWER);

// Others take their turns meanwhile, and connections stay.
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const event: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const status = typeof event === "object" ? 200 : 400;
    response.writeHead(status, headers).end(ANSWER);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
