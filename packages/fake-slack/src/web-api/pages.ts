import type { Json } from "../world/model.js";
import { textArg } from "./arguments.js";
import { Refusal } from "./refusal.js";

/** A part of a list, and where the next part begins: an empty cursor where there is none. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly response_metadata: { readonly next_cursor: string };
}

const PREFIX = "from:";

/** By `cursor` and `limit`, as all lists of the Web API. */
export function pageOf<Item>(all: readonly Item[], args: Json, defaultLimit = 100): Page<Item> {
  const limit = Number(textArg(args, "limit") ?? defaultLimit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new Refusal("invalid_limit");
  const start = startOf(textArg(args, "cursor"));
  const end = start + limit;
  const hasMore = end < all.length;
  return {
    items: all.slice(start, end),
    hasMore,
    response_metadata: { next_cursor: hasMore ? Buffer.from(`${PREFIX}${end}`).toString("base64") : "" },
  };
}

function startOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const text = Buffer.from(cursor, "base64").toString();
  const start = Number(text.slice(PREFIX.length));
  if (!text.startsWith(PREFIX) || !Number.isInteger(start)) throw new Refusal("invalid_cursor");
  return start;
}
