import { createSocket } from "node:dgram";
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import type { LookupFunction } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLookup, createPublicLookup, createResolve, PrivateAddressError, type Resolve } from "./index.js";

const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const v6 = (address: string): LookupAddress => ({ address, family: 6 });
const leadingTo =
  (...addresses: LookupAddress[]): Resolve =>
  async () =>
    addresses;
const explain = (hostname: string): string => `${hostname} is inside.`;

const look = (lookup: LookupFunction, all: boolean): Promise<{ error: unknown; found: unknown[] }> =>
  new Promise((done) => lookup("hooks.example", { all }, (error, ...found) => done({ error, found })));

describe("a lookup", () => {
  it("returns every address, or the first", async () => {
    const lookup = createLookup(leadingTo(v4("10.0.0.1"), v6("::1")));
    expect(await look(lookup, true)).toEqual({ error: null, found: [[v4("10.0.0.1"), v6("::1")]] });
    expect(await look(lookup, false)).toEqual({ error: null, found: ["10.0.0.1", 4] });
  });

  it.each([true, false])("fails if there is no address (all: %s)", async (all) => {
    expect((await look(createLookup(leadingTo()), all)).error).toMatchObject({ code: "ENOTFOUND" });
  });
});

describe("a public lookup", () => {
  it("returns only the public addresses", async () => {
    const resolve = leadingTo(v4("10.0.0.1"), v6("2606:4700::1111"), v6("::1"), v4("8.8.8.8"));
    const lookup = createPublicLookup(resolve, explain);
    expect(await look(lookup, true)).toEqual({ error: null, found: [[v6("2606:4700::1111"), v4("8.8.8.8")]] });
    expect(await look(lookup, false)).toEqual({ error: null, found: ["2606:4700::1111", 6] });
  });

  it.each([true, false])("fails with the given message if none is public (all: %s)", async (all) => {
    const resolve = leadingTo(v4("127.0.0.1"), v6("fd00::1"), v6("::ffff:10.0.0.1"));
    const { error, found } = await look(createPublicLookup(resolve, explain), all);
    expect(error).toBeInstanceOf(PrivateAddressError);
    // Nothing else: the error must not reveal the addresses of the private network.
    expect(String(error)).toBe("PrivateAddressError: hooks.example is inside.");
    expect(found).toEqual([[]]);
  });

  it("fails like the resolver, and passes its options on", async () => {
    const failure = new Error("no such name");
    const asked: unknown[] = [];
    const resolve: Resolve = async (hostname, options) => {
      asked.push(hostname, options);
      throw failure;
    };
    const lookup = createPublicLookup(resolve, explain);
    expect(await new Promise((done) => lookup("hooks.example", { family: 6 }, done))).toBe(failure);
    expect(asked).toEqual(["hooks.example", { family: 6, all: true }]);
  });

  it("never returns private addresses from this machine's hosts file", async () => {
    const lookup = createPublicLookup(createResolve(), explain);
    expect(await new Promise((done) => lookup("localhost", { all: true }, done))).toBeInstanceOf(PrivateAddressError);
  });
});

const A = 1;
const AAAA = 28;
const RESPONSE = 0x8180;
const NO_SUCH_NAME = 0x8183;

interface NameServer {
  readonly servers: readonly string[];
  /** The type of each query. */
  readonly asked: number[];
}

/** A name server that only knows `media.example` and its IPv4 address 192.0.2.7. */
async function nameServer({ silentFor = [] }: { silentFor?: readonly number[] } = {}): Promise<NameServer> {
  const asked: number[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const answer = Buffer.from(query);
    const name = query.toString("latin1", 12);
    const type = query.readUInt16BE(query.indexOf(0, 12) + 1);
    asked.push(type);
    if (silentFor.includes(type)) return;
    const end = query.indexOf(0, 12) + 5;
    const knows = name.startsWith("\x05media\x07example\0");
    answer.writeUInt16BE(knows ? RESPONSE : NO_SUCH_NAME, 2);
    answer.writeUInt16BE(knows && type === A ? 1 : 0, 6);
    answer.writeUInt16BE(0, 10);
    // The name of the query, type A, class IN, a minute, four bytes.
    const record = Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
    const parts = [answer.subarray(0, end), ...(knows && type === A ? [record] : [])];
    socket.send(Buffer.concat(parts), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => void socket.close());
  return { servers: [`127.0.0.1:${socket.address().port}`], asked };
}

const find = (resolve: Resolve, name: string) => resolve(name, { all: true }).catch((error: unknown) => error);

const inside: LookupAddress[] = [{ address: "10.0.0.1", family: 4 }];
const knowing = (addresses: LookupAddress[]) => vi.fn<Resolve>(async () => addresses);

describe("the name servers", () => {
  it("are queried for addresses of both kinds, once for concurrent requests", async () => {
    const { servers, asked } = await nameServer();
    const fallback = knowing(inside);
    const resolve = createResolve({ servers, fallback });
    const known = [{ address: "192.0.2.7", family: 4 }];
    expect(await Promise.all([find(resolve, "media.example"), find(resolve, "media.example")])).toEqual([known, known]);
    expect(asked.sort()).toEqual([A, AAAA]);
    expect(await find(resolve, "media.example")).toEqual(known);
    expect(asked).toHaveLength(4);
    expect(fallback).not.toHaveBeenCalled();
  });

  it.each([
    ["nothing", [A, AAAA]],
    ["nothing of one kind of address", [AAAA]],
  ])("time out if they answer %s, without the fallback, which would block a thread", async (_, silentFor) => {
    const { servers } = await nameServer({ silentFor });
    const fallback = knowing(inside);
    const resolve = createResolve({ servers, timeoutMs: 20, fallback });
    expect(await find(resolve, "other.example")).toMatchObject({ code: "ETIMEOUT" });
    expect(fallback).not.toHaveBeenCalled();
  });
});

describe("a name that the name servers do not know", () => {
  it("is resolved if this machine knows it", async () => {
    const loopback = expect.arrayContaining([{ address: "127.0.0.1", family: 4 }]);
    expect(await find(createResolve(await nameServer()), "localhost")).toEqual(loopback);
  });

  it("is resolved by the system if there are no name servers", async () => {
    const gone = createSocket("udp4").bind(0, "127.0.0.1");
    await once(gone, "listening");
    const servers = [`127.0.0.1:${gone.address().port}`];
    gone.close();
    await once(gone, "close");
    expect(await find(createResolve({ servers, fallback: knowing(inside) }), "media.example")).toEqual(inside);
  });

  it("fails with the system's error", async () => {
    const failure = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    const fallback: Resolve = () => Promise.reject(failure);
    expect(await find(createResolve({ ...(await nameServer()), fallback }), "other.example")).toBe(failure);
  });

  it("blocks at most one thread: the system resolves one name at a time, in the whole process", async () => {
    const { servers } = await nameServer();
    const waiting: (() => void)[] = [];
    const fallback = vi.fn<Resolve>(() => new Promise((done) => waiting.push(() => done(inside))));
    const answers = ["a.example", "b.example"].map((name) => find(createResolve({ servers, fallback }), name));
    await expect.poll(() => fallback).toHaveBeenCalledTimes(1);
    // By now the name servers have answered the other query, too.
    await find(createResolve({ servers, fallback: knowing(inside) }), "media.example");
    expect(fallback).toHaveBeenCalledTimes(1);
    waiting.shift()?.();
    await expect.poll(() => fallback).toHaveBeenCalledTimes(2);
    waiting.shift()?.();
    expect(await Promise.all(answers)).toEqual([inside, inside]);
  });
});
