import { fieldsOf, isListOf, type MediaResponse } from "../answer.js";
import { MAX_ENTRIES, type OperationPath, timeFields } from "../operations.js";
import { type CallOptions, check, checkCount, checkRequest } from "../options.js";
import { timeKey } from "../time.js";
import { type MediaPromise, type Send, toMediaPromise } from "../transport.js";

/** Lists something that has pages, newest first. */
export interface ListPages<Request, Page, Item> {
  /** Lists a page. It has a `next_cursor` if there are more, and only the last one may be empty. */
  (request?: Request, options?: CallOptions): MediaPromise<Page>;
  /**
   * Walks all pages, each of at most `limit` items, 1000 by default. An abort is thrown, so that it can't be taken for
   * the end.
   */
  all(request?: Request, options?: CallOptions): AsyncGenerator<Item, void, undefined>;
}

/** What all requests with pages have in common. */
interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** How one operation lists its items. */
interface Listing<Page, Item> {
  path: OperationPath;
  /** Whether a body is a page. */
  isPage(body: unknown): body is Page;
  itemsOf(page: Page): readonly Item[];
}

/** Creates the listing of an operation. */
export function createList<Request extends PageRequest, Page extends { next_cursor?: string }, Item>(
  send: Send,
  { path, isPage, itemsOf }: Listing<Page, Item>,
): ListPages<Request, Page, Item> {
  async function list(request: PageRequest = {}, options: CallOptions = {}): Promise<MediaResponse<Page>> {
    let page = await sendRequest(send, path, isPage, request, options);
    // A service that looks for matches for long answers with what it has, which may be nothing yet.
    while (page.data.next_cursor && itemsOf(page.data).length === 0) {
      page = await sendRequest(send, path, isPage, { ...request, cursor: page.data.next_cursor }, options);
    }
    return page;
  }

  async function* all(request: PageRequest = {}, options: CallOptions = {}): AsyncGenerator<Item, void, undefined> {
    checkRequest(request);
    let { cursor, limit = MAX_ENTRIES } = request;
    do {
      const { data } = await list({ ...request, limit, cursor }, options);
      for (const item of itemsOf(data)) {
        options.signal?.throwIfAborted();
        yield item;
      }
      cursor = data.next_cursor;
    } while (cursor);
  }

  return Object.assign(
    (request?: Request, options?: CallOptions) => toMediaPromise<Page, MediaResponse<Page>>(list(request, options)),
    { all: (request?: Request, options?: CallOptions) => all(request, options) },
  );
}

/** Sends a request after it was validated, with its times as text. */
export async function sendRequest<T>(
  send: Send,
  path: OperationPath,
  isData: (body: unknown) => body is T,
  request: object,
  options: CallOptions,
): Promise<MediaResponse<T>> {
  checkRequest(request);
  const { limit = 1 }: PageRequest = request;
  checkCount("limit", limit, 1, MAX_ENTRIES);
  return send(path, isData, { ...request, ...timesOf(request) }, options);
}

/** The times of a request as text. */
function timesOf(request: { readonly [Field in (typeof timeFields)[number]]?: unknown }): Record<string, string> {
  const times: Record<string, string> = {};
  for (const field of timeFields) {
    const time = request[field];
    if (time === undefined) continue;
    const key = timeKey(time);
    check(key, `${field} must be an RFC 3339 time or a Date, not "${time}".`);
    times[field] = `${key}Z`;
  }
  return times;
}

/** Whether a body is a page of items that each have a certain text. */
export function isPageOf(body: unknown, items: string, text: string): boolean {
  const { [items]: list, next_cursor: cursor = "" } = fieldsOf(body);
  return typeof cursor === "string" && isListOf(list, (item) => typeof fieldsOf(item)[text] === "string");
}
