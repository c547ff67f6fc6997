// What is left out on purpose: a fetch. What carries the requests is up to whoever sends them.
export { createLookup, createPublicLookup, PrivateAddressError, type Resolve } from "./create-lookup.js";
export { createResolve, type ResolveOptions } from "./create-resolve.js";
export { isPrivateHost, isPublicAddress } from "./is-public.js";
