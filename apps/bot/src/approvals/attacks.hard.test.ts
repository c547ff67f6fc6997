import { randomBytes } from "node:crypto";
import { type Person, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { expect, it } from "vitest";
import { startApprovalStage } from "../test/approvals.js";
import { TOKEN } from "../test/stage.js";
import { APPROVE, DENY } from "./approvals.js";
import { RequestStore } from "./request-store.js";

const stage = await startApprovalStage({ atEnd: closeAfterAll() });
await stage.connect("other");
await stage.connect("garden");

/** A request that waits for a decision. */
interface Scene {
  readonly requester: Person;
  readonly message: SeenMessage;
  readonly id: string;
}

/** An attempt to get a token that nobody may approve. */
interface Attack {
  readonly name: string;
  /** The project of the request. @default "demo" */
  readonly project?: "demo" | "garden";
  /** What happened before, which may itself make a token. */
  prepare?(scene: Scene): Promise<unknown> | unknown;
  /** The attempt; returns the id of the person who made it. */
  attack(scene: Scene): Promise<string>;
  /** The reason in the audit log. */
  readonly why: RegExp;
  /** What the record names; `nothing` for values that are no id, and may be anything. @default "this request" */
  readonly names?: "another request" | "nothing";
}

const pressed = async (person: Person, message: SeenMessage, button = "Approve") => {
  await person.press(message, button);
  await stage.done();
  return person.id;
};

/** A person presses the button of the request. */
const by =
  (who: "ann" | "cara" | "dan") =>
  ({ message }: Scene) =>
    pressed(stage[who], message);

/** A press as Slack sends it, with anything in it. */
const forged = async (
  by: Person,
  { message }: Scene,
  value: string,
  more: { action?: string; triggerId?: string; ts?: string } = {},
) => {
  await stage.forge(by, { channelId: stage.desk.id, ts: message.ts, action: APPROVE, value, ...more });
  return by.id;
};

const again = (who: "ann" | "cara", action: string, trigger?: number) => (scene: Scene) =>
  forged(stage[who], scene, scene.id, { action, ...(trigger && { triggerId: `${trigger}.${scene.id}` }) });

const sceneOf = async (project: string): Promise<Scene> => {
  const who = await stage.addRequester();
  const message = await stage.request(who, `/media token lobby role:sendrecv for:1h in:${project}`);
  const [record] = await stage.audit({ userId: who.person.id, action: "token.request" });
  return { requester: who.person, message, id: record?.subject ?? "" };
};

const without = (ids: readonly string[], id: string): string[] => ids.filter((one) => one !== id);

const OWN = /^Nobody may decide their own request/;
const MAY_NOT = /^You may not decide this request/;
const POLICY = /^The policy no longer lets anybody approve this/;
const GONE = /was disconnected since this was requested/;
const REPEATED = /^The same request was sent again/;
const NONE = /^There is no such request/;
const NOT_ITS_OWN = /^This button is not from the message of its request/;

const attacks: Attack[] = [
  {
    name: "a person approves their own request",
    attack: ({ requester, message }) => pressed(requester, message),
    why: OWN,
  },
  {
    name: "an approver approves their own request",
    prepare: ({ requester }) => stage.groups.ops.members.push(requester.id),
    attack: ({ requester, message }) => pressed(requester, message),
    why: OWN,
  },
  {
    name: "a person denies their own request",
    attack: ({ requester, message }) => pressed(requester, message, "Deny"),
    why: OWN,
  },
  {
    name: "a member who is no approver approves",
    prepare: () => stage.desk.add(stage.bob),
    attack: ({ message }) => pressed(stage.bob, message),
    why: MAY_NOT,
  },
  { name: "an approver of another project approves", attack: by("dan"), why: MAY_NOT },
  {
    name: "an approver left the user group since the request",
    prepare: async () => {
      // The bot remembers for a minute that she was a member.
      await stage.ask(stage.cara, "/media token lobby role:any in:demo", stage.desk);
      stage.groups.ops.members = [...without(stage.groups.ops.members, stage.cara.id), stage.dan.id];
    },
    attack: by("cara"),
    why: MAY_NOT,
  },
  {
    name: "the user group of the approvers was emptied",
    prepare: () => {
      stage.groups.ops.members = [];
    },
    attack: by("cara"),
    why: MAY_NOT,
  },
  {
    name: "an approver is no longer an admin",
    prepare: async () => {
      await stage.ask(stage.ann, "/media projects");
      stage.ann.isAdmin = false;
    },
    attack: by("ann"),
    why: MAY_NOT,
  },
  {
    name: "an approver's account was deactivated",
    prepare: async () => {
      // The bot remembers the account for a minute.
      await stage.ask(stage.cara, "/media projects", stage.desk);
      stage.cara.isDeleted = true;
    },
    attack: again("cara", APPROVE),
    why: MAY_NOT,
  },
  {
    name: "the requester's account was deactivated",
    prepare: ({ requester }) => {
      requester.isDeleted = true;
    },
    attack: by("cara"),
    why: /can no longer use this bot/,
  },
  {
    name: "the requester may no longer request this",
    prepare: ({ requester }) => {
      stage.groups.devs.members = without(stage.groups.devs.members, requester.id);
    },
    attack: by("cara"),
    why: POLICY,
  },
  {
    name: "the bot was restarted with a policy that lets nobody approve this",
    prepare: () => stage.restart({ approvals: [{ postTo: stage.desk.id, maxLifetime: "30m" }] }),
    attack: by("ann"),
    why: POLICY,
  },
  {
    name: "the bot was restarted with a policy that names other approvers",
    prepare: () => stage.restart({ approvals: [{ postTo: stage.desk.id, approvers: [stage.dan.id] }] }),
    attack: by("cara"),
    why: MAY_NOT,
  },
  {
    name: "the project was disconnected since",
    project: "garden",
    prepare: () => stage.connections.remove(stage.team.id, "garden"),
    attack: by("cara"),
    why: GONE,
  },
  {
    name: "the project was connected to another service since",
    project: "garden",
    prepare: () => stage.connect("garden", stage.service.url.replace("127.0.0.1", "localhost")),
    attack: by("cara"),
    why: GONE,
  },
  {
    name: "the request lapsed",
    prepare: ({ id }) =>
      stage.query.updateTable("token_request").set({ lapses_at: Date.now() }).where("request_id", "=", id).execute(),
    attack: by("cara"),
    why: /^Lapsed: nobody decided/,
  },
  ...[APPROVE, DENY].map((action, at) => ({
    name: `the same payload again, after the press of ${action}`,
    prepare: again("cara", action, at + 1),
    attack: again("cara", action, at + 1),
    why: REPEATED,
  })),
  {
    name: "another press after an approval",
    prepare: again("cara", APPROVE),
    attack: again("ann", APPROVE),
    why: /^✓ Approved by/,
  },
  {
    name: "another press after a denial",
    prepare: again("cara", DENY),
    attack: again("ann", APPROVE),
    why: /^✗ Denied by/,
  },
  {
    name: "another press after an approval and a restart",
    prepare: async (scene) => {
      await again("cara", APPROVE)(scene);
      await stage.restart();
    },
    attack: again("ann", APPROVE),
    why: /^✓ Approved by/,
  },
  {
    name: "an id that no request has",
    attack: (scene) => forged(stage.cara, scene, randomBytes(18).toString("base64url")),
    why: NONE,
    names: "another request",
  },
  {
    name: "the id of another request, in the message of this one",
    attack: async (scene) => forged(stage.cara, scene, (await sceneOf("demo")).id),
    why: NOT_ITS_OWN,
    names: "another request",
  },
  {
    name: "the id of this request, in another message",
    attack: (scene) => forged(stage.cara, scene, scene.id, { ts: "1.1" }),
    why: NOT_ITS_OWN,
  },
  ...["token lobby role:any for:8h in:demo", ""].map((value) => ({
    name: `a value that is no id: "${value}"`,
    attack: (scene: Scene) => forged(stage.cara, scene, value),
    why: NONE,
    names: "nothing" as const,
  })),
  {
    name: "the id of a request in another workspace",
    attack: async (scene) => {
      const approvals = new RequestStore(stage, Date.now);
      const mine = await approvals.one(stage.team.id, scene.id);
      if (!mine) throw new Error("The request is not stored.");
      const { id: _id, messages: _messages, ...terms } = mine;
      const theirs = await approvals.add({ ...terms, served: { teamId: "T0OTHER", isOrgWide: false } });
      return forged(stage.cara, scene, theirs.id);
    },
    why: NONE,
    names: "another request",
  },
  {
    name: "a person of another workspace, in a shared channel",
    attack: async ({ message }) => {
      const home = stage.slack.addWorkspace({ name: "elsewhere", installed: false });
      const eve = stage.team.addUser({ name: "eve", home, isAdmin: true });
      stage.desk.add(eve);
      return pressed(eve, message);
    },
    why: /^The bot does not serve this person/,
  },
];

it.each(attacks)("no token comes of $name: it is refused, and on record", async (row) => {
  const ops = [...stage.groups.ops.members];
  const scene = await sceneOf(row.project ?? "demo");
  try {
    await row.prepare?.(scene);
    const [made, seen] = [await stage.made(), scene.requester.direct().length];
    const before = new Set((await stage.audit()).map(({ id }) => id));

    const by = await row.attack(scene);

    expect(await stage.made()).toBe(made);
    expect(textOfAll(scene.requester.direct().slice(seen))).not.toMatch(TOKEN);
    const records = (await stage.audit()).filter(({ id, userId }) => !before.has(id) && userId === by);
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      action: expect.stringMatching(/^token\.(?:approve|deny)$/),
      ...{ outcome: "refused", via: "button", placeId: stage.desk.id, userId: by },
      detail: expect.stringMatching(row.why),
    });
    const { subject } = records[0] ?? {};
    if (row.names === "nothing") expect(subject).toBeUndefined();
    else expect(subject === scene.id).toBe(row.names === undefined);
  } finally {
    await makeGood(row.project === "garden", ops);
  }
});

const textOfAll = (messages: readonly SeenMessage[]): string => messages.map((message) => textOf(message)).join("\n");

/** Undoes what an attack changed in Slack and in the bot. */
async function makeGood(wasGarden: boolean, ops: string[]): Promise<void> {
  stage.groups.ops.members = ops.filter((id) => id === stage.cara.id);
  if (stage.groups.ops.members.length === 0) stage.groups.ops.members = [stage.cara.id];
  stage.ann.isAdmin = true;
  stage.cara.isDeleted = false;
  if (wasGarden) await stage.connect("garden");
  // A new bot remembers nobody.
  await stage.restart();
}
