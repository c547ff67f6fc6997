import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { anyPorts, choosePorts } from "./ports.js";

// IPv6 is not available on every machine.
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === "::1");

/** Occupies a port until it is freed. */
async function takeAny(host = "127.0.0.1"): Promise<{ port: number; free: () => Promise<unknown> }> {
  const server = createServer();
  await once(server.listen(0, host), "listening");
  const free = (): Promise<unknown> => once(server.close(), "close");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, free };
}

it("uses the preferred ports if they are free", async () => {
  const { port, free } = await takeAny();
  await free();
  const taken: string[] = [];
  const ports = await choosePorts({ ...anyPorts, page: port }, (one) => taken.push(one));
  expect(ports.page).toBe(port);
  expect(new Set(Object.values(ports)).size).toBe(7);
  expect(taken).toEqual([]);
});

// A browser that opens "localhost" must not reach a different server.
it.each(["127.0.0.1", "0.0.0.0", ...(hasIpv6 ? ["::1", "::"] : [])])(
  "uses another port if a server listens at %s, and reports it",
  async (host) => {
    const { port: wanted } = await takeAny(host);
    const taken: string[] = [];
    const { page } = await choosePorts({ ...anyPorts, page: wanted }, (one) => taken.push(one));
    expect(page).not.toBe(wanted);
    expect(taken).toEqual([`${wanted} is taken; the page is at ${page}.`]);
  },
);

it("never uses the same port for two listeners, even if both prefer it", async () => {
  const { port: wanted, free } = await takeAny();
  await free();
  const taken: string[] = [];
  const { page, service } = await choosePorts({ ...anyPorts, page: wanted, service: wanted }, (one) => taken.push(one));
  expect(page).toBe(wanted);
  expect(taken).toEqual([`${wanted} is taken; the service is at ${service}.`]);
});
