import { describe, expect, it } from "vitest";
import { refusal, refused, startAcme } from "../test/acme.js";

const csv = "id,status\n1,200\n";

describe("an upload", () => {
  it("shares files in a channel, with the real client", async () => {
    const { client, general, ann, bob, team } = await startAcme();
    const cat = team.addUser({ name: "cat" });
    await client.filesUploadV2({
      channel_id: general.id,
      initial_comment: "the logs",
      file_uploads: [
        { content: csv, filename: "logs.csv", title: "Logs" },
        { file: Buffer.from([0x68, 0x69]), filename: "hi.txt" },
      ],
    });
    const files = [
      { name: "logs.csv", title: "Logs", content: csv },
      { name: "hi.txt", title: "hi.txt", content: "hi" },
    ];
    expect(ann.sees(general)).toMatchObject([{ from: "bot", text: "the logs", files }]);
    expect(bob.files()).toEqual(files);
    expect(cat.files()).toEqual([]);
  });

  it("to a direct conversation is only visible to that person", async () => {
    const { client, ann, bob } = await startAcme();
    const { channel } = await client.conversations.open({ users: ann.id });
    await client.filesUploadV2({ channel_id: channel?.id ?? "", content: csv, filename: "logs.csv" });
    expect(ann.direct()).toMatchObject([{ files: [{ content: csv }] }]);
    expect([ann.files().length, bob.files().length]).toEqual([1, 0]);
  });

  it("without a channel is not visible to anyone", async () => {
    const { client, ann } = await startAcme();
    const { files } = await client.filesUploadV2({ content: csv, filename: "logs.csv" });
    expect(files).toHaveLength(1);
    expect(ann.files()).toEqual([]);
  });

  it("may be sent raw, without a form", async () => {
    const { client, general, ann } = await startAcme();
    const { upload_url = "", file_id = "" } = await client.files.getUploadURLExternal({
      filename: "a.csv",
      length: csv.length,
    });
    expect((await fetch(upload_url, { method: "POST", body: csv })).status).toBe(200);
    await client.files.completeUploadExternal({ files: [{ id: file_id }], channel_id: general.id });
    expect(ann.files()).toEqual([{ name: "a.csv", title: "a.csv", content: csv }]);
  });
});

describe("files.getUploadURLExternal", () => {
  it.each([
    { filename: "", length: 3 },
    { filename: "a.csv", length: 0 },
  ])("refuses %j", async (args) => {
    const { client } = await startAcme();
    await refused(client.files.getUploadURLExternal(args), "invalid_arguments");
  });
});

describe("the upload URL", () => {
  it("accepts the announced file, and no more", async () => {
    const { client, slack } = await startAcme();
    const { upload_url = "" } = await client.files.getUploadURLExternal({ filename: "a.csv", length: 3 });
    expect((await fetch(upload_url, { method: "POST", body: "abcd" })).status).toBe(400);
    expect((await fetch(`${slack.url}/upload/v1/F0`, { method: "POST", body: "abc" })).status).toBe(404);
  });
});

describe("files.completeUploadExternal", () => {
  it("refuses files that were not announced, or not uploaded", async () => {
    const { client, general } = await startAcme();
    const { file_id = "" } = await client.files.getUploadURLExternal({ filename: "a.csv", length: 3 });
    const errors = ["F0", file_id].map(
      async (id) =>
        (await refusal(client.files.completeUploadExternal({ files: [{ id }], channel_id: general.id }))).error,
    );
    expect(await Promise.all(errors)).toEqual(["file_not_found", "file_not_found"]);
  });

  it("refuses unknown channels, and those that the bot is not in", async () => {
    const { client, team } = await startAcme();
    const { id } = team.addChannel({ name: "outside" });
    const errors = ["C0", id].map(
      async (channel_id) =>
        (await refusal(client.filesUploadV2({ channel_id, content: csv, filename: "a.csv" }))).error,
    );
    expect(await Promise.all(errors)).toEqual(["channel_not_found", "not_in_channel"]);
  });

  it("refuses an empty list", async () => {
    const { client } = await startAcme();
    await refused(client.apiCall("files.completeUploadExternal", { files: [] }), "invalid_arguments");
  });
});
