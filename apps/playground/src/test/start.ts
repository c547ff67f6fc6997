import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import * as z from "zod";
import type { listings } from "../demo/visitors.js";
import { type Playground, type PlaygroundOptions, startPlayground } from "../playground.js";
import { anyPorts } from "../ports.js";

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "playground-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

// Longer than a busy machine takes: a part that doesn't stop by itself is still reported.
const STOP_WITHIN_MS = 25_000;

/** Starts a playground on free ports, and stops it after the test. `told` is everything that it has reported. */
export async function startTest(options: Pick<PlaygroundOptions, "folder"> & Partial<PlaygroundOptions>) {
  const told: string[] = [];
  const report = (text: string) => void told.push(text);
  const usual = { env: {}, ports: anyPorts, stopWithinMs: STOP_WITHIN_MS, report };
  const playground = await startPlayground({ ...usual, ...options });
  onTestFinished(() => playground.stop(), STOP_WITHIN_MS);
  return { ...playground, told };
}

/** Returns the API key from its file. */
export async function keyOf({ keyFile }: Pick<Playground, "keyFile">): Promise<string> {
  return (await readFile(keyFile, "utf8")).trim();
}

const entries = z.array(
  z.looseObject({ timestamp: z.string(), status: z.int().optional(), url: z.string().optional() }),
);

/** Returns the entries of a log from the service's API, newest first. */
export async function list(playground: Playground, path: (typeof listings)[number]): Promise<z.infer<typeof entries>> {
  const headers = { authorization: `Bearer ${await keyOf(playground)}` };
  const response = await fetch(playground.serviceUrl + path, { method: "POST", headers });
  if (!response.ok) throw new Error(`${path} answered with ${response.status}.`);
  return entries.parse(await response.json());
}
