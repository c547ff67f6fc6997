import { execFile } from "node:child_process";
import { join } from "node:path";
import { type Incident, runTraffic, startFakeMedia } from "@media-ops/fake-media";
import { type FakeSlack, startFakeSlack, textOf } from "@media-ops/fake-slack";
import { askWhy, type WhyCause } from "@media-ops/reports";
import { createMediaClient } from "@media-ops/sdk";
import { databaseUrl, postgresUrl } from "@media-ops/testing";
import { apiKeyToTokenKey, signToken } from "@media-ops/tokens";
import { expect, it, onTestFinished } from "vitest";
import { listings, makeEntry, measured } from "./entries.js";
import { post } from "./load.js";
import {
  type BotOptions,
  mediaOps,
  ours,
  type Sandbox,
  SCOPES,
  startBot,
  startService,
  withSandbox,
} from "./programs.js";
import { LogFile } from "./stores.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PROJECT = "demo";
const SEATS = 5;
// A day of traffic, its answers by three programs, on a busy machine.
const LONGEST_MS = 600_000;

const databases = [
  ["SQLite", () => databaseUrl()],
  ["PostgreSQL", () => postgresUrl()],
] as const;

/** A person at the terminal and in Slack, with the bot of a service; returns what both answer to a command. */
async function startAsking(sandbox: Sandbox, slack: FakeSlack, service: BotOptions["service"]) {
  const team = slack.addWorkspace({ name: "bench" });
  const person = team.addUser({ name: "alice" });
  const general = team.addChannel({ name: "general", members: [person] });
  slack.app.requestUrl = await startBot(sandbox, ours, { slack, team, service });
  const env = { PATH: process.env.PATH, MEDIA_BASE_URL: service.url, MEDIA_API_KEY: service.key };
  const program = join(ours.folder, "apps/cli/dist/main.js");
  return async (words: readonly string[]) => {
    const terminal = await new Promise<string>((resolve) => {
      // The heading is on standard error. A status that is not good has an exit code of its own.
      execFile(process.execPath, [program, ...words], { env }, (_, stdout, stderr) => resolve(stderr + stdout));
    });
    person.reload();
    await person.command(`/media ${words.join(" ")}`, { in: general });
    await expect.poll(() => person.sees(general).length, { timeout: MINUTE_MS }).toBe(1);
    return { terminal, Slack: textOf(person.sees(general)[0] ?? []) };
  };
}

/** Three incidents of a day, each with the question that finds it, and what names it. */
const planted = (tokens: { all: string; expired: string; limited: string }) =>
  [
    {
      incident: { kind: "turn-outage", at: 4 * HOUR_MS, for: HOUR_MS, nodeName: "node-2" },
      channel: undefined,
      reason: "ice-timeout",
      words: /ICE timeout/i,
      where: /node-2/,
    },
    {
      incident: {
        kind: "expired-token",
        at: 10 * HOUR_MS,
        for: 30 * MINUTE_MS,
        channelId: `retry@${PROJECT}`,
        clientId: "kiosk-7",
        accessToken: () => tokens.expired,
        everyMs: 1500,
      },
      channel: "retry",
      reason: "expired",
      words: /expired/i,
      where: /kiosk-7/,
    },
    {
      incident: {
        kind: "channel-full",
        at: 16 * HOUR_MS,
        for: 40 * MINUTE_MS,
        channelId: `townhall@${PROJECT}`,
        seats: SEATS,
        accessToken: () => tokens.limited,
        lateClients: 8,
        tries: 5,
      },
      channel: "townhall",
      reason: "channel-full",
      words: /full/i,
      where: /townhall|guest-/,
    },
  ] satisfies { incident: Incident; channel: string | undefined; reason: string; words: RegExp; where: RegExp }[];

it.each(databases)(
  "why names each of three incidents in a day of traffic first, with its numbers, in the SDK, the terminal and Slack, on %s",
  { timeout: LONGEST_MS },
  async (_, makeUrl) => {
    const database = await makeUrl();
    await withSandbox(async (sandbox) => {
      const { api_key: key } = await mediaOps(ours, database, "projects", "create", PROJECT);
      const { intake_key: intakeKey } = await mediaOps(ours, database, "intake-keys", "create");
      const { url, internalUrl } = await startService(sandbox, ours, database);
      const tokenKey = apiKeyToTokenKey(key);
      const tokens = {
        all: await signToken({}, tokenKey),
        expired: await signToken({ exp: Math.floor(Date.now() / 1000) - 60 }, tokenKey),
        limited: await signToken({ max_channel_connections: SEATS }, tokenKey),
      };

      const start = Date.now() - DAY_MS;
      const media = await startFakeMedia({
        intakeUrl: `${internalUrl}/intake`,
        intakeKey,
        time: "virtual",
        now: () => start,
        accessToken: () => tokens.all,
        keepsRecords: false,
      });
      const cases = planted(tokens);
      const { incidents } = await runTraffic(media, {
        for: DAY_MS - MINUTE_MS,
        rate: 1 / 30,
        staysMs: 10 * MINUTE_MS,
        updateEveryMs: DAY_MS,
        nodes: ["node-1", "node-2", "node-3"],
        clients: 400,
        projects: [PROJECT],
        incidents: cases.map(({ incident }) => incident),
      }).finally(() => media.close());

      const slack = await startFakeSlack({ scopes: SCOPES });
      try {
        const ask = await startAsking(sandbox, slack, { url, key, projectId: PROJECT });
        const client = createMediaClient({ baseUrl: url, apiKey: key });
        for (const [at, { incident, channel, reason, words, where }] of cases.entries()) {
          const caused = incidents[at] ?? expect.fail();
          const number = caused.failed + caused.refused;
          expect(number, incident.kind).toBeGreaterThan(20);
          const [since, until] = [incident.at, incident.at + incident.for + MINUTE_MS].map((ms) =>
            new Date(start + ms).toISOString(),
          );
          const counted = () => askWhy(client, { channel, since, until });
          // What refusals share is written some seconds later.
          const first = async (): Promise<WhyCause | undefined> => (await counted()).causes[0];
          await expect.poll(async () => (await first())?.count, { timeout: 2 * MINUTE_MS }).toBe(number);
          expect(await first()).toMatchObject({ reason, count: number, before: 0 });
          const { complete, counts } = await counted();
          expect(complete).toBe(true);
          expect(counts).toMatchObject({ failed: caused.failed, refused: caused.refused });
          const shares = Object.entries(caused.byClient).map(([name, count]) => ({ name, count }));
          expect(await first()).toMatchObject({ clientCount: shares.length });
          for (const share of (await first())?.clients ?? []) expect(shares).toContainEqual(share);

          const question = ["why", ...(channel === undefined ? [] : [channel]), `since:${since}`, `until:${until}`];
          for (const [place, text] of Object.entries(await ask(question))) {
            const [sentence] = text.split("\n").filter((line) => words.test(line));
            expect(sentence, `${incident.kind} in ${place}: ${text}`).toBeDefined();
            expect(text.indexOf(sentence ?? ""), `${place} names it first: ${text}`).toBeLessThan(400);
            expect(text.replaceAll(/[,\u202f\u00a0]/g, ""), `${incident.kind} in ${place}`).toMatch(
              new RegExp(`\\b${number}\\b`),
            );
            expect(text, `${incident.kind} in ${place}`).toMatch(where);
          }
        }
      } finally {
        await slack.stop();
      }
    });
  },
);

const FAILED = 834;
const HEALTHY = 40_000;
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

    const ask = await startAsking(sandbox, slack, { url, key, projectId });
    for (const command of COMMANDS) {
      const { terminal, Slack } = await ask(command.split(" "));
      expect.soft(terminal, `${command}, in the terminal`).toMatch(new RegExp(`\\b${FAILED}\\b`));
      expect.soft(Slack, `${command}, in Slack`).toMatch(new RegExp(`\\b${FAILED}\\b`));
    }
  });
});
