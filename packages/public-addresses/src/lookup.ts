import type { LookupAddress, LookupAllOptions } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "./is-public.js";

/** Finds all addresses of a name, as `dns.lookup` does: at least one, unless it fails. */
export type Resolve = (hostname: string, options: LookupAllOptions) => Promise<LookupAddress[]>;

/** The error for a name with only private addresses, which are not allowed. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
}

/** A `lookup` for sockets that finds addresses with a {@link Resolve}. */
export function createLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(Object.assign(new Error(`${hostname} has no address.`), { code: "ENOTFOUND" }), []);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

/**
 * A `lookup` for sockets that returns only the public addresses of a name, and fails with a {@link PrivateAddressError}
 * if there are none. A separate check would look the name up a second time, and its owner could answer differently (DNS
 * rebinding). The message that `explain` returns must not reveal the private network.
 */
export function createPublicLookup(resolve: Resolve, explain: (hostname: string) => string): LookupFunction {
  return createLookup(async (hostname, options) => {
    const allowed = (await resolve(hostname, options)).filter(({ address }) => isPublicAddress(address));
    if (allowed.length === 0) throw new PrivateAddressError(explain(hostname));
    return allowed;
  });
}

// A silent name server times out well before the request does.
const SERVER_TIMEOUT_MS = 1500;
const TRIES = 2;

interface ResolveOptions {
  /** The name servers to query. @default the system's */
  readonly servers?: readonly string[];
  /** The timeout of the first attempt; the second may take twice as long. @default 1500 */
  readonly timeoutMs?: number;
  /** Used for names that the name servers do not know. @default dns.lookup */
  readonly fallback?: Resolve;
}

/**
 * Resolves names by querying the name servers. `dns.lookup` blocks one of the few threads of the process until it has
 * an answer, so it is used only for names that they do not know, such as those in /etc/hosts. Concurrent requests for a
 * name share one query.
 */
export function createResolve(options: ResolveOptions = {}): Resolve {
  const { servers, timeoutMs = SERVER_TIMEOUT_MS, fallback = lookup } = options;
  const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const pending = new Map<string, Promise<LookupAddress[]>>();
  return (hostname) => {
    let answer = pending.get(hostname);
    if (!answer) {
      answer = addressesOf(hostname, resolver, fallback).finally(() => pending.delete(hostname));
      pending.set(hostname, answer);
    }
    return answer;
  };
}

async function addressesOf(hostname: string, resolver: Resolver, fallback: Resolve): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length > 0) return found;
  for (const answer of [four, six]) {
    if (answer.status === "rejected" && !isUnknown(answer.reason)) throw answer.reason;
  }
  return inTurn(() => fallback(hostname, { all: true }));
}

/** Whether the name servers do not know the name, or there are none. If they are silent, the fallback would be too. */
function isUnknown(reason: unknown): boolean {
  return (
    reason instanceof Error && "code" in reason && /^(?:ENOTFOUND|ENODATA|ECONNREFUSED)$/.test(String(reason.code))
  );
}

let last: Promise<unknown> = Promise.resolve();

/** One at a time in the whole process, so that a silent name server blocks at most one thread. */
function inTurn<T>(task: () => Promise<T>): Promise<T> {
  const turn = last.then(task);
  last = turn.catch(() => {});
  return turn;
}
