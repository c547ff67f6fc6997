import {
  createPublicLookup,
  createResolve,
  isPrivateHost,
  PrivateAddressError,
  type Resolve,
} from "@media-ops/public-addresses";
import type { Fetch } from "@media-ops/sdk";
import { Agent, type Dispatcher, fetch as send } from "undici";

// All common servers and proxies accept a URL of this length.
const MAX_LENGTH = 2048;

/** The fault of a service's address, in a sentence that doesn't quote it; undefined if it is valid. */
export function addressFault(url: string, allowPrivate: boolean): string | undefined {
  if (url.length > MAX_LENGTH) return `An address has at most ${MAX_LENGTH} characters.`;
  // The URL parser would drop or encode these characters, so the bot would call a different address.
  if (/[\s\p{Cc}]/u.test(url)) return "The address contains a space or a control character. Remove it.";
  if (!URL.canParse(url)) return "Invalid URL. Enter one such as https://media.example.";
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return "The address must begin with https:// or http://.";
  if (username !== "" || password !== "") return "The address contains a user name or a password. Remove them.";
  if (/[?#]/.test(url)) return "The address contains a ? or a #. Remove it and what follows.";
  if (allowPrivate) return undefined;
  if (isPrivateHost(hostname)) return "The address is private. The bot's operator allows only public ones.";
  return protocol === "https:"
    ? undefined
    : "The address must begin with https://, because requests carry the API key.";
}

/** The fault of a URL that messages are posted to, which may have a query; undefined if it is valid. */
export function targetFault(url: string, allowPrivate: boolean): string | undefined {
  const [bare = "", ...query] = url.split("?");
  if (query.length > 0 && url.includes("#")) return "The address contains a #. Remove it and what follows.";
  // A pager's own key is in its URL, so the rule for services holds for it, too.
  return addressFault(bare, allowPrivate)?.replace("requests carry the API key", "the messages are meant for it alone");
}

interface FetchOptions {
  /** Resolves a host name. @default a DNS query */
  readonly resolve?: Resolve;
  /** Sends the requests. @default connects to public addresses only */
  readonly dispatcher?: Dispatcher;
}

/** Creates a fetch that connects only to public addresses and follows no redirects; undefined if all are allowed. */
export function createFetch(allowPrivate: boolean, options: FetchOptions = {}): Fetch | undefined {
  if (allowPrivate) return undefined;
  const { resolve = createResolve() } = options;
  const { dispatcher = new Agent({ connect: { lookup: createPublicLookup(resolve, leadsInside) } }) } = options;
  return async (input, init) => {
    // undici's fetch doesn't accept Node's `Request`, so it receives the parts.
    const request = new Request(input, init);
    const { url, method } = request;
    const { hostname } = new URL(url);
    // An IP address needs no lookup, so it is checked here.
    if (isPrivateHost(hostname)) throw new PrivateAddressError(leadsInside(hostname));
    const headers = [...request.headers];
    const body = request.body && (await request.text());
    // A request's own signal stops working after the request is garbage collected.
    const signal = init?.signal ?? request.signal;
    return send(url, { method, headers, body, signal, redirect: "manual", dispatcher });
  };
}

const leadsInside = (host: string): string =>
  `${host} has no public address. The bot's operator allows only public ones.`;
