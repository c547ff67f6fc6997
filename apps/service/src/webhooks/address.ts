import type { LookupFunction } from "node:net";
import {
  createLookup,
  createPublicLookup,
  createResolve,
  isPrivateHost,
  type Resolve,
} from "@media-ops/public-addresses";

/** Which addresses webhooks may go to. */
export interface AddressOptions {
  /** Whether addresses inside the operator's own network are allowed (MEDIA_ALLOW_PRIVATE_WEBHOOKS). */
  allowPrivate: boolean;
}

// What every common server and proxy lets through.
const MAX_LENGTH = 2048;

/** What is wrong with an address that webhooks are to go to, as a sentence; undefined where nothing is. */
export function webhookAddressFault(text: string, { allowPrivate }: AddressOptions): string | undefined {
  if (text.length > MAX_LENGTH) return `An address has at most ${MAX_LENGTH} characters. Give a shorter one.`;
  if (!URL.canParse(text)) return "This is no address. Give one such as https://example.com/webhooks.";
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") {
    return "Webhooks go to an address that begins with https:// or http://. Give such a one.";
  }
  // The URL parser would drop or encode them, and what is called would not be what was given.
  if (/[\s\p{Cc}]/u.test(text)) return "The address holds a space or a control character. Take it out.";
  if (username !== "" || password !== "") {
    return "The address holds a user name or a password. Leave them out: the signature tells who sends a webhook.";
  }
  if (text.includes("#")) return "The address holds a #, and what follows it is never sent. Leave it out.";
  if (!allowPrivate && isPrivateHost(hostname)) {
    return "The address is private, and webhooks go to public ones only. Give a public one, or set MEDIA_ALLOW_PRIVATE_WEBHOOKS=true.";
  }
  return undefined;
}

/** A `lookup` for the sockets of webhooks: it gives no address that they may not go to. */
export function webhookLookup({ allowPrivate }: AddressOptions, resolve: Resolve = createResolve()): LookupFunction {
  return allowPrivate ? createLookup(resolve) : createPublicLookup(resolve, leadsInside);
}

const leadsInside = (host: string): string =>
  `Webhooks go to public addresses only, and ${host} leads to none. Set MEDIA_ALLOW_PRIVATE_WEBHOOKS=true to allow private ones.`;
