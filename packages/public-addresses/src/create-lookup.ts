import type { LookupAddress, LookupAllOptions } from "node:dns";
import type { LookupFunction } from "node:net";
import { isPublicAddress } from "./is-public.js";

/** Finds all addresses of a name, as `dns.lookup` does: at least one, unless it fails. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The name leads to private addresses only, and nothing may go there. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
}

/** A `lookup` for sockets, by another way to find the addresses of a name. */
export function createLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (!first) callback(Object.assign(new Error(`${hostname} has no address.`), { code: "ENOTFOUND" }), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * A `lookup` for sockets that gives the public addresses of a name, and fails with a {@link PrivateAddressError} where
 * there are none. The socket connects to what was looked at here; a check before it would look up the name a second
 * time, and its owner could answer otherwise (DNS rebinding).
 *
 * @param explain What the error says of a name. Whither the name leads is not told: nobody is to learn by it how the
 *   own network is numbered.
 */
export function createPublicLookup(resolve: Resolve, explain: (hostname: string) => string): LookupFunction {
  return createLookup((hostname, options, callback) => {
    resolve(hostname, options, (error, addresses) => {
      if (error) return callback(error, []);
      const allowed = addresses.filter(({ address }) => isPublicAddress(address));
      callback(allowed.length > 0 ? null : new PrivateAddressError(explain(hostname)), allowed);
    });
  });
}
