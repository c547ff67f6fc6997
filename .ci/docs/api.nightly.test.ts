import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operations } from "@media-ops/openapi/contract";
import { validator } from "@media-ops/openapi/judge";
import { apiKeyToTokenKey, verifyToken } from "@media-ops/tokens";
import { expect } from "vitest";
import { takeDocument } from "./document.js";
import { Shell } from "./shell.js";
import { startReceiver } from "./world.js";

takeDocument("docs/api.md", async (trial) => {
  const mediaServer = await startReceiver(trial.atEnd, { status: 200, body: '{"disconnected":2}' });
  const shell = await Shell.open(trial, {
    settings: { "media-ops": { MEDIA_UPSTREAM_URL: mediaServer.url } },
  });
  // The part of `start` that the document relies on: a service with a project, and its key in a file.
  const key = (await shell.run("media-ops projects create demo --json")).match(/mo_[\w-]+/)?.[0] ?? "";
  await mkdir(join(shell.folder, ".data"));
  await writeFile(join(shell.folder, ".data/demo.key"), key);
  await shell.run("media-ops serve");

  return {
    async sh(block) {
      const lines = (await shell.paste(block)).split("\n");
      const values = lines.filter((line) => /^[[{]/.test(line)).map((line): unknown => JSON.parse(line));
      if (block.section === "Logs") {
        const listings = operations.map(({ path }) => path).filter((path) => path.startsWith("/orgs/"));
        expect(block.text.match(/\/orgs\/[\w-]+/g)).toEqual(listings);
        expect(values.map((value) => Array.isArray(value))).toEqual([true, true, true, true, true]);
      } else if (block.section === "Searching") {
        expect(values).toEqual([[]]);
        expect(lines).toContainEqual(expect.stringMatching(/^x-searched-to: /));
      } else if (block.section === "Events") {
        expect(values).toEqual([[]]);
      } else if (block.section === "Live channels") {
        const nobody = { connections: 0, channels: [], omitted_channels: 0 };
        expect(values).toMatchObject([nobody, nobody]);
      } else if (block.section === "Counts") {
        const nothing = { complete: true, total: { entries: 0, count: 0, failed: 0 }, groups: [], periods: [] };
        expect(values).toMatchObject([nothing, nothing]);
      } else if (block.section === "Access tokens") {
        const { claims } = await verifyToken(tokenOf(values[0]), apiKeyToTokenKey(key), { now: Date.now() });
        expect(claims).toMatchObject({ channel_id: "lobby@demo", role: "recvonly", max_channel_connections: 5 });
      } else if (block.section === "The media server's API") {
        expect(values).toEqual([{ disconnected: 2 }]);
        expect(mediaServer.requests.at(-1)?.body).toBe('{"channel_id": "lobby@demo"}');
      }
    },
    json({ text }) {
      const isProblem = validator("Problem");
      isProblem(JSON.parse(text));
      expect(isProblem.errors ?? []).toEqual([]);
    },
  };
});

function tokenOf(answer: unknown): string {
  return typeof answer === "object" && answer && "access_token" in answer ? String(answer.access_token) : "";
}
