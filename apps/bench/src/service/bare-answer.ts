// A bare server in a process of its own: what no service over node:http can be faster than. It is sent the headers and
// the bytes that it shall answer, and says at which port.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ReadyBytes } from "./start-bare-answer.js";

const [message] = await once(process, "message");
const { headers, base64 }: ReadyBytes = JSON.parse(message);
const body = Buffer.from(base64, "base64");
const server = createServer((request, response) => {
  // The least that can be done with what was sent.
  request.resume();
  response.writeHead(200, headers).end(body);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
