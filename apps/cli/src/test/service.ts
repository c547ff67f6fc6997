import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { createLog, readConfig, runCli, startService } from "@media-ops/service";
import { onTestFinished } from "vitest";

/** A service with a project of its own, in the usual setup. */
export interface RunningService {
  url: string;
  /** The key of the project "demo". */
  apiKey: string;
  /** Adds entries to a log. */
  add<Kind extends LogKind>(kind: Kind, ...entries: LogEntryOf<Kind>[]): Promise<void>;
  stop(): Promise<void>;
}

/** Registers a cleanup: `onTestFinished` or `afterAll`. */
export type AtEnd = (clear: () => Promise<void>) => void;

/** A folder that is deleted after the test. */
export async function temporaryFolder(atEnd: AtEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "media-cli-"));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the real service with a database file of its own; it is stopped after the test. */
export async function startRunningService(atEnd: AtEnd = onTestFinished): Promise<RunningService> {
  const env = {
    MEDIA_DATABASE_URL: `sqlite:${join(await temporaryFolder(atEnd), "media.db")}`,
    MEDIA_MASTER_KEY: "7".repeat(64),
    MEDIA_PORT: "0",
    MEDIA_INTAKE_PORT: "0",
    // A busy machine lags, too, and these tests don't measure that.
    MEDIA_MAX_LAG_MS: "0",
    // A trace of 100,000 lines needs more calls than a minute has.
    MEDIA_LISTINGS_PER_MINUTE: "0",
    // On a busy machine, each of them counts as long.
    MEDIA_SEARCHES_PER_MINUTE: "0",
  };
  let created = "";
  await runCli(["projects", "create", "demo", "--json"], {
    env,
    now: Date.now,
    write: (text) => {
      created += text;
    },
    complain: () => {},
  });
  const { api_key: apiKey } = JSON.parse(created) as { api_key: string };
  const service = await startService({ config: readConfig(env), log: createLog({ level: "silent" }) });
  atEnd(() => service.stop());
  return {
    url: service.url,
    apiKey,
    add: (kind, ...entries) =>
      service.store.append(
        entries.map((entry) => ({
          projectId: "demo",
          kind,
          timestamp: entry.timestamp,
          text: JSON.stringify(entry),
        })),
      ),
    stop: () => service.stop(),
  };
}
