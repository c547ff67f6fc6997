import { randomBytes } from "node:crypto";
import { type Person, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { beforeAll, describe, expect, it } from "vitest";
import { type ApprovalStage, startApprovalStage, TOKEN } from "../test/approvals.js";
import { APPROVE, DENY } from "./message.js";
import { RequestStore } from "./request-store.js";

let stage: ApprovalStage;
const atEnd = closeAfterAll();
beforeAll(async () => {
  stage = await startApprovalStage({ atEnd });
  await stage.connect("other");
  await stage.connect("garden");
});

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
  prepare?(scene: Scene): Promise<unknown>;
  /** The attempt; returns the id of the person who made it. */
  attack(scene: Scene): Promise<{ readonly by: string; readonly times?: number }>;
  /** The reason in the audit log. */
  readonly why: RegExp;
  /** What the record names; `nothing` for values that are no id, and may be anything. @default "this request" */
  readonly names?: "another request" | "nothing";
}

const pressed = async (person: Person, message: SeenMessage, button = "Approve") => {
  await person.press(message, button);
  await stage.done();
  return { by: person.id };
};

/** A press as Slack sends it, with anything in it. */
const forged = async (
  by: Person,
  { message }: Scene,
  value: string,
  more: { action?: string; triggerId?: string; ts?: string } = {},
) => {
  await stage.forge(by, { channelId: stage.desk.id, ts: message.ts, action: APPROVE, value, ...more });
  return { by: by.id };
};

const sceneOf = async (project: string): Promise<Scene> => {
  const who = await stage.addRequester();
  const message = await stage.request(who, `/media token lobby role:sendrecv for:1h in:${project}`);
  const [record] = await stage.audit({ userId: who.person.id, action: "token.request" });
  return { requester: who.person, message, id: record?.subject ?? "" };
};

const without = (ids: readonly string[], id: string): string[] => ids.filter((one) => one !== id);

const attacks: Attack[] = [
  {
    name: "a person approves their own request",
    attack: ({ requester, message }) => pressed(requester, message),
    why: /^Nobody may decide their own request/,
  },
  {
    name: "an approver approves their own request",
    prepare: async ({ requester }) => stage.groups.ops.push(requester.id),
    attack: ({ requester, message }) => pressed(requester, message),
    why: /^Nobody may decide their own request/,
  },
  {
    name: "a person denies their own request",
    attack: ({ requester, message }) => pressed(requester, message, "Deny"),
    why: /^Nobody may decide their own request/,
  },
  {
    name: "a member who is no approver approves",
    attack: async ({ message }) => {
      stage.desk.add(stage.bob);
      return pressed(stage.bob, message);
    },
    why: /^You may not decide this request/,
  },
  {
    name: "an approver of another project approves",
    attack: ({ message }) => pressed(stage.dan, message),
    why: /^You may not decide this request/,
  },
  {
    name: "an approver left the user group since the request",
    prepare: async () => {
      // The bot remembers for a minute that she was a member.
      await stage.ask(stage.cara, "/media token lobby role:any in:demo", stage.desk);
      stage.groups.ops = without(stage.groups.ops, stage.cara.id);
      stage.groups.ops.push(stage.dan.id);
    },
    attack: ({ message }) => pressed(stage.cara, message),
    why: /^You may not decide this request/,
  },
  {
    name: "the user group of the approvers was emptied",
    prepare: async () => {
      stage.groups.ops = [];
    },
    attack: ({ message }) => pressed(stage.cara, message),
    why: /^You may not decide this request/,
  },
  {
    name: "an approver is no longer an admin",
    prepare: async () => {
      await stage.ask(stage.ann, "/media projects");
      stage.ann.isAdmin = false;
    },
    attack: ({ message }) => pressed(stage.ann, message),
    why: /^You may not decide this request/,
  },
  {
    name: "an approver's account was deactivated",
    prepare: async () => {
      // The bot remembers the account for a minute.
      await stage.ask(stage.cara, "/media projects", stage.desk);
      stage.cara.isDeleted = true;
    },
    attack: async (scene) => forged(stage.cara, scene, scene.id),
    why: /^You may not decide this request/,
  },
  {
    name: "the requester's account was deactivated",
    prepare: async ({ requester }) => {
      requester.isDeleted = true;
    },
    attack: ({ message }) => pressed(stage.cara, message),
    why: /can no longer use this bot/,
  },
  {
    name: "the requester may no longer request this",
    prepare: async ({ requester }) => {
      stage.groups.devs = without(stage.groups.devs, requester.id);
    },
    attack: ({ message }) => pressed(stage.cara, message),
    why: /^The policy no longer lets anybody approve this/,
  },
  {
    name: "the bot was restarted with a policy that lets nobody approve this",
    prepare: () => stage.restart({ approvals: [{ postTo: stage.desk.id, maxLifetime: "30m" }] }),
    attack: ({ message }) => pressed(stage.ann, message),
    why: /^The policy no longer lets anybody approve this/,
  },
  {
    name: "the bot was restarted with a policy that names other approvers",
    prepare: () => stage.restart({ approvals: [{ postTo: stage.desk.id, approvers: [stage.dan.id] }] }),
    attack: ({ message }) => pressed(stage.cara, message),
    why: /^You may not decide this request/,
  },
  {
    name: "the project was disconnected since",
    project: "garden",
    prepare: async () => stage.connections.remove(stage.team.id, "garden"),
    attack: ({ message }) => pressed(stage.cara, message),
    why: /was disconnected since this was requested/,
  },
  {
    name: "the project was connected to another service since",
    project: "garden",
    prepare: () => stage.connect("garden", stage.service.url.replace("127.0.0.1", "localhost")),
    attack: ({ message }) => pressed(stage.cara, message),
    why: /was disconnected since this was requested/,
  },
  {
    name: "the request lapsed",
    prepare: async ({ id }) => {
      const { query } = stage;
      await query.updateTable("token_request").set({ lapses_at: Date.now() }).where("request_id", "=", id).execute();
    },
    attack: ({ message }) => pressed(stage.cara, message),
    why: /^Lapsed: nobody decided/,
  },
  {
    name: "the same payload again, after its press was approved",
    prepare: (scene) => forged(stage.cara, scene, scene.id, { triggerId: `1.${scene.id}` }),
    attack: (scene) => forged(stage.cara, scene, scene.id, { triggerId: `1.${scene.id}` }),
    why: /^The same request was sent again/,
  },
  {
    name: "the same payload again, after its press was denied",
    prepare: (scene) => forged(stage.cara, scene, scene.id, { triggerId: `2.${scene.id}`, action: DENY }),
    attack: (scene) => forged(stage.cara, scene, scene.id, { triggerId: `2.${scene.id}`, action: DENY }),
    why: /^The same request was sent again/,
  },
  {
    name: "another press after an approval",
    prepare: (scene) => forged(stage.cara, scene, scene.id),
    attack: (scene) => forged(stage.ann, scene, scene.id),
    why: /^✓ Approved by/,
  },
  {
    name: "another press after a denial",
    prepare: (scene) => forged(stage.cara, scene, scene.id, { action: DENY }),
    attack: (scene) => forged(stage.ann, scene, scene.id),
    why: /^✗ Denied by/,
  },
  {
    name: "another press after an approval and a restart",
    prepare: async (scene) => {
      await forged(stage.cara, scene, scene.id);
      await stage.restart();
    },
    attack: (scene) => forged(stage.ann, scene, scene.id),
    why: /^✓ Approved by/,
  },
  {
    name: "an id that no request has",
    attack: (scene) => forged(stage.cara, scene, randomBytes(18).toString("base64url")),
    why: /^There is no such request/,
    names: "another request",
  },
  {
    name: "the id of another request, in the message of this one",
    attack: async (scene) => {
      const other = await sceneOf("demo");
      return forged(stage.cara, scene, other.id);
    },
    why: /^This button is not from the message of its request/,
    names: "another request",
  },
  {
    name: "the id of this request, in another message",
    attack: (scene) => forged(stage.cara, scene, scene.id, { ts: "1.1" }),
    why: /^This button is not from the message of its request/,
  },
  {
    name: "a value that is no id, but the terms of a token",
    attack: (scene) => forged(stage.cara, scene, "token lobby role:any for:8h in:demo"),
    why: /^There is no such request/,
    names: "nothing",
  },
  {
    name: "no value",
    attack: (scene) => forged(stage.cara, scene, ""),
    why: /^There is no such request/,
    names: "nothing",
  },
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
    why: /^There is no such request/,
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

describe("no token comes of", () => {
  it.each(attacks)("$name: it is refused, and on record", async (row) => {
    const ops = [...stage.groups.ops];
    const scene = await sceneOf(row.project ?? "demo");
    try {
      await row.prepare?.(scene);
      const [made, seen] = [await stage.made(), scene.requester.direct().length];
      const before = new Set((await stage.audit()).map(({ id }) => id));

      const { by } = await row.attack(scene);

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
});

const textOfAll = (messages: readonly SeenMessage[]): string => messages.map((message) => textOf(message)).join("\n");

/** Undoes what an attack changed in Slack and in the bot. */
async function makeGood(wasGarden: boolean, ops: string[]): Promise<void> {
  stage.groups.ops = ops.filter((id) => id === stage.cara.id);
  if (stage.groups.ops.length === 0) stage.groups.ops = [stage.cara.id];
  stage.ann.isAdmin = true;
  stage.cara.isDeleted = false;
  if (wasGarden) await stage.connect("garden");
  // A new bot remembers nobody.
  await stage.restart();
}
