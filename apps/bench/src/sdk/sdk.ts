import type { Result } from "../report.js";
import { withSandbox } from "../service/sandbox.js";
import { startBareServer } from "../service/start-bare.js";
import { bundleSizes } from "./bundle-sizes.js";
import { prepareClients } from "./clients.js";
import { importTimes } from "./import-times.js";
import { raceCalls } from "./race-calls.js";

/** What the SDK costs, beside `fetch` alone and what else one might call the service with. */
export async function benchSdk(): Promise<Result[]> {
  return withSandbox(async (sandbox) => {
    const clients = await prepareClients(sandbox.folder);
    const server = await startBareServer(sandbox, new URL("bare-answers.js", import.meta.url));
    const calls = await raceCalls(sandbox, clients, server.url);
    await server.stop();
    return [...calls, ...(await importTimes(clients)), ...(await bundleSizes(clients))];
  });
}
