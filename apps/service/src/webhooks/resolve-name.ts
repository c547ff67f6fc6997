import { type LookupAddress, lookup, promises } from "node:dns";
import type { Resolve } from "./address.js";

// A name server that says nothing is given up well before whoever waits is.
const SERVER_TIMEOUT_MS = 2000;
const TRIES = 2;

/**
 * Finds the addresses of a name by asking the name servers itself. `dns.lookup` does so in one of the few threads that
 * the whole process has, for as long as it takes: two names whose server says nothing would hold up all the others. It
 * is asked only for what the name servers do not know, such as what stands in /etc/hosts. Many who ask at once for one
 * name share the answer.
 */
export function createResolve(): Resolve {
  const resolver = new promises.Resolver({ timeout: SERVER_TIMEOUT_MS, tries: TRIES });
  const asked = new Map<string, Promise<LookupAddress[]>>();
  return (hostname, _, callback) => {
    let answer = asked.get(hostname);
    if (!answer) {
      answer = addressesOf(hostname, resolver).finally(() => asked.delete(hostname));
      asked.set(hostname, answer);
    }
    answer.then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, []),
    );
  };
}

async function addressesOf(hostname: string, resolver: promises.Resolver): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = [
    ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length > 0) return found;
  const reason: unknown = four.status === "rejected" ? four.reason : undefined;
  if (isUnknown(reason)) return lookedUp(hostname);
  throw reason;
}

/** Whether the name servers do not know the name, or there are none. Where they say nothing, no other way is faster. */
function isUnknown(reason: unknown): boolean {
  return (
    reason instanceof Error && "code" in reason && /^(?:ENOTFOUND|ENODATA|ECONNREFUSED)$/.test(String(reason.code))
  );
}

function lookedUp(hostname: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}
