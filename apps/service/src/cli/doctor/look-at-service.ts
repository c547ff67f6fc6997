import { z } from "zod";
import type { Config } from "../../config/config.js";
import { type Asked, ask } from "./ask.js";
import type { Seen } from "./finding.js";

const ready = z.object({ status: z.literal("ready"), database: z.string() });
const problem = z.object({ type: z.string().startsWith("urn:media-ops:problem:"), detail: z.string() });

/**
 * Looks whether the service of this installation runs: whether what answers at the internal port is a service, and has
 * this very database open.
 *
 * @param fingerprint The database's; undefined if it could not be opened.
 */
export async function lookAtService(
  { intakeHost, intakePort }: Pick<Config, "intakeHost" | "intakePort">,
  fingerprint: string | undefined,
): Promise<Seen> {
  if (intakePort === 0) {
    return { state: "unknown", detail: "MEDIA_INTAKE_PORT=0 lets the service choose a port, so it cannot be found" };
  }
  const place = `${intakeHost}:${intakePort}`;
  const answer = await ask(`http://${reachable(intakeHost)}:${intakePort}/readyz`);
  if (answer.kind === "refused") {
    return { state: "not running", detail: `nothing listens at ${place}; to start it: media-ops serve` };
  }
  if (answer.kind !== "answered") throw new Error(`what listens at ${place} does not answer: ${answer.reason}`);
  return judge(answer, place, fingerprint);
}

function judge({ status, text }: Asked, place: string, fingerprint: string | undefined): Seen {
  const body = parse(text);
  const answered = ready.safeParse(body);
  if (status === 200 && answered.success) {
    if (fingerprint === undefined) {
      const detail = `a service answers at ${place} and is ready; whether it is this one cannot be told without the database`;
      return { state: "unknown", detail };
    }
    if (answered.data.database === fingerprint) return `runs at ${place}, is ready, and uses this database`;
    throw new Error(
      `the service at ${place} uses another database: it belongs to another installation, or was started before this database was put in place. Stop it, or set MEDIA_INTAKE_PORT to this installation's port`,
    );
  }
  const refused = problem.safeParse(body);
  if (status === 503 && refused.success) {
    throw new Error(`a service answers at ${place}, but is not ready: ${refused.data.detail}`);
  }
  throw new Error(
    `another program answers at ${place} (status ${status}), or a service of another version. Stop it, or set MEDIA_INTAKE_PORT to another port`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A service that listens at every address is asked at this machine's own. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
