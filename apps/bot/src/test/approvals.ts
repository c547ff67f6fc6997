import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buttonsOf, type Person, type Place, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { createMediaClient } from "@media-ops/sdk";
import { type AuditEntry, AuditLog } from "../audit/audit-log.js";
import type { Bot } from "../bot.js";
import { Connections } from "../connections/connections.js";
import type { Storage } from "../storage/open-storage.js";
import { sendPayload } from "./signed.js";
import { type Stage, startStage } from "./stage.js";
import type { AtEnd } from "./storage.js";

/** A token as it is shown. */
export const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/;

/** A stage whose policy lets people request tokens beyond it. */
export interface ApprovalStage extends Stage {
  /** The channel that requests go to, with everybody in it. */
  readonly desk: Place;
  /** May decide about demo and garden, as a member of the group `ops`. */
  readonly cara: Person;
  /** May decide about other only. */
  readonly dan: Person;
  /** The members of the user groups in the policy, as Slack reports them from now on. */
  readonly groups: { ops: string[]; devs: string[] };
  /** The bot that Slack's requests go to. */
  running(): Bot;
  /** Stops the bot and starts another one, as an operator does. */
  restart(policy?: object): Promise<void>;
  /** The policy of the stage. */
  readonly policy: object;
  /** Adds a person who may request tokens of demo and garden. */
  addRequester(): Promise<{ person: Person; place: Place }>;
  /** Requests a token, and returns the message for those who decide. */
  request(who: { person: Person; place: Place }, command: string): Promise<SeenMessage>;
  /** How many tokens the service has made. */
  made(): Promise<number>;
  /** The audit log, newest first. */
  audit(filter?: { userId?: string; action?: string }): Promise<AuditEntry[]>;
  /** Connects another project of the service. */
  connect(projectId: "other" | "garden", baseUrl?: string): Promise<void>;
  readonly connections: Connections;
  readonly query: Storage["query"];
  /** Waits until the bot has finished all work. */
  done(): Promise<void>;
  /** Sends a press in Slack's format; anything of it can be forged. */
  forge(by: { id: string; teamId: string }, press: ForgedPress): Promise<void>;
}

const MOST_REQUESTERS = 40;

/** A press that nobody made in Slack. */
interface ForgedPress {
  readonly channelId: string;
  readonly ts: string;
  readonly action: string;
  readonly value: string;
  readonly triggerId?: string;
}

/** Starts the stage. */
export async function startApprovalStage({
  atEnd,
  now = Date.now,
}: {
  atEnd: AtEnd;
  now?: () => number;
}): Promise<ApprovalStage> {
  const stage = await startStage({ atEnd, now });
  const { team, ann, slack, service } = stage;
  const [cara, dan] = [team.addUser({ name: "cara" }), team.addUser({ name: "dan" })];
  const desk = team.addChannel({ name: "desk", members: [ann, cara, dan], withBot: true });
  const ops = team.addGroup({ handle: "ops", members: [cara] }).id;
  // The bot remembers the members of a group for a minute, so all are members from the start.
  const requesters = Array.from({ length: MOST_REQUESTERS }, (_, at) => team.addUser({ name: `user${at}` }));
  const devs = team.addGroup({ handle: "devs", members: requesters }).id;
  const groups = { ops: [cara.id], devs: requesters.map(({ id }) => id) };
  const apiUrl = await startGroupProxy(
    slack.apiUrl,
    new Map([
      [ops, () => groups.ops],
      [devs, () => groups.devs],
    ]),
    atEnd,
  );
  const policy = {
    approvals: [
      { postTo: desk.id, approvers: [dan.id], projects: ["other"] },
      { postTo: desk.id, approvers: [ops, "admins"], from: [devs], projects: ["demo", "garden"], maxLifetime: "8h" },
    ],
  };
  let bot: Bot | undefined;
  const restart = async (next: object = policy): Promise<void> => {
    await bot?.stop();
    const file = join(stage.folder, `policy-${randomUUID()}.json`);
    await writeFile(file, JSON.stringify(next));
    bot = await stage.startAnother({ BOT_TOKEN_POLICY: file, SLACK_API_URL: apiUrl }, now);
    slack.app.requestUrl = `${bot.url}/slack/events`;
  };
  // The stage's own bot has another policy.
  await stage.bot.stop();
  await restart();
  const running = (): Bot => {
    if (!bot) throw new Error("The bot is not running.");
    return bot;
  };
  const storage = await stage.openStorage();
  const connections = new Connections(storage, undefined, Date.now);
  let count = 0;
  return {
    ...stage,
    ...{ desk, cara, dan, groups, running, restart, policy, connections, query: storage.query },
    async addRequester() {
      const person = requesters[count];
      if (!person) throw new Error("There are not enough requesters.");
      count += 1;
      desk.add(person);
      return { person, place: team.addChannel({ name: `place${count}`, members: [person] }) };
    },
    async request({ person, place }, command) {
      const before = new Set(dan.sees(desk).map(({ ts }) => ts));
      const refused = await stage.ask(person, command, place);
      await person.press(refused, "Ask for approval…");
      await slack.until(() => person.modal?.submit);
      await person.submit({ Reason: "a rehearsal" });
      await running().settled();
      const posted = dan.sees(desk).find((seen) => !before.has(seen.ts) && buttonsOf(seen).length > 0);
      if (!posted) throw new Error(`Nothing was posted: ${textOf(person.sees(place).at(-1) ?? [])}`);
      return posted;
    },
    async made() {
      const keys = (["demo", "other", "garden"] as const).map((name) => [name, service.project(name).apiKey] as const);
      const counts = keys.map(async ([projectId, apiKey]) => {
        const client = createMediaClient({ baseUrl: service.url, apiKey });
        const entries = await client.logs.list("api", { project_id: projectId });
        return entries.filter(({ url, status }) => url.includes("create-access-token") && status === 200).length;
      });
      return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
    },
    async audit(filter = {}) {
      return new AuditLog(storage, now).find(team.id, { ...filter, limit: 100 });
    },
    async connect(projectId, baseUrl = service.url) {
      const { apiKey } = service.project(projectId);
      await connections.add({ teamId: team.id, projectId, baseUrl, apiKey, userId: ann.id });
    },
    done: () => running().settled(),
    async forge(by, { channelId, ts, action, value, triggerId = randomUUID() }) {
      const payload = {
        type: "block_actions",
        user: { id: by.id, team_id: by.teamId },
        team: { id: team.id },
        trigger_id: triggerId,
        container: { type: "message", message_ts: ts, channel_id: channelId },
        channel: { id: channelId },
        message: { ts },
        actions: [{ type: "button", action_id: action, block_id: "b", value }],
      };
      await sendPayload({ ...stage, bot: running() }, payload);
      await running().settled();
    },
  };
}

/** The fake Slack's API, but user groups have the members that the test says now: the fake can't change them. */
async function startGroupProxy(
  apiUrl: string,
  groups: ReadonlyMap<string, () => readonly string[]>,
  atEnd: AtEnd,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const method = (request.url ?? "").replace(/^\/api\//, "");
    const asked = new URLSearchParams(body.toString()).get("usergroup");
    const members = method === "usergroups.users.list" ? groups.get(asked ?? "") : undefined;
    response.setHeader("content-type", "application/json");
    if (members) return void response.end(JSON.stringify({ ok: true, users: members() }));
    const { authorization, "content-type": type } = request.headers;
    const headers = { ...(authorization && { authorization }), ...(type && { "content-type": type }) };
    const answer = await fetch(`${apiUrl}${method}`, { method: "POST", headers, body });
    response.writeHead(answer.status, { "retry-after": answer.headers.get("retry-after") ?? "0" });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
}
