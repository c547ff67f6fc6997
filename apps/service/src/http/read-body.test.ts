import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { collectBody } from "./operations.js";

const MAX_BYTES = 2 ** 20;

/** Collects a body that arrives in these chunks, with a content-length or without. */
function arrive(chunks: readonly Buffer[], isLengthKnown = true): Promise<Buffer> {
  const request = new IncomingMessage(new Socket());
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (isLengthKnown) request.headers = { "content-length": String(length) };
  const collected = collectBody(request, MAX_BYTES);
  for (const chunk of chunks) request.push(chunk);
  request.push(null);
  return collected;
}

const bytes = (text: string): Buffer[] => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

it.each([
  ["in one chunk", [Buffer.from("abc")]],
  ["byte by byte", bytes("abc")],
  ["in a large chunk and a small one", [Buffer.from("ab"), Buffer.from("c")]],
  ["in growing chunks", [Buffer.from("a"), Buffer.from("bc")]],
])("a body that arrives %s is collected whole", async (_, chunks) => {
  expect((await arrive(chunks)).toString()).toBe("abc");
  expect((await arrive(chunks, false)).toString()).toBe("abc");
});

it("128 KiB that arrive byte by byte cost as much in one body as in 128 bodies", async () => {
  const [bodies, size] = [128, 1024];
  const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const ratios: number[] = [];
  const small = bytes("x".repeat(size));
  const large = bytes("x".repeat(bodies * size));
  for (let round = 0; round < 2; round++) {
    const inMany = await cpuOf(() => Promise.all(Array.from({ length: bodies }, () => arrive(small))));
    for (const isLengthKnown of [true, false]) ratios.push((await cpuOf(() => arrive(large, isLengthKnown))) / inMany);
  }
  // If each byte copied all bytes before it, the cost would be more than tenfold.
  for (const at of [0, 1]) expect(Math.min(ratios[at] ?? 0, ratios[at + 2] ?? 0)).toBeLessThan(4);
});
