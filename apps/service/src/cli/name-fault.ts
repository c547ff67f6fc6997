import { isIP } from "node:net";
import { type AddressOptions, createLookup, createPublicLookup } from "../webhooks/address.js";
import { createResolve } from "../webhooks/resolve-name.js";

/**
 * What is wrong with where the name in an address leads to now: a {@link PrivateAddressError}, or why it could not be
 * looked up. Undefined where nothing is. Each webhook looks the name up again.
 */
export function nameFault(url: string, { allowPrivate }: AddressOptions): Promise<Error | undefined> {
  const { hostname } = new URL(url);
  return new Promise((resolve) => {
    if (isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0) return resolve(undefined);
    const find = (allowPrivate ? createLookup : createPublicLookup)(createResolve());
    find(hostname, { all: true }, (error) => resolve(error ?? undefined));
  });
}
