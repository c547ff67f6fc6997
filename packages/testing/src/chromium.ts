import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

// Not the defaults of the package, which disable security features and run everything in one process.
const ARGS = ["--no-sandbox", "--disable-background-networking"];

const UNPACK = 'import chromium from "@sparticuz/chromium"; await chromium.executablePath();';

const packageFile = new URL("../package.json", import.meta.resolve("@sparticuz/chromium"));
const { version }: { version: string } = JSON.parse(readFileSync(packageFile, "utf8"));

/** Starts Chromium without a window. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: await unpackChromium(), args: ARGS, headless: true });
}

/** The path of Chromium, which the first call on a machine unpacks. */
async function unpackChromium(): Promise<string> {
  const folder = join(tmpdir(), `media-ops-chromium-${version}`);
  const path = join(folder, "chromium");
  if (existsSync(path)) return path;
  // The package unpacks into the temporary folder, and takes a file that another process is still writing for complete.
  const own = await mkdtemp(`${folder}-`);
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", UNPACK], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: own },
  });
  await rename(own, folder).catch(async (error: unknown) => {
    // Another process was faster.
    await rm(own, { recursive: true });
    if (!existsSync(path)) throw error;
  });
  return path;
}
