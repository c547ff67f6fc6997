import { isIP, type LookupFunction } from "node:net";
import {
  createLookup,
  createPublicLookup,
  createResolve,
  isPrivateHost,
  type Resolve,
} from "@media-ops/public-addresses";

/** Which addresses webhooks may be sent to. */
export interface AddressOptions {
  /** Whether addresses in the operator's own network are allowed (MEDIA_ALLOW_PRIVATE_WEBHOOKS). */
  allowPrivate: boolean;
}

// All common servers and proxies accept this length.
const MAX_LENGTH = 2048;

/** The fault of a webhook address, as a sentence that does not repeat it; undefined if it is valid. */
export function webhookAddressFault(text: string, { allowPrivate }: AddressOptions): string | undefined {
  if (text.length > MAX_LENGTH)
    return `The address must have at most ${MAX_LENGTH} characters, but has ${text.length}.`;
  if (!URL.canParse(text)) return "Invalid address: must be a URL such as https://example.com/webhooks.";
  const { protocol, username, password, hostname } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") {
    return `Invalid address: must start with https:// or http://, but starts with ${protocol}`;
  }
  // The URL parser would drop or encode them, so that another address would be called.
  if (/[\s\p{Cc}]/u.test(text)) return "The address contains a space or a control character. Remove it.";
  if (username !== "" || password !== "") {
    return "The address contains a user name or a password. Remove them: the signature proves who sent a webhook.";
  }
  if (text.includes("#")) return "The address contains a #, and the part after it is never sent. Remove it.";
  if (!allowPrivate && isPrivateHost(hostname)) {
    return "The address is private. Use a public one, or set MEDIA_ALLOW_PRIVATE_WEBHOOKS=true.";
  }
  return undefined;
}

/** A `lookup` for the sockets of webhooks, which returns only allowed addresses. */
export function webhookLookup({ allowPrivate }: AddressOptions, resolve: Resolve = createResolve()): LookupFunction {
  return allowPrivate ? createLookup(resolve) : createPublicLookup(resolve, privateName);
}

const privateName = (host: string): string =>
  `${host} has no public address. Set MEDIA_ALLOW_PRIVATE_WEBHOOKS=true to allow private ones.`;

/** The fault of a URL's host name: a `PrivateAddressError`, or why the lookup failed. */
export async function hostFault(url: string, options: AddressOptions, resolve?: Resolve): Promise<Error | undefined> {
  const { hostname } = new URL(url);
  if (isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0) return undefined;
  return new Promise((done) => {
    webhookLookup(options, resolve)(hostname, { all: true }, (error) => done(error ?? undefined));
  });
}
