import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Playground, type PlaygroundOptions, startPlayground } from "../playground.js";
import { anyPorts } from "../ports.js";

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "playground-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

export interface TestPlayground extends Playground {
  /** Everything reported while it started and ran. */
  readonly told: readonly string[];
}

// Longer than a busy machine takes: a part that doesn't stop by itself is still reported.
const STOP_WITHIN_MS = 25_000;

/** Starts a playground on free ports, and stops it after the test. */
export async function startTest(
  options: Pick<PlaygroundOptions, "folder"> & Partial<PlaygroundOptions>,
): Promise<TestPlayground> {
  const told: string[] = [];
  const report = (text: string) => void told.push(text);
  const usual = { env: {}, ports: anyPorts, stopWithinMs: STOP_WITHIN_MS, report };
  const playground = await startPlayground({ ...usual, ...options });
  onTestFinished(() => playground.stop(), STOP_WITHIN_MS);
  return { ...playground, told };
}
