import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LogEntryOf, LogKind } from "@media-ops/sdk";
import { createLog, readConfig, startService } from "@media-ops/service";
import type { AtEnd } from "./storage.js";

/** Puts entries into a log of a project. */
type Add = <Kind extends LogKind>(kind: Kind, ...entries: LogEntryOf<Kind>[]) => Promise<void>;

/** A service as anybody would run it. */
export interface RunningService {
  readonly url: string;
  /** The key of the project "demo". */
  readonly apiKey: string;
  /** Puts entries into a log of "demo". */
  add: Add;
  /** Makes a further project. */
  addProject(name: string): Promise<{ apiKey: string; add: Add }>;
  stop(): Promise<void>;
}

const main = join(import.meta.dirname, "../../../service/dist/main.js");

/** Starts the real service over a database; it is stopped at the end. */
export async function startRunningService(databaseUrl: string, atEnd: AtEnd): Promise<RunningService> {
  const env = {
    MEDIA_DATABASE_URL: databaseUrl,
    MEDIA_MASTER_KEY: "7".repeat(64),
    MEDIA_PORT: "0",
    MEDIA_INTAKE_PORT: "0",
    // A busy machine is late, too, and that is not what these tests are about.
    MEDIA_MAX_LAG_MS: "0",
  };
  const createProject = async (name: string): Promise<string> => {
    const args = [main, "projects", "create", name, "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    return (JSON.parse(stdout) as { api_key: string }).api_key;
  };
  const apiKey = await createProject("demo");
  const service = await startService({ config: readConfig(env), log: createLog({ level: "silent" }) });
  atEnd(() => service.stop());
  const adderOf = (projectId: string): Add => {
    return (kind, ...entries) =>
      service.store.append(
        entries.map((entry) => ({ projectId, kind, timestamp: entry.timestamp, text: JSON.stringify(entry) })),
      );
  };
  return {
    url: service.url,
    apiKey,
    add: adderOf("demo"),
    async addProject(name) {
      return { apiKey: await createProject(name), add: adderOf(name) };
    },
    stop: () => service.stop(),
  };
}
