import { execFile } from "node:child_process";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { commandLine, main, serve } from "../cli/test/command-line.js";
import { pathOf } from "../test/harness.js";
import { connectionDestroyed, connectionOf } from "../test/media-events.js";

const run = promisify(execFile);

it("a service with few open files survives more connections than it may have, and accepts events meanwhile", async () => {
  const { json, options } = await commandLine();
  const { api_key: key } = await json("projects", "create", "demo");
  const { intake_key: intakeKey } = await json("intake-keys", "create", "tokyo-1");
  const { url, internalUrl, lines, tell, end } = await serve(options, "ulimit -n 512");
  const listEvents = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return (await fetch(url + pathOf.listApiLogs, { method: "POST", headers, body: "{}" })).status;
  };
  const takeIn = () => tell("event", intakeKey, connectionDestroyed(connectionOf()));
  // Half a request: the service holds each until its headers time out. Closed connections are opened again.
  let isOver = false;
  const sockets = new Set<Socket>();
  const hold = (target: string, localAddress: string): void => {
    if (isOver) return;
    const { hostname, port } = new URL(target);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    sockets.add(socket);
    socket.on("error", () => {}).on("connect", () => void socket.write("POST / HTTP/1.1\r\n"));
    socket.on("close", () => {
      sockets.delete(socket);
      setTimeout(() => hold(target, localAddress), 100);
    });
  };
  onTestFinished(() => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  });
  for (let at = 0; at < 800; at++) {
    hold(url, `127.0.0.${2 + (at % 8)}`);
    if (at % 4 === 0) hold(internalUrl, "127.0.0.2");
  }

  const until = Date.now() + 4000;
  while (Date.now() < until) {
    await takeIn();
    expect(await listEvents()).toBe(200);
    expect((await fetch(`${internalUrl}/readyz`)).status).toBe(200);
  }
  const metrics = await (await fetch(`${internalUrl}/metrics`)).text();
  expect(metrics).toMatch(/media_public_connections_closed_total\{limit="all"\} \d/);
  expect(metrics).toMatch(/media_internal_connections_closed_total\{limit="all"\} \d/);

  isOver = true;
  for (const socket of sockets) socket.destroy();
  await takeIn();
  expect(await listEvents()).toBe(200);
  expect(await end()).toEqual([0, null]);
  expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  // One line a minute for each listener.
  expect(lines.filter((line) => line.includes("connections over the limit"))).toHaveLength(2);
});

it("a program with too low a limit of open files says how to raise it, and exits", async () => {
  const bot = main.replace("/service/", "/bot/");
  for (const program of [main, bot]) {
    const command = `ulimit -n 256; exec "$0" "$@"`;
    await expect(run("sh", ["-c", command, process.execPath, program, "--help"])).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^This process may have only 256 files .* at least 512\. .*LimitNOFILE=4096/),
    });
  }
});
