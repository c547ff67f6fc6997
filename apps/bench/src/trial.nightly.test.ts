import { execFile } from "node:child_process";
import { join } from "node:path";
import { startFakeSlack, textOf } from "@media-ops/fake-slack";
import { expect, it, onTestFinished } from "vitest";
import { listings, makeEntry, measured } from "./entries.js";
import { post } from "./load.js";
import { mediaOps, ours, SCOPES, startBot, startService, withSandbox } from "./programs.js";
import { LogFile } from "./stores.js";

const FAILED = 834;
const HEALTHY = 40_000;
const MINUTE_MS = 60_000;
const HEALTHY_MS = 40_000;
const COMMANDS = ["summary webhooks since:1h", "logs webhooks failed since:1h", "status"];
const { projectId, kind } = measured;

/** Webhooks that failed ten minutes ago, and healthy ones of the last 40 seconds. */
function* trouble() {
  const now = Date.now();
  const entryAt = (at: number, status: number) => {
    const entry = makeEntry(projectId, kind, at);
    const fields = { ...entry.fields, status };
    return { ...entry, fields, text: JSON.stringify(fields) };
  };
  // Half of the receivers refuse, the others do not answer.
  for (let nth = 0; nth < FAILED; nth++) yield entryAt(now - 10 * MINUTE_MS + nth * 100, nth % 2 === 0 ? 503 : 0);
  for (let nth = 0; nth < HEALTHY; nth++) yield entryAt(now - HEALTHY_MS + (nth * HEALTHY_MS) / HEALTHY, 200);
}

it(`the service, the terminal and Slack report all of ${FAILED} failed webhooks after ${HEALTHY} good ones`, async () => {
  const slack = await startFakeSlack({ scopes: SCOPES });
  onTestFinished(() => slack.stop());
  await withSandbox(async (sandbox) => {
    const file = join(sandbox.folder, "trial.db");
    const { api_key: key } = await mediaOps(ours, `sqlite:${file}`, "projects", "create", projectId);
    const log = new LogFile(file);
    log.append(trouble());
    log.close();
    const { url } = await startService(sandbox, ours, `sqlite:${file}`);

    const since = new Date(Date.now() - 60 * MINUTE_MS).toISOString();
    const call = async (path: string, body: object) =>
      JSON.parse((await post({ url, key }, path, JSON.stringify(body))).body.toString());
    // On a slow machine, entries that are not indexed yet are too many for one answer.
    await expect
      .poll(() => call("/orgs/count-logs", { kind, since }))
      .toMatchObject({ complete: true, total: { entries: FAILED + HEALTHY, failed: FAILED } });
    expect.soft((await call(listings[kind], { since, where: { failed: true } })).length).toBe(FAILED);

    const team = slack.addWorkspace({ name: "trial" });
    const person = team.addUser({ name: "alice" });
    const general = team.addChannel({ name: "general", members: [person] });
    slack.app.requestUrl = await startBot(sandbox, ours, { slack, team, service: { url, key, projectId } });
    for (const command of COMMANDS) {
      const env = { PATH: process.env.PATH, MEDIA_BASE_URL: url, MEDIA_API_KEY: key };
      const program = join(ours.folder, "apps/cli/dist/main.js");
      const shown = await new Promise<string>((resolve) => {
        // The heading is on standard error. A status that is not good has an exit code of its own.
        execFile(process.execPath, [program, ...command.split(" ")], { env }, (_, stdout, stderr) =>
          resolve(stderr + stdout),
        );
      });
      expect.soft(shown, `${command}, in the terminal`).toMatch(new RegExp(`\\b${FAILED}\\b`));

      person.reload();
      await person.command(`/media ${command}`, { in: general });
      await expect.poll(() => person.sees(general).length, { timeout: 60_000 }).toBe(1);
      const message = textOf(person.sees(general)[0] ?? []);
      expect.soft(message, `${command}, in Slack`).toMatch(new RegExp(`\\b${FAILED}\\b`));
    }
  });
});
