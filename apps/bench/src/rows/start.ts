import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { compare, oursAtMost, type Row, single } from "../harness/report.js";
import { type Sandbox, withSandbox } from "../harness/sandbox.js";
import { median, takeTurns } from "../harness/turns.js";

const START_MS = 30_000;
const STOP_MS = 10_000;
const COMMAND = "/media logs webhooks status>=400 since:3h";
const ANSWER = /\d+ webhooks of [\d,]+ in the last 3 hours, status ≥ 400, project demo/;

/** Measures seconds from the start of the installed and built playground to the first answered command. */
export const start: Row = ({ builds, isQuick }) =>
  withSandbox(async (sandbox) => {
    const main = "apps/playground/dist/main.js";
    const alone = builds.map(({ name, folder }) => ({
      name,
      turn: () => firstAnswer(sandbox, folder, process.execPath, main),
    }));
    const npx = {
      name: "npx -y pnpm@12 start",
      turn: () => firstAnswer(sandbox, builds[0].folder, "npx", "-y", "pnpm@12", "start"),
    };
    const measured = await takeTurns([...alone, ...(isQuick ? [] : [npx])], isQuick ? 1 : 3);
    const labels = { row: "start", measure: "the program alone: seconds to the first answered command" };
    const ours = median(measured[0]?.rounds ?? []);
    return [...single({ ...labels, goal: oursAtMost(5, "s") }, ours), ...compare(labels, measured)];
  });

async function firstAnswer({ folder, adopt }: Sandbox, cwd: string, program: string, ...args: string[]) {
  const started = performance.now();
  const child = spawn(program, args, {
    cwd,
    env: {
      ...process.env,
      PLAYGROUND_DATA: mkdtempSync(join(folder, "data-")),
      PLAYGROUND_PORTS: "any",
      // Set to empty values, so that an .env file does not set them.
      SLACK_BOT_TOKEN: "",
      SLACK_APP_TOKEN: "",
      SLACK_CLIENT_ID: "",
    },
    stdio: ["ignore", "pipe", "pipe"],
    // Package managers start further processes. A process group can be stopped as a whole.
    detached: true,
  });
  child.kill = (signal) => signalGroup(child, signal ?? "SIGTERM");
  adopt(child);
  await askFirst(await pageUrlOf(child));
  const seconds = (performance.now() - started) / 1000;
  await stop(child);
  return seconds;
}

async function pageUrlOf(child: ChildProcess): Promise<string> {
  let output = "";
  const found = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (text) => {
        output += text;
        const [, url] = /(http:\S+) +Slack with Media Ops in it/.exec(output) ?? [];
        if (url !== undefined) resolve(url);
      });
    }
  });
  const tooLate = setTimeout(START_MS, undefined, { ref: false });
  const url = await Promise.race([found, once(child, "exit").then(() => undefined), tooLate]);
  if (url === undefined) throw new Error(`The playground did not start. Its output:\n${output}`);
  return url;
}

/** Types the first command in the playground's page, and waits until its answer is shown. */
async function askFirst(pageUrl: string): Promise<void> {
  const watching = new AbortController();
  const { body } = await fetch(`${pageUrl}/api/window`, { signal: watching.signal });
  assert(body);
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + piece).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const [, name = "", data = "null"] = /^event: (\w+)\ndata: (.*)$/m.exec(event) ?? [];
      if (name === "scene") await typeCommand(pageUrl, JSON.parse(data));
      if (name === "message" && ANSWER.test(data)) return watching.abort();
    }
  }
  throw new Error("The page's stream ended without an answer.");
}

async function typeCommand(
  pageUrl: string,
  { you, places }: { readonly you: string; readonly places: readonly { readonly id: string }[] },
): Promise<void> {
  const response = await fetch(`${pageUrl}/api/do`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ person: you, do: "command", place: places[0]?.id, line: COMMAND }),
  });
  assert.equal(response.status, 200);
}

/** Stops the process group as Ctrl-C does. Throws if a process remains. */
async function stop(child: ChildProcess): Promise<void> {
  signalGroup(child, "SIGINT");
  for (const deadline = Date.now() + STOP_MS; Date.now() < deadline; await setTimeout(20)) {
    if (!signalGroup(child, 0)) return;
  }
  throw new Error(`A process of the playground was still there ${STOP_MS / 1000} s after Ctrl-C.`);
}

/** Returns whether a process of the group received the signal. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | number): boolean {
  try {
    return pid !== undefined && process.kill(-pid, signal);
  } catch {
    return false;
  }
}
