import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { allow, startReceiver } from "./test/receiver.js";

it("the program stops at once on a second Ctrl-C", async () => {
  const receiver = await startReceiver((one) => (one.body.type === "connection.destroyed" ? "silence" : allow(one)));
  onTestFinished(() => receiver.close());
  const main = new URL("../dist/main.js", import.meta.url).pathname;
  const options = ["--intake", new URL(receiver.url).origin, "--key", "mi_verySecret", "--connections", "2"];
  const child = spawn(process.execPath, [main, ...options], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  await expect.poll(() => receiver.ofType("connection.created").length, { timeout: 10_000 }).toBe(2);
  child.kill("SIGINT");
  await expect.poll(() => receiver.ofType("connection.destroyed").length).toBeGreaterThan(0);
  child.kill("SIGINT");
  expect((await ended)[0]).toBe(130);
});
