import { createConnection } from "node:net";
import { expect, it } from "vitest";
import { freePort, serveHttp } from "./servers.js";

it("a free port can be listened at, and is not offered again", async () => {
  const port = await freePort();
  const { url, close } = await serveHttp((_, response) => response.end("here"), port);
  expect(await (await fetch(url)).text()).toBe("here");
  await close();
  const others = await Promise.all(Array.from({ length: 100 }, freePort));
  expect(new Set([port, ...others]).size).toBe(101);
});

it("a port that is taken is not offered", async () => {
  const port = await freePort();
  const { close } = await serveHttp(() => {}, port + 1);
  expect(await freePort()).toBeGreaterThan(port + 1);
  await close();
});

it("no outgoing connection takes a free port", async () => {
  const { port, close } = await serveHttp(() => {});
  const connection = createConnection(port, "127.0.0.1");
  await new Promise((resolve) => connection.once("connect", resolve));
  const free = await Promise.all(Array.from({ length: 20 }, freePort));
  expect(Math.max(...free)).toBeLessThan(connection.localPort ?? 0);
  connection.destroy();
  await close();
});
