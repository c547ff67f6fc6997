import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "./bundle.js";
import { generateClient } from "./generate-client.js";

/** A client, and how a program uses it. */
export interface Client {
  /** The module that makes the two calls with it. */
  readonly program: string;
  /** The same as node imports it. */
  readonly url: string;
  /** What a program imports to have the client. */
  readonly imported: string;
}

export const ours = "@media-ops/sdk";

export type ClientName = typeof ours | "openapi-fetch" | "ky" | "axios" | "@hey-api";

/** @param folder Where a client may be generated. */
export async function prepareClients(folder: string): Promise<Record<ClientName, Client>> {
  const generated = await generateClient(folder);
  const bundled = join(folder, "hey-api.mjs");
  await bundle(generated, bundled);
  const url = pathToFileURL(bundled).href;
  return {
    [ours]: client(ours, "peer-media-ops.js"),
    "openapi-fetch": client("openapi-fetch", "peer-openapi-fetch.js"),
    ky: client("ky", "peer-ky.js"),
    axios: client("axios", "peer-axios.js"),
    "@hey-api": { program: generated, url, imported: url },
  };
}

function client(name: string, file: string): Client {
  const url = new URL(file, import.meta.url);
  return { program: fileURLToPath(url), url: url.href, imported: import.meta.resolve(name) };
}
