import { randomUUID } from "node:crypto";
import { buttonsOf, type Person, type Place, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { createMediaClient } from "@media-ops/sdk";
import { AuditLog } from "../audit/audit-log.js";
import type { Bot } from "../bot.js";
import { Connections } from "../connections/connections.js";
import { sendPayload } from "./requests.js";
import { startStage } from "./stage.js";
import type { AtEnd } from "./storage.js";

const MOST_REQUESTERS = 40;

/** Starts a stage whose policy lets people request tokens beyond it, with people who request, and people who decide. */
export async function startApprovalStage({ atEnd, now = Date.now }: { atEnd: AtEnd; now?: () => number }) {
  const stage = await startStage({ atEnd, now });
  const { team, ann, slack, service } = stage;
  const [cara, dan] = [team.addUser({ name: "cara" }), team.addUser({ name: "dan" })];
  const desk = team.addChannel({ name: "desk", members: [ann, cara, dan], withBot: true });
  const ops = team.addGroup({ handle: "ops", members: [cara] });
  // The bot remembers the members of a group for a minute, so all are members from the start.
  const requesters = Array.from({ length: MOST_REQUESTERS }, (_, at) => team.addUser({ name: `user${at}` }));
  const devs = team.addGroup({ handle: "devs", members: requesters });
  const policy = {
    approvals: [
      { postTo: desk.id, approvers: [dan.id], projects: ["other"] },
      {
        postTo: desk.id,
        approvers: [ops.id, "admins"],
        from: [devs.id],
        projects: ["demo", "garden"],
        maxLifetime: "8h",
      },
    ],
  };
  let bot: Bot | undefined;
  /** Stops the bot and starts another one, as an operator does. */
  const restart = async (next: object = policy): Promise<void> => {
    await bot?.stop();
    bot = await stage.replaceBot(next);
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
    /** Requests go to desk. Cara may decide about demo and garden, as a member of the group `ops`, dan about other. */
    ...{ desk, cara, dan, running, restart, policy, connections, query: storage.query },
    /** The user groups in the policy. */
    groups: { ops, devs } as Record<"ops" | "devs", { members: string[] }>,
    /** Adds a person who may request tokens of demo and garden. */
    async addRequester() {
      const person = requesters[count];
      if (!person) throw new Error("There are not enough requesters.");
      count += 1;
      desk.add(person);
      return { person, place: team.addChannel({ name: `place${count}`, members: [person] }) };
    },
    /** Requests a token, and returns the message for those who decide. */
    async request({ person, place }: { person: Person; place: Place }, command: string): Promise<SeenMessage> {
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
    /** How many tokens the service has made. */
    async made() {
      const counts = ["demo", "other", "garden"].map(async (project_id) => {
        const client = createMediaClient({ baseUrl: service.url, apiKey: service.project(project_id).apiKey });
        const entries = await client.logs.list("api", { project_id });
        return entries.filter(({ url, status }) => url.includes("create-access-token") && status === 200).length;
      });
      return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
    },
    /** The audit log, newest first. */
    audit: (filter: { userId?: string; action?: string } = {}) =>
      new AuditLog(storage, now).find(team.id, { ...filter, limit: 100 }),
    /** Connects another project of the service. */
    connect: (projectId: "other" | "garden", baseUrl = service.url) =>
      stage.addConnection(projectId, { baseUrl, apiKey: service.project(projectId).apiKey }),
    /** Waits until the bot has finished all work. */
    done: () => running().settled(),
    /** Sends a press in Slack's format; anything of it can be forged. */
    async forge(
      by: { id: string; teamId: string },
      {
        channelId,
        ts,
        action,
        value,
        triggerId = randomUUID(),
      }: Record<"channelId" | "ts" | "action" | "value", string> & { triggerId?: string },
    ) {
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
