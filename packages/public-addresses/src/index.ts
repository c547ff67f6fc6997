export { isPrivateHost, isPublicAddress, networkOf } from "./is-public.js";
export { createLookup, createPublicLookup, createResolve, PrivateAddressError, type Resolve } from "./lookup.js";
