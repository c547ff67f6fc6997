import { join } from "node:path";
import { type FakeMedia, lostOf, type MediaSums, runTraffic, startFakeMedia } from "@media-ops/fake-media";
import { type FakeSlack, startFakeSlack, type Workspace } from "@media-ops/fake-slack";
import { SCOPES, startBotProcess } from "../bot/bot-process.js";
import { kinds, makeEntry, type NewEntry } from "../service/entries.js";
import { fill } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";
import {
  createIntakeKey,
  createProject,
  type ServiceProcess,
  setWebhook,
  startServiceProcess,
} from "../service/service-process.js";
import { Calls, type Project } from "./calls.js";
import type { Pace } from "./pace.js";
import { runPeople } from "./people.js";
import { type Receiver, startReceiver } from "./receiver.js";
import { Watched } from "./watched.js";
import { type Written, writtenIn } from "./written.js";

const PROJECTS = ["soak-0", "soak-1", "soak-2", "soak-3"];
// A listing has 1000: all are full from the beginning, so that they take as much memory in the end.
const ENTRIES_EACH = 1100;
const HOUR_MS = 60 * 60_000;
// Who comes every 100 ms stays for 8 s, and tells of it every 2 s: about 70 events a second, each of which is delivered.
const TRAFFIC = { rate: 10, channels: 24, staysMs: 8000, updateEveryMs: 2000 };

/** What was done all the while. */
export interface Deeds {
  readonly sums: Readonly<MediaSums>;
  readonly listed: number;
  readonly minted: number;
  readonly answers: number;
}

/** The service and the bot as they are run, and all who want something of them. */
export interface Stage {
  readonly databaseUrl: string;
  /** What stood in the logs before the service started. */
  readonly before: Written;
  readonly service: ServiceProcess;
  readonly programs: { readonly service: Watched; readonly bot: Watched };
  readonly receiver: Receiver;
  /** Lets all of it go on at once, until the signal. */
  run(pace: Pace): Promise<Deeds>;
  stop(): Promise<void>;
}

/** @param onFault Told of whatever goes wrong. */
export async function startStage(sandbox: Sandbox, onFault: Pace["onFault"]): Promise<Stage> {
  const databaseUrl = `sqlite:${join(sandbox.folder, "media.db")}`;
  const projects: Project[] = [];
  for (const projectId of PROJECTS) projects.push({ projectId, apiKey: await createProject(databaseUrl, projectId) });
  const intakeKey = await createIntakeKey(databaseUrl);
  const receiver = await startReceiver(onFault);
  for (const { projectId } of projects) {
    for (const kind of ["session", "event"] as const)
      await setWebhook(databaseUrl, { projectId, kind, url: receiver.url });
  }
  const entries = [...pastEntries()];
  await fill(databaseUrl, entries.length, entries);
  const before = await writtenIn(databaseUrl);

  const { program: serviceProgram, started: service } = await Watched.start(sandbox, (watching, run) =>
    startServiceProcess(watching, databaseUrl, { ...run, settings: { MEDIA_ALLOW_PRIVATE_WEBHOOKS: "true" } }),
  );
  const calls = new Calls(service.url, projects);
  for (const project of projects) await calls.mint(project);
  const media = await startFakeMedia({
    intakeUrl: `${service.insideUrl}/intake`,
    intakeKey,
    keepsRecords: false,
    accessToken: (channelId) => calls.tokens.get(channelId.slice(channelId.indexOf("@") + 1)),
  });
  const slack = await startFakeSlack({ scopes: SCOPES, keeps: 100, keepsMessages: 20 });
  const team = slack.addWorkspace({ name: "soak" });
  const bot = await startBot(sandbox, { slack, team, service, project: projects[0] });

  return {
    databaseUrl,
    before,
    service,
    programs: { service: serviceProgram, bot },
    receiver,
    async run(pace) {
      const [sums, { listed, minted }, answers] = await Promise.all([
        comeAndGo(media, pace),
        calls.run(pace),
        runPeople(slack, team, pace),
      ]);
      return { sums, listed, minted, answers };
    },
    async stop() {
      await media.close();
      await slack.stop();
      receiver.close();
    },
  };
}

interface BotParts {
  readonly slack: FakeSlack;
  readonly team: Workspace;
  readonly service: ServiceProcess;
  readonly project: Project | undefined;
}

async function startBot(sandbox: Sandbox, { slack, team, service: { url }, project }: BotParts): Promise<Watched> {
  if (!project) throw new Error("The bot has no project.");
  const { program, started } = await Watched.start(sandbox, (watching, run) =>
    startBotProcess(watching, { slack, team, service: { url, ...project } }, run),
  );
  slack.app.requestUrl = started;
  return program;
}

/** Clients come and go, each with a token; nobody is refused, and nothing is lost. */
async function comeAndGo(media: FakeMedia, { signal, onFault }: Pace): Promise<Readonly<MediaSums>> {
  const sums = await runTraffic(media, {
    ...TRAFFIC,
    projects: PROJECTS,
    for: HOUR_MS,
    signal,
    onConnect: (client) => {
      if (!client.allowed) onFault(new Error(`A client was refused: ${client.reason}`));
    },
  });
  if (lostOf(sums) > 0) onFault(new Error(`Lost: ${lostOf(sums)} of what the media server sent.`));
  return sums;
}

/** Full logs of all projects, of the last hour. */
function* pastEntries(): Generator<NewEntry> {
  const count = PROJECTS.length * kinds.length * ENTRIES_EACH;
  const from = Date.now() - HOUR_MS;
  for (let at = 0; at < count; at++) {
    const projectId = PROJECTS[at % PROJECTS.length] ?? "";
    const kind = kinds[Math.floor(at / PROJECTS.length) % kinds.length] ?? "sessions";
    yield makeEntry(projectId, kind, from + Math.floor((at * HOUR_MS) / count));
  }
}
