import { describe, expect, it } from "vitest";
import { refused, startAcme, startWithApp } from "../test/acme.js";

describe("an archived channel", () => {
  it("accepts nothing from the app, and remains readable", async () => {
    const { team, client, ann, general, last } = await startWithApp();
    await ann.command("/media", { in: general });
    const { ts = "" } = await client.chat.postMessage({ channel: general.id, text: "one" });
    team.archive(general);
    const channel = general.id;
    const { chat, files } = client;
    await refused(chat.postMessage({ channel, text: "x" }), "is_archived");
    await refused(chat.postEphemeral({ channel, user: ann.id, text: "x" }), "is_archived");
    await refused(chat.update({ channel, ts, text: "x" }), "is_inactive");
    const upload = files.uploadV2({ channel_id: channel, filename: "a.txt", content: "a" });
    await refused(upload, "is_archived");
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
