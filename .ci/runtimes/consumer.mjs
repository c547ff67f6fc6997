import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPacked } from "../publish/install-packed.mjs";

const here = dirname(fileURLToPath(import.meta.url));

/** What is published and runs everywhere. */
const packages = ["packages/sdk", "packages/tokens", "packages/formatters"];

/** Makes a folder in which our packages are installed as they would be published, with the checks and their ways in. */
export async function makeConsumer(folder, signal) {
  await installPacked(packages, folder, signal);
  for (const file of ["smoke.mjs", "entry-process.mjs", "entry-worker.mjs", "entry-page.mjs"]) {
    await cp(join(here, file), join(folder, file));
  }
}
