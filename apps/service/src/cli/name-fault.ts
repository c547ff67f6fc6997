import { isIP } from "node:net";
import { type AddressOptions, webhookLookup } from "../webhooks/address.js";

/**
 * What is wrong with where the name in an address leads to now: a `PrivateAddressError`, or why it could not be
 * looked up. Undefined where nothing is. Each webhook looks the name up again.
 */
export function nameFault(url: string, options: AddressOptions): Promise<Error | undefined> {
  const { hostname } = new URL(url);
  return new Promise((resolve) => {
    if (isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0) return resolve(undefined);
    webhookLookup(options)(hostname, { all: true }, (error) => resolve(error ?? undefined));
  });
}
