// Prints the source files that each main flow executes, as JSON: node .ci/docs/flows.mjs. Each flow runs a few times
// before it is counted, because the first run also opens connections and fills caches.
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createLog, readConfig as readBotConfig, startBot } from "@media-ops/bot";
import { startFakeSlack } from "@media-ops/fake-slack";
import { readConfig, startService } from "@media-ops/service";
import { parse } from "yaml";
import { run } from "../processes.mjs";

const root = join(import.meta.dirname, "../..");
const folder = await mkdtemp(join(tmpdir(), "media-flows-"));
const WARM_UP_RUNS = 2;
// On a busy machine, a call may last until it is written to its log, or the call before it: one of so many does not.
const COUNTED_RUNS = 12;
// Lets the background work of a run, such as writing the API log, finish.
const SETTLE_MS = 200;
const ENTRIES = 1200;
// As many entries as a search can return: more than may be left without a segment.
const LIMIT = 1000;
const AT_ONCE = 50;

const coverage = new Session();
coverage.connect();
await coverage.post("Profiler.enable");
await coverage.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** Returns the files in which a function has run since the previous call. */
async function executedFiles() {
  const { result } = await coverage.post("Profiler.takePreciseCoverage");
  const hasRun = ({ functionName, ranges: [{ startOffset, count }] }) =>
    (functionName !== "" || startOffset > 0) && count > 0;
  const files = result
    .filter(({ url, functions }) => url.startsWith(`file://${root}/`) && functions.some(hasRun))
    .map(({ url }) => url.slice(`file://${root}/`.length))
    .filter((file) => /^(apps|packages)\/[\w-]+\/dist\//.test(file) && !file.startsWith("packages/fake-slack/"))
    // The SDK is published as a bundle.
    .map((file) => (file.startsWith("packages/sdk/") ? "packages/sdk" : file))
    .map((file) => file.replace("/dist/", "/src/").replace(/\.js$/, ".ts"));
  return [...new Set(files)].sort();
}

/** Returns the files that every run executes. The others belong to timers that fired meanwhile. */
async function filesOf(run) {
  let files;
  for (let time = 0; time < WARM_UP_RUNS + COUNTED_RUNS; time++) {
    await setTimeout(SETTLE_MS);
    await executedFiles();
    await run();
    const executed = new Set(await executedFiles());
    if (time >= WARM_UP_RUNS) files = (files ?? [...executed]).filter((file) => executed.has(file));
  }
  return files;
}

async function post(url, key, body) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

const serviceEnv = { MEDIA_DATABASE_URL: `sqlite:${folder}/media.db`, MEDIA_PORT: "0", MEDIA_INTAKE_PORT: "0" };

/** Runs the service's command line and returns the key that it prints. */
async function createKey(...args) {
  const printed = await run(process.execPath, [join(root, "apps/service/dist/main.js"), ...args], {
    env: { ...process.env, ...serviceEnv },
    cwd: folder,
    timeoutMs: 30_000,
  });
  return /m[oi]_[\w-]+/.exec(printed)?.[0];
}

const log = createLog({ level: "error", to: process.stderr });
const apiKey = await createKey("projects", "create", "demo");
const intakeKey = await createKey("intake-keys", "create");
const service = await startService({ config: readConfig(serviceEnv), log });

const postEvent = (event) => post(`${service.internalUrl}/intake/event`, intakeKey, event);
const { components } = parse(await readFile(join(root, "openapi/intake.yaml"), "utf8"));
const destroyed = Object.values(components.examples).find(({ value }) => value?.type === "connection.destroyed").value;
const destroyedAt = (time) => ({
  ...destroyed,
  id: randomUUID(),
  channel_id: "lobby@demo",
  connection_id: randomUUID(),
  timestamp: new Date(time).toISOString(),
});
const flows = {
  event: await filesOf(() => postEvent(destroyedAt(Date.now()))),
  listing: await filesOf(() => post(`${service.url}/orgs/list-connection-logs`, apiKey, {})),
  token: await filesOf(() => post(`${service.url}/projects/create-access-token`, apiKey, { channel_id: "lobby@demo" })),
};

// Searches and counts read segments, which a log has from about a thousand entries on.
const hourAgo = Date.now() - 3_600_000;
const events = Array.from({ length: ENTRIES }, (_, at) => destroyedAt(hourAgo + at * 1000));
for (let at = 0; at < events.length; at += AT_ONCE) await Promise.all(events.slice(at, at + AT_ONCE).map(postEvent));
const isIndexing = async () => (await executedFiles()).includes("apps/service/src/search/segment-format.ts");
const unindexed = async () => {
  const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text();
  return Number(/^media_log_entries_unindexed (\d+)$/m.exec(metrics)?.[1]);
};
while (!(await isIndexing())) await setTimeout(SETTLE_MS);
while (!((await unindexed()) < LIMIT)) await setTimeout(SETTLE_MS);
// So many entries have the channel that the index of ids only names their segments, and columns are read.
const where = { channel_id: { eq: "lobby@demo" }, total_bytes: { gte: 0 } };
flows.search = await filesOf(() => post(`${service.url}/orgs/list-connection-logs`, apiKey, { where, limit: LIMIT }));
flows.count = await filesOf(() => post(`${service.url}/orgs/count-logs`, apiKey, { kind: "connections", every: 3600 }));

const { oauth_config } = parse(await readFile(join(root, "apps/bot/manifest.yaml"), "utf8"));
const slack = await startFakeSlack({ scopes: oauth_config.scopes.bot, commands: ["/media"] });
const team = slack.addWorkspace({ name: "acme" });
const ann = team.addUser({ name: "ann", isAdmin: true });
const general = team.addChannel({ name: "general", members: [ann] });
const bot = await startBot({
  config: readBotConfig({
    BOT_DATABASE_URL: `sqlite:${folder}/bot.db`,
    BOT_PORT: "0",
    BOT_ALLOW_PRIVATE_ADDRESSES: "true",
    SLACK_API_URL: slack.apiUrl,
    SLACK_SIGNING_SECRET: slack.app.signingSecret,
    SLACK_BOT_TOKEN: team.botToken,
    MEDIA_BASE_URL: service.url,
    MEDIA_API_KEY: apiKey,
    MEDIA_PROJECT_ID: "demo",
  }),
  log,
});
slack.app.requestUrl = `${bot.url}/slack/events`;
const asked = await filesOf(async () => {
  const before = new Set(ann.sees(general).map(({ ts }) => ts));
  await ann.command("/media logs connections last:5", { in: general });
  await slack.until(() =>
    ann.sees(general).find((message) => !before.has(message.ts) && JSON.stringify(message).includes("lobby")),
  );
});

await bot.stop();
await slack.stop();
await service.stop();
await rm(folder, { recursive: true });
console.log(JSON.stringify({ ...flows, command: asked.filter((file) => !file.startsWith("apps/service/")) }));
