import { once } from "node:events";
import { createServer } from "node:http";
import { closeSockets, handleUpgrade } from "./delivery/deliver.js";
import { answerResponseUrl } from "./delivery/response-url.js";
import { type Handler, sendText, urlOf } from "./http.js";
import { handleAuthorize } from "./oauth/oauth.js";
import { API_PATH, handleCall, handleUpload } from "./web-api/api.js";
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
  const server = createServer(async (request, response) => {
    const { pathname } = urlOf(request);
    const handler = handlers.find(([path]) => pathname.startsWith(path))?.[1];
    try {
      if (handler) await handler(world, request, response);
      else sendText(response, 404, "Not found");
    } catch (error) {
      if (response.headersSent) response.destroy();
      else sendText(response, 500, String(error));
    }
  });
  server.on("upgrade", (request, socket, head) => handleUpgrade(world, request, socket, head));
  server.listen(port, HOST);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  world.url = `http://${HOST}:${address.port}`;
  world.onStop(async () => {
    closeSockets(world);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}
