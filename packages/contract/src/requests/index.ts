export { requests, schemas } from "../generated/requests.js";
export type { Schema } from "../schema.js";
