import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { contractText } from "@media-ops/openapi/contract";

const generator = fileURLToPath(new URL("bin/run.js", import.meta.resolve("@hey-api/openapi-ts/package.json")));

// It stands beside what is generated, which is not there before the measurement.
const program = `
import { client } from "./generated/client.gen.ts";
import { createAccessToken, listWebhookLogs } from "./generated/sdk.gen.ts";

export const createCalls = (baseUrl: string, apiKey: string) => {
  client.setConfig({ baseUrl, auth: apiKey });
  return {
    listing: async () => (await listWebhookLogs({ body: {}, throwOnError: true })).data,
    mint: async () => (await createAccessToken({ body: {}, throwOnError: true })).data,
  };
};
`;

/** Makes a client from the contract in a folder, and gives the file of the module that makes the two calls with it. */
export async function generateClient(folder: string): Promise<string> {
  const contract = join(folder, "media.yaml");
  writeFileSync(contract, contractText);
  const args = [generator, "--input", contract, "--output", join(folder, "generated"), "--silent"];
  await promisify(execFile)(process.execPath, args, { cwd: folder });
  const file = join(folder, "hey-api.ts");
  writeFileSync(file, program);
  return file;
}
