// A bare server in a process of its own: what no service over node:http can be faster than. It is sent the bytes that
// it shall answer, and says at which port.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [text] = await once(process, "message");
const body = Buffer.from(text);
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response
      .writeHead(200, {
        "x-request-id": "bench",
        "cache-control": "no-store",
        "content-type": "application/json; charset=UTF-8",
        vary: "accept-encoding",
        "content-length": body.length,
      })
      .end(body);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
