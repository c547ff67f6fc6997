import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { answerResponseUrl } from "./delivery/response-url.js";
import { handleUpgrade } from "./delivery/sockets.js";
import { type Handler, sendText, urlOf } from "./http.js";
import { handleAuthorize } from "./oauth/authorize.js";
import { API_PATH, handleCall } from "./web-api/call.js";
import { handleUpload } from "./web-api/methods/messages.js";
import { UPLOAD_PATH } from "./world/messages.js";
import type { World } from "./world/world.js";

const HOST = "127.0.0.1";

const handlers: readonly (readonly [path: string, handler: Handler])[] = [
  [API_PATH, handleCall],
  [UPLOAD_PATH, handleUpload],
  ["/response/", answerResponseUrl],
  ["/oauth/v2/authorize", handleAuthorize],
];

/** Serves the world over HTTP until it is stopped. */
export async function listen(world: World, port: number): Promise<void> {
  const server = createServer((request, response) => {
    answer(world, request, response).catch((error: unknown) => {
      if (!response.headersSent) sendText(response, 500, String(error));
      else response.destroy();
    });
  });
  server.on("upgrade", (request, socket, head) => handleUpgrade(world, request, socket, head));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  world.url = `http://${HOST}:${address.port}`;
  world.onStop(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
}

async function answer(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = urlOf(request);
  const handler = handlers.find(([path]) => pathname.startsWith(path))?.[1];
  if (!handler) return sendText(response, 404, "Not found");
  await handler(world, request, response);
}
