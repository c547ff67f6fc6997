import { describe, expect, it } from "vitest";
import { clientOf, refusal, startAcme, startApp } from "../test/acme.js";

describe("an archived channel", () => {
  it("accepts nothing from the app, and remains readable", async () => {
    const { slack, team, client, ann, general } = await startAcme();
    const { last } = await startApp(slack);
    await ann.command("/media", { in: general });
    const { ts = "" } = await client.chat.postMessage({ channel: general.id, text: "one" });
    team.archive(general);
    const channel = general.id;
    const { chat, files } = client;
    expect(await refusal(chat.postMessage({ channel, text: "x" }))).toMatchObject({ error: "is_archived" });
    expect(await refusal(chat.postEphemeral({ channel, user: ann.id, text: "x" }))).toMatchObject({
      error: "is_archived",
    });
    expect(await refusal(chat.update({ channel, ts, text: "x" }))).toMatchObject({ error: "is_inactive" });
    const upload = files.uploadV2({ channel_id: channel, filename: "a.txt", content: "a" });
    expect(await refusal(upload)).toMatchObject({ error: "is_archived" });
    const response = await fetch(last().response_url, { method: "POST", body: JSON.stringify({ text: "x" }) });
    expect([response.status, await response.json()]).toEqual([400, { ok: false, error: "is_archived" }]);
    expect(ann.sees(general).map(({ text }) => text)).toEqual(["one"]);
  });

  it("accepts nothing from people", async () => {
    const { team, ann, general } = await startAcme();
    team.archive(general);
    await expect(ann.says("x", { in: general })).rejects.toThrow("general is archived.");
    await expect(ann.command("/media", { in: general })).rejects.toThrow("general is archived.");
  });
});

it("a bot that was removed can't write any more, except in public channels with chat:write.public", async () => {
  const { slack } = await startAcme();
  const errors = async (scopes: string[]) => {
    const team = slack.addWorkspace({ name: "other", scopes });
    const client = clientOf(slack, team.botToken);
    return Promise.all(
      (["public", "private"] as const).map(async (kind) => {
        const place = team.addChannel({ name: kind, kind });
        team.inviteBot(place);
        await client.chat.postMessage({ channel: place.id, text: "x" });
        team.removeBot(place);
        const call = client.chat.postMessage({ channel: place.id, text: "x" });
        return call.then(
          () => "ok",
          async () => (await refusal(call)).error,
        );
      }),
    );
  };
  expect(await errors(["chat:write"])).toEqual(["not_in_channel", "channel_not_found"]);
  expect(await errors(["chat:write", "chat:write.public"])).toEqual(["ok", "channel_not_found"]);
});
