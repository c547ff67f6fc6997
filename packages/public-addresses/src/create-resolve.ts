import { type LookupAddress, lookup, promises } from "node:dns";
import type { Resolve } from "./create-lookup.js";

// A name server that says nothing is given up well before whoever waits is.
const SERVER_TIMEOUT_MS = 1500;
const TRIES = 2;

/** Options of {@link createResolve}. */
export interface ResolveOptions {
  /** The name servers to ask. @default the system's */
  readonly servers?: readonly string[];
  /** How long the first try may take; the second may take twice as long. @default 1500 */
  readonly timeoutMs?: number;
  /** Asked for what the name servers do not know. @default dns.lookup */
  readonly fallback?: Resolve;
}

/**
 * Finds the addresses of a name by asking the name servers itself. `dns.lookup` does so in one of the few threads that
 * the whole process has, for as long as it takes: names whose server says nothing would hold up all the others. It is
 * asked only for what the name servers do not know, such as what stands in /etc/hosts. Many who ask at once for one
 * name share the answer.
 */
export function createResolve(options: ResolveOptions = {}): Resolve {
  const { servers, timeoutMs = SERVER_TIMEOUT_MS, fallback = lookup } = options;
  const resolver = new promises.Resolver({ timeout: timeoutMs, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const asked = new Map<string, Promise<LookupAddress[]>>();
  return (hostname, _, callback) => {
    let answer = asked.get(hostname);
    if (!answer) {
      answer = addressesOf(hostname, resolver, fallback).finally(() => asked.delete(hostname));
      asked.set(hostname, answer);
    }
    answer.then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, []),
    );
  };
}

async function addressesOf(hostname: string, resolver: promises.Resolver, fallback: Resolve): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length > 0) return found;
  for (const answer of [four, six]) {
    if (answer.status === "rejected" && !isUnknown(answer.reason)) throw answer.reason;
  }
  return inTurn(() => askFallback(hostname, fallback));
}

/** Whether the name servers do not know the name, or there are none. Where they say nothing, no other way is faster. */
function isUnknown(reason: unknown): boolean {
  return (
    reason instanceof Error && "code" in reason && /^(?:ENOTFOUND|ENODATA|ECONNREFUSED)$/.test(String(reason.code))
  );
}

const askFallback = (hostname: string, fallback: Resolve): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) => {
    fallback(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });

let last: Promise<unknown> = Promise.resolve();

/** One at a time in the whole process: a name server may fall silent after its first answer, and holds one thread then. */
function inTurn<T>(task: () => Promise<T>): Promise<T> {
  const turn = last.then(task);
  last = turn.catch(() => {});
  return turn;
}
