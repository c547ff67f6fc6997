import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { readConfig } from "@media-ops/service";
import { makeDatabase, takeServer } from "@media-ops/testing/server";
import { expect } from "vitest";
import { takeDocument } from "./document.js";
import { Shell } from "./shell.js";

takeDocument("docs/scaling.md", async (trial) => {
  const server = await takeServer();
  trial.atEnd(() => server.release());
  const { url, drop } = await makeDatabase(server.url);
  trial.atEnd(drop);
  const shell = await Shell.open(trial);
  shell.put("postgres://media:password@db.example:5432/media", url);
  // The document assumes a service that has run on SQLite.
  await shell.run("media-ops projects create demo");
  let printed: string | undefined;

  return {
    async sh(block) {
      await shell.paste(block);
      expect(await shell.run('echo "$MEDIA_DATABASE_URL"')).toBe(`${url}?connections=20\n`);
      expect(await shell.run("media-ops projects list")).toContain("demo");
    },
    /** Checks a reverse proxy for two processes, and that the health endpoint it names answers. */
    async caddy({ text }) {
      const { port, intakePort } = readConfig({});
      const [address, proxy, ...health] = text.split("\n").map((line) => line.trim());
      expect(address).toBe("media-ops.example");
      expect(proxy).toBe(`reverse_proxy service-1:${port} service-2:${port} {`);
      expect(health).toEqual(["health_uri /readyz", `health_port ${intakePort}`, "}"]);
      expect((await fetch(`http://127.0.0.1:${shell.ports.intake}/readyz`)).status).toBe(200);
    },
    async js({ text }) {
      const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", text]);
      printed = stdout.trim();
    },
    /** Accepts the diagram at the beginning, and compares the other block with the output of the calculation. */
    text(block) {
      if (block.text.includes("──▶")) return;
      expect(block.text).toBe(printed);
    },
  };
});
