import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buttonsOf, type Person, type SeenMessage, textOf } from "@media-ops/fake-slack";
import { describe, expect, it } from "vitest";
import type { Bot } from "../bot.js";
import { TOKEN } from "../test/approvals.js";
import { type Stage, startStage } from "../test/stage.js";

const BEYOND = "/media token lobby role:sendrecv for:1h";

/** Starts a stage whose audit channel and policy are those of the settings. */
async function startWith(settings: (stage: Stage) => { policy?: object; auditChannel?: string }) {
  const stage = await startStage();
  const { policy, auditChannel } = settings(stage);
  const file = join(stage.folder, "policy.json");
  if (policy) await writeFile(file, JSON.stringify(policy));
  const bot: Bot = await stage.startAnother({
    ...(policy && { BOT_TOKEN_POLICY: file }),
    ...(auditChannel !== undefined && { BOT_AUDIT_CHANNEL: auditChannel }),
  });
  stage.slack.app.requestUrl = `${bot.url}/slack/events`;
  const request = async (person: Person): Promise<void> => {
    const refused = await stage.ask(person, BEYOND);
    await person.press(refused, "Ask for approval…");
    await stage.slack.until(() => person.modal?.submit);
    await person.submit({ Reason: "a rehearsal" });
    await bot.settled();
  };
  return { ...stage, bot, request };
}

const withButtons = (messages: readonly SeenMessage[]): SeenMessage[] =>
  messages.filter((message) => buttonsOf(message).some(({ text }) => text === "Approve"));

describe("a request for approval, without a policy file,", () => {
  it("goes to the audit channel, where an admin decides, and nothing is posted twice", async () => {
    const places: { audit?: ReturnType<Stage["team"]["addChannel"]> } = {};
    const { ann, bob, bot, request } = await startWith(({ team, ann, bob }) => {
      places.audit = team.addChannel({ name: "audit", members: [ann, bob], withBot: true });
      return { auditChannel: places.audit.id };
    });
    const { audit } = places;
    if (!audit) throw new Error("There is no audit channel.");
    await request(bob);
    expect(ann.sees(audit)).toHaveLength(1);
    const [asked] = withButtons(ann.sees(audit));
    expect(textOf(asked ?? [])).toContain("an admin of this workspace can decide");
    if (!asked) return;
    await ann.press(asked, "Approve");
    await bot.settled();
    expect(textOf(bob.direct()[0] ?? [])).toMatch(TOKEN);
    const words = ann.sees(audit).map((message) => textOf(message));
    expect(words).toHaveLength(2);
    expect(words[0]).toContain(`✓ Approved by @${ann.id}`);
    expect(words[1]).toContain(`@${bob.id} made an access token in`);
    expect(words[1]).toContain(`• *Approved by:* @${ann.id}`);
    expect(words.join()).not.toMatch(TOKEN);
  });

  it("is not possible without an audit channel, and the refusal says what the operator can do", async () => {
    const { bob, ...stage } = await startWith(() => ({}));
    const refused = await stage.ask(bob, BEYOND);
    expect(buttonsOf(refused).map(({ text }) => text)).toEqual(["Choose what is allowed"]);
    expect(textOf(refused)).toContain(
      "A workspace admin can help. The operator can also name a channel in which more can be requested.",
    );
  });
});

describe("a request for approval that the policy sends to a user group", () => {
  it("is a direct message to each other member, and each of them shows the decision", async () => {
    const { team, slack, ann, bob, bot, request } = await startWith(({ team, ann, bob }) => {
      const members = [team.addUser({ name: "cara" }), team.addUser({ name: "dan" }), bob];
      const ops = team.addGroup({ handle: "ops", members }).id;
      const audit = team.addChannel({ name: "audit", members: [ann], withBot: true });
      return { policy: { approvals: [{ postTo: ops }] }, auditChannel: audit.id };
    });
    const [cara, dan] = [team.person("cara"), team.person("dan")];
    const audit = team.places.find(({ name }) => name === "audit");
    if (!cara || !dan || !audit) throw new Error("Somebody is missing.");
    await request(bob);
    expect(withButtons(bob.direct())).toEqual([]);
    const [[forCara], [forDan]] = [withButtons(cara.direct()), withButtons(dan.direct())];
    if (!forCara || !forDan) throw new Error("Somebody was not asked.");
    await slack.until(() => textOf(ann.sees(audit).at(-1) ?? []).includes("asked for an access token in"));
    await dan.press(forDan, "Deny");
    await bot.settled();
    for (const person of [cara, dan]) {
      const [message] = person.direct();
      expect(textOf(message ?? [])).toContain(`✗ Denied by @${dan.id}`);
      expect(message && buttonsOf(message)).toEqual([]);
    }
    await slack.until(() =>
      textOf(ann.sees(audit).at(-1) ?? []).includes(`@${dan.id} denied an access token to @${bob.id}`),
    );
  });
});
