import type { ApiKey } from "../keys/api-keys.js";

interface CallGroup<Entry> {
  readonly projectId: string;
  readonly minute: number;
  readonly details: Map<string, { count: number; last?: Entry }>;
}

const MINUTE_MS = 60_000;
// A key has a few dozen groups at most, of some 500 bytes each.
const MAX_GROUPS = 10_000;
// A detail may contain what the caller has sent, and differ each time: then the other calls share one entry.
const MAX_DETAILS = 10;

/** Limits what refused calls add to a log: after the first of a minute, those alike share an entry with a count. */
export class RefusedCalls<Entry extends object, Written = void> {
  readonly #write: (projectId: string, entry: Entry & { count?: number }) => Written;
  readonly #now: () => number;
  readonly #groups = new Map<string, CallGroup<Entry>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (projectId: string, entry: Entry & { count?: number }) => Written, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  /** Records a call. Returns what `write` returns if it is the first one, which has an entry of its own. */
  add(
    { projectId, keyId }: Pick<ApiKey, "projectId" | "keyId">,
    { kind, detail = "" }: { kind: string; detail?: string | undefined },
    entry: Entry,
    first: () => Entry = () => entry,
  ): Written | undefined {
    const now = this.#now();
    const minute = Math.floor(now / MINUTE_MS);
    const id = `${keyId} ${kind}`;
    if (this.#groups.get(id)?.minute !== minute) this.#end(id);
    const [oldest] = this.#groups.size < MAX_GROUPS ? [] : this.#groups.keys();
    if (oldest !== undefined && !this.#groups.has(id)) this.#end(oldest);
    const { details } = this.#groups.get(id) ?? { details: new Map() };
    this.#groups.set(id, { projectId, minute, details });
    const name = details.size < MAX_DETAILS || details.has(detail) ? detail : "";
    const shared = details.get(name);
    details.set(name, shared ? { count: shared.count + 1, last: entry } : { count: 0 });
    if (shared) return undefined;
    this.#timer ??= setTimeout(() => this.flush(), MINUTE_MS - (now % MINUTE_MS)).unref();
    return this.#write(projectId, first());
  }

  flush(): Written[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return [...this.#groups.keys()].flatMap((id) => this.#end(id));
  }

  #end(id: string): Written[] {
    const { projectId = "", details = new Map() } = this.#groups.get(id) ?? {};
    this.#groups.delete(id);
    return [...details.values()].flatMap(({ count, last }) =>
      last === undefined ? [] : [this.#write(projectId, count > 1 ? { ...last, count } : last)],
    );
  }
}
