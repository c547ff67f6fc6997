import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { collectBody } from "./collect-body.js";

/** Hands over a body that arrives in these chunks. */
function arrive(chunks: readonly Buffer[]): Promise<Buffer> {
  return new Promise((done) => {
    const request = new IncomingMessage(new Socket());
    request.headers = { "content-length": String(chunks.reduce((sum, { length }) => sum + length, 0)) };
    collectBody(request, done);
    for (const chunk of chunks) request.push(chunk);
    request.push(null);
  });
}

const bytes = (text: string): Buffer[] => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

it.each([
  ["in one chunk", [Buffer.from("abc")]],
  ["byte by byte", bytes("abc")],
  ["in a large chunk and a small one", [Buffer.from("ab"), Buffer.from("c")]],
])("a body that arrives %s is handed over whole", async (_, chunks) => {
  expect((await arrive(chunks)).toString()).toBe("abc");
});

it("a body without bytes is handed over as such", async () => {
  expect(await arrive([])).toHaveLength(0);
});

it("256 KiB that arrive byte by byte cost as much in one body as in 256 bodies", async () => {
  const [bodies, size] = [256, 1024];
  const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const ratios: number[] = [];
  for (let round = 0; round < 3; round++) {
    const small = bytes("x".repeat(size));
    const large = bytes("x".repeat(bodies * size));
    const inMany = await cpuOf(() => Promise.all(Array.from({ length: bodies }, () => arrive(small))));
    ratios.push((await cpuOf(() => arrive(large))) / inMany);
  }
  // Were what has arrived copied with each byte, it would be more than ten times as much.
  expect(Math.min(...ratios)).toBeLessThan(4);
});
