import { type Person, type Place, type SeenMessage, type SeenView, textOf } from "@media-ops/fake-slack";
import { closeAfterAll } from "@media-ops/testing/after-all";
import { readUnverifiedToken } from "@media-ops/tokens";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectLife, labelsOf, startStage, tokenIn } from "../test/stage.js";
import { TOKEN_FORM } from "./tokens.js";

const atEnd = closeAfterAll();
const stage = await startStage({ atEnd });
const { team, ann, bob } = stage;
const audit = team.addChannel({ name: "audit", members: [ann], withBot: true });
const opsId = team.addGroup({ handle: "ops", members: [bob] }).id;
const policy = {
  maxLifetime: "2h",
  maxAhead: "3h",
  ask: [ann.id, opsId],
  grants: [
    { to: [opsId], roles: ["sendrecv"], maxLifetime: "1h" },
    { to: ["admins"], roles: ["any"], maxLifetime: "1d", projects: ["demo"] },
  ],
};
atEnd(await startBotWith(policy, audit.id));

/** Starts another bot whose settings contain ids of the running stage. Slack sends its requests to this one. */
async function startBotWith(policy: object, auditChannel: string, now = Date.now): Promise<() => Promise<void>> {
  const { app } = stage.slack;
  const before = app.requestUrl;
  const bot = await stage.replaceBot(policy, { BOT_AUDIT_CHANNEL: auditChannel }, now);
  return async () => {
    app.requestUrl = before;
    await bot.stop();
  };
}

const claimsIn = (message: SeenMessage) => readUnverifiedToken(tokenIn(message)).claims;
const said = ({ blocks }: SeenMessage): string => JSON.stringify(blocks);

const formOf = (person: Person): Promise<SeenView> =>
  stage.slack.until(() => (person.modal?.callbackId === TOKEN_FORM ? person.modal : undefined));

/** Opens the window by the command. */
async function openForm(person: Person, place: Place): Promise<SeenView> {
  await person.command("/media token", { in: place });
  return formOf(person);
}

/** Opens the window by the button of a refusal. */
async function choose(person: Person, refused: SeenMessage): Promise<SeenView> {
  await person.press(refused, "Choose what is allowed");
  return formOf(person);
}

describe("a grant", () => {
  it("to a user group applies only to its members", async () => {
    const message = await stage.ask(stage.bob, "/media token lobby role:sendrecv for:1h");
    const claims = claimsIn(message);
    expect(claims.role).toBe("sendrecv");
    expectLife(claims, 3600);

    const { person, place } = stage.newcomer("ned");
    const refused = await stage.ask(person, "/media token lobby role:sendrecv for:1h", place);
    expect(refused.isOnlyVisibleToYou).toBe(true);
    expect(labelsOf(refused)).toContain("Choose what is allowed");
    expect(tokenIn(refused)).toBe("");
    expect(said(refused)).toContain(
      "You may make tokens with the role recvonly for up to 10 minutes, but none with the role sendrecv. " +
        `<@${stage.ann.id}> or <!subteam^${opsId}> can help.`,
    );
  });

  it("to admins is capped at the policy's maximum", async () => {
    const message = await stage.ask(stage.ann, "/media token lobby role:any for:2h");
    const claims = claimsIn(message);
    expect(claims.role).toBe(undefined);
    expectLife(claims, 7200);
    const refused = await stage.ask(stage.ann, "/media token lobby role:any for:1d");
    expect(said(refused)).toContain("for up to 2 hours, but not for 1 day.");
  });

  it("is offered in the window, each role with its longest lifetime", async () => {
    const modal = await openForm(stage.bob, stage.general);
    expect(rolesIn(modal)).toEqual(["recvonly", "sendrecv"]);
    await stage.bob.submit({ Channel: "lobby", Role: "sendrecv: may send and receive", Lifetime: "1 hour" });
    expect(stage.bob.modal).toBeUndefined();
  });

  it("can be chosen after a refusal, with everything else as requested", async () => {
    const { person, place } = stage.newcomer("uma");
    const id = "5f0c8a52-3f5e-4f0b-9d9a-3a4b8f7f2c11";
    const asked = `/media token lobby role:sendrecv for:4m max:3 starting:1h id:${id}`;
    const refused = await stage.ask(person, asked, place);
    const modal = await choose(person, refused);
    expect(JSON.stringify(modal.blocks)).not.toContain("placeholder");
    const claims = claimsIn(await stage.next(person, place, () => person.submit()));
    expect(claims).toMatchObject({
      channel_id: "lobby@demo",
      role: "recvonly",
      max_channel_connections: 3,
      jti: id,
    });
    const { nbf = 0, exp } = claims;
    expect(Math.abs(nbf - Date.now() / 1000 - 3600)).toBeLessThan(60);
    expect(exp).toBe(nbf + 240);
  });

  it("never becomes more than the request unless the person confirms it", async () => {
    const { person, place } = stage.newcomer("ute");
    const refused = await stage.ask(person, "/media token lobby role:sendrecv max:3", place);
    await choose(person, refused);
    await person.submit({ Channel: "", "Limit of connections": "" });
    expect(person.modal?.errors).toEqual({
      channel: "Name a channel, such as lobby, or tick the box below for every channel.",
      limit: "You asked for a limit of 3. Enter a number, or tick the box below for no limit.",
    });
    const every = { "Every channel": "every", "No limit": "unlimited" };
    const claims = claimsIn(await stage.next(person, place, () => person.submit(every)));
    expect(claims).not.toHaveProperty("channel_id");
    expect(claims).not.toHaveProperty("max_channel_connections");
  });

  it("can be chosen with the former reason, after a refusal of a window's request", async () => {
    const { person, place } = stage.newcomer("una2");
    await openForm(person, place);
    // The policy changes while the window is open.
    onTestFinished(await startBotWith({ default: { roles: ["recvonly"], maxLifetime: "2m" } }, audit.id));
    const refused = await stage.next(person, place, () => person.submit({ Channel: "lobby", Reason: "demo for Kim" }));
    await choose(person, refused);
    const message = await stage.next(person, place, () => person.submit());
    expect(textOf(message)).toContain("reason: demo for Kim");
    const claims = claimsIn(message);
    expect(claims.channel_id).toBe("lobby@demo");
    expectLife(claims, 120);
  });
});

describe("the audit channel", () => {
  it("is notified of who created which token, where and why, without the token", async () => {
    const { person, place } = stage.newcomer("pat");
    await openForm(person, place);
    const message = await stage.next(person, place, () =>
      person.submit({ Channel: "<!channel>", "Limit of connections": "0", Reason: "for *Kim* <@U1>" }),
    );
    const { jti = "", exp = 0 } = claimsIn(message);
    const told = await stage.slack.until(() => stage.ann.sees(audit).find((one) => said(one).includes(jti)));
    expect(told.isOnlyVisibleToYou).toBe(false);
    expect(told.text).toBe(`<@${person.id}> made an access token in <#${place.id}>.`);
    const end = `${new Date(exp * 1000).toISOString().slice(0, 19)}Z`;
    const words = [
      `<@${person.id}> made an access token in <#${place.id}>.`,
      "• *Project:* demo",
      "• *Channel:* &lt;!channel&gt;@demo",
      "• *Role:* recvonly",
      "• *Begins:* at once",
      `• *Ends:* <!date^${exp}^{date_short_pretty} {time_secs}|${end}>`,
      "• *Limit:* 0: no connection is admitted",
      `• *Token id:* ${jti}`,
      "• *Reason:* for ∗Kim∗ &lt;@U1&gt;",
    ];
    expect(told.blocks[0]?.text).toEqual({ type: "mrkdwn", text: words.join("\n"), verbatim: true });
    const token = tokenIn(message);
    expect(JSON.stringify(stage.ann.sees(audit))).not.toContain(token.split(".")[2]);
    expect(stage.logged()).not.toContain(token.split(".")[2]);
  });

  it("is notified of a token in a direct conversation, without naming it", async () => {
    const { person } = stage.newcomer("dee");
    await person.command("/media token lobby");
    const message = await stage.slack.until(() => person.direct()[0]);
    const { jti = "" } = claimsIn(message);
    const told = await stage.slack.until(() => stage.ann.sees(audit).find((one) => said(one).includes(jti)));
    expect(told.text).toBe(`<@${person.id}> made an access token in a direct conversation.`);
  });

  it("withholds no token if it cannot be notified, which is logged", async () => {
    const { person, place } = stage.newcomer("sue");
    stage.slack.fail("chat.postMessage", { error: "not_in_channel" });
    const { jti = "" } = claimsIn(await stage.ask(person, "/media token lobby", place));
    const failure = () =>
      stage
        .logged()
        .split("\n")
        .find((line) => line.includes("failed to notify the audit channel of an act"));
    await expect.poll(failure).toBeDefined();
    const logged = failure();
    expect(logged).toContain(jti);
    expect(logged).toContain("not_in_channel");
  });

  it("does not keep a person waiting when Slack limits calls", async () => {
    const { person, place } = stage.newcomer("tom");
    stage.slack.limit("chat.postMessage", { retryAfter: 1 });
    const { jti = "" } = claimsIn(await stage.ask(person, "/media token lobby", place));
    expect(JSON.stringify(stage.ann.sees(audit))).not.toContain(jti);
    await stage.slack.until(() => stage.ann.sees(audit).find((one) => said(one).includes(jti)));
  });
});

describe("another policy", () => {
  it("may grant nothing to anyone; then the window says so, and names who can help", async () => {
    onTestFinished(await startBotWith({ default: null, grants: [] }, audit.id));
    const { person, place } = stage.newcomer("zoe");
    await person.command("/media token", { in: place });
    const words = "You may not make tokens for the project demo. A workspace admin can help.";
    const modal = await stage.slack.until(() =>
      textOf(person.modal ?? []).includes(words) ? person.modal : undefined,
    );
    expect(modal.submit).toBeUndefined();
    expect(await stage.read(person, "/media token lobby", place)).toBe(`${words}\n[Ask for approval…]`);
  });

  it("may grant another role than the default one, which must then be requested", async () => {
    const grants = [{ to: ["everyone"], roles: ["sendonly"], maxLifetime: "3m" }];
    onTestFinished(await startBotWith({ default: null, grants }, audit.id));
    const { person, place } = stage.newcomer("kit");
    const refused = await stage.ask(person, "/media token lobby", place);
    expect(textOf(refused)).toContain("with the role sendonly for up to 3 minutes, but none with the role recvonly.");

    const modal = await choose(person, refused);
    expect(rolesIn(modal)).toEqual(["sendonly"]);
    // The only role allows something else than the default, so the person must choose it.
    await expect(person.submit()).rejects.toThrow('"Role" must be filled in.');
    const role = { Role: "sendonly: may only send" };
    const claims = claimsIn(await stage.next(person, place, () => person.submit(role)));
    expect(claims).toMatchObject({ role: "sendonly", channel_id: "lobby@demo" });
    expectLife(claims, 180);
  });

  it("may allow less time than the default lifetime, and then limits it", async () => {
    const grants = [{ to: ["everyone"], roles: ["recvonly", "sendonly"], maxLifetime: "7m" }];
    onTestFinished(await startBotWith({ default: null, grants }, audit.id));
    const { person, place } = stage.newcomer("liv");
    const message = await stage.ask(person, "/media token lobby", place);
    expectLife(claimsIn(message), 420);
    const refused = await stage.ask(person, "/media token lobby for:10m", place);
    expect(textOf(refused)).toContain("for up to 7 minutes, but not for 10 minutes.");

    await openForm(person, place);
    const chosen = claimsIn(await stage.next(person, place, () => person.submit({ Channel: "lobby" })));
    expectLife(chosen, 420);
  });

  it("is shown in round durations, although time passes while a command is read", async () => {
    let time = Date.now();
    onTestFinished(await startBotWith({}, audit.id, () => (time += 3)));
    const { person, place } = stage.newcomer("ivo");
    const refused = await stage.ask(person, "/media token lobby starting:25h", place);
    expect(textOf(refused)).toContain("at most 1 day ahead, but not in 1 day 1 hour.");
  });

  it("may have an audit channel for each workspace", async () => {
    const { person, place } = stage.newcomer("max");
    const end = await startBotWith({}, `${stage.team.id}:${audit.id}`);
    const { jti = "" } = claimsIn(await stage.ask(person, "/media token lobby", place));
    await stage.slack.until(() => stage.ann.sees(audit).find((one) => said(one).includes(jti)));
    await end();

    onTestFinished(await startBotWith({}, `T0OTHER:${audit.id}`));
    const before = stage.ann.sees(audit).length;
    await stage.ask(person, "/media token hall", place);
    expect(stage.ann.sees(audit)).toHaveLength(before);
  });
});

it("a refusal for one project leads to the window if another project has grants", async () => {
  const grants = [{ to: ["everyone"], roles: ["recvonly"], maxLifetime: "5m", projects: ["demo"] }];
  onTestFinished(await startBotWith({ default: null, grants }, audit.id));
  await stage.addConnection("other", stage.service.project("other"));
  const { person, place } = stage.newcomer("una");
  const refused = await stage.ask(person, "/media token lobby in:other", place);
  expect(textOf(refused)).toContain("You may not make tokens for the project other.");
  const modal = await choose(person, refused);
  expect(textOf(modal)).toContain("You may not make tokens for the project other. For the project demo.");
});

function rolesIn({ blocks }: SeenView): unknown[] {
  const element: unknown = blocks.find(({ block_id }) => block_id === "role")?.element;
  const options = typeof element === "object" && element !== null && "options" in element ? element.options : [];
  return Array.isArray(options) ? options.map(({ value }) => value) : [];
}
