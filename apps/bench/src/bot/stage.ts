import { join } from "node:path";
import { type FakeSlack, type Person, type Place, startFakeSlack } from "@media-ops/fake-slack";
import { entries } from "../format/entries.js";
import { measured } from "../service/entries.js";
import { fill } from "../service/feeder.js";
import type { Sandbox } from "../service/sandbox.js";
import { createProject, startServiceProcess } from "../service/service-process.js";
import { SCOPES, startBareBolt, startBotProcess } from "./bot-process.js";

/** A Slack with people in it, and what its requests may be sent to. */
export interface Stage {
  readonly slack: FakeSlack;
  readonly people: readonly Person[];
  readonly general: Place;
  /** Where the bot listens, and where the floor, which takes the same requests. */
  readonly urls: { readonly bot: string; readonly bare: string };
}

export async function startStage(sandbox: Sandbox, count: number): Promise<Stage> {
  const slack = await startFakeSlack({ scopes: SCOPES });
  const team = slack.addWorkspace({ name: "bench" });
  const people = Array.from({ length: count }, (_, at) => team.addUser({ name: `person-${at}` }));
  const general = team.addChannel({ name: "general", members: people });
  const service = await startFullService(sandbox);
  const [bot, bare] = [await startBotProcess(sandbox, { slack, team, service }), await startBareBolt(sandbox, slack)];
  return { slack, people, general, urls: { bot, bare } };
}

/** The service with a project whose log of webhooks is full. */
async function startFullService(sandbox: Sandbox) {
  const database = `sqlite:${join(sandbox.folder, "media.db")}`;
  const apiKey = await createProject(database, measured.projectId);
  const now = Date.now();
  const stored = entries.map((entry, at) => {
    const timestamp = new Date(now - at * 7310).toISOString();
    return { ...measured, timestamp, text: JSON.stringify({ ...entry, timestamp }) };
  });
  await fill(database, stored.length, stored);
  const { url } = await startServiceProcess(sandbox, database);
  return { url, apiKey, projectId: measured.projectId };
}
