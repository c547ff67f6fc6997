// What is left out on purpose: the rules and limits one by one. Whoever wants to know whether blocks are right asks.
export { type BlocksAnswer, type BlocksError, type BlocksRefusal, checkBlocks } from "./block-kit/check-blocks.js";
export type { Surface } from "./block-kit/place.js";
