import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startWindowStage } from "../test/window.js";

it("a window that reads slowly receives the latest state, without every intermediate change", {
  timeout: 120_000,
}, async () => {
  const { call, ann, general, window } = await startWindowStage();
  const socket = connect(Number(new URL(window.url).port), "127.0.0.1").pause();
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  const { host } = new URL(window.url);
  socket.write(`GET /api/window?person=${ann.id} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  const { ts } = await call("chat.postMessage", { channel: general.id, text: "0." });
  // More than the socket buffers on both sides hold.
  const updates = 300;
  for (let count = 1; count <= updates; count += 1) {
    await call("chat.update", { channel: general.id, ts, text: `${count}.${"x".repeat(35_000)}` });
  }
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString();
  });
  socket.resume();
  await expect.poll(() => received.includes(`"text":"${updates}.`)).toBe(true);
  expect(received.split("event: message").length).toBeLessThan(updates / 2);
});
