import { execFile } from "node:child_process";
import { join } from "node:path";
import { plainPostgres } from "@media-ops/testing";
import { expect, it } from "vitest";
import { AuditLog, type NewAudit } from "../audit/audit-log.js";
import { Connections } from "../connections/connections.js";
import { MASTER_KEY, temporaryFolder } from "../test/storage.js";
import { openStorage } from "./open-storage.js";

const main = join(import.meta.dirname, "../../dist/main.js");

const act: NewAudit = {
  ...{ teamId: "T01", userId: "U01", placeId: "C01", projectId: "demo", subject: "j1" },
  ...{ action: "token.mint", via: "command" },
};

it("media-bot distribute moves the bot's tables to the workers of Citus, and the bot reads them as before", async () => {
  const { url, addCitus } = await plainPostgres();
  const cwd = await temporaryFolder();
  const env = { PATH: process.env.PATH, BOT_DATABASE_URL: url, BOT_MASTER_KEY: MASTER_KEY };
  const distribute = () =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [main, "distribute"], { cwd, env }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
      });
    });
  const open = () =>
    openStorage({ databaseUrl: url, masterKey: Buffer.from(MASTER_KEY, "hex"), masterKeyFile: undefined });
  const before = await open();
  await new Connections(before, undefined, Date.now).add({
    ...{ teamId: "T01", projectId: "demo", baseUrl: "https://media.example", userId: "U01", apiKey: "mo_k1_planted" },
  });
  await new AuditLog(before, Date.now).record(act, { outcome: "done" });
  await before.close();
  expect(await distribute()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/has no Citus\..*citus_add_node/),
  });
  if (!(await addCitus())) return;

  const { code, stdout } = await distribute();
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^audit +1$/m) });
  expect(stdout).toMatch(/^All 2 rows are distributed by team_id\. Start the bot again\.$/m);
  const after = await open();
  expect(after.database.isDistributed).toBe(true);
  expect(await new Connections(after, undefined, Date.now).all("T01")).toMatchObject([{ projectId: "demo" }]);
  expect(await new AuditLog(after, Date.now).find("T01", { limit: 2 })).toMatchObject([{ subject: "j1" }]);
  await after.close();
});
