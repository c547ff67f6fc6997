import type { CountLogsRequest } from "@media-ops/contract";
import type { Logger } from "pino";
import { listAudit } from "../audit/audit.js";
import type { Config } from "../config/config.js";
import type { Clocks } from "../config/surroundings.js";
import { countWaiting, listDeliveries } from "../deliveries/find-deliveries.js";
import { type Answer, gzipBody, readyAnswer } from "../http/route.js";
import { LiveSeats } from "../live/live-seats.js";
import type { LogKind } from "../logs/log-store.js";
import { createReadMetrics } from "../metrics.js";
import { badInput, Refusal } from "../refusal.js";
import { InvalidSearch } from "../search/conditions.js";
import { Indexer, type IndexerOptions } from "../search/indexer.js";
import { LogSearch, type SearchBody, type SearchPage, TooManyFollowers } from "../search/search.js";
import { SegmentStore } from "../search/segment-store.js";
import { seatsOf } from "../tokens/disconnect.js";
import { type EndedTokens, listTokens, type TokenFilter, tokensEndedBy } from "../tokens/issued-tokens.js";
import { countRevocations, listRevocations, type RevocationSubject, storedRevocations } from "../tokens/revocations.js";
import { type ReadCaller, ReadLoad, type Work } from "./pace.js";

/** What reads need of the thread that runs them. */
export interface ReadParts extends Pick<IndexerOptions, "database" | "write">, Clocks {
  readonly config: Pick<Config, "searchesPerMinute">;
  readonly log: Logger;
}

type Accepts = string | string[] | undefined;

/** Everything that may take long: each read is bounded, and shares its thread fairly with those of other projects. */
export type Reads = ReturnType<typeof startReads>;

type ListOf<List extends (...parameters: never[]) => unknown> = Parameters<List>[2];

/** Starts the indexer, and what reads its segments and all lists. */
export function startReads({ database, write, config, log, now, elapsed }: ReadParts) {
  const { query } = database;
  const indexer = new Indexer({ database, write, log, now });
  const metrics = createReadMetrics(() => indexer.backlog);
  const rest = database.kind === "postgres";
  const load = new ReadLoad({ perMinute: config.searchesPerMinute, now, rest });
  const searches = new LogSearch({ reader: new SegmentStore(database), load, ended: metrics.searches, now });
  const live = new LiveSeats(database, { now, elapsed });

  const revocations = storedRevocations(query);

  const reading =
    <Asked, Result>(read: (work: Work, projectId: string, asked: Asked) => Promise<Result>) =>
    (caller: ReadCaller, asked: Asked): Promise<Result> =>
      load.run(caller, async (work) => {
        await work.pause();
        return read(work, caller.projectId, asked);
      });

  return {
    /** @throws {Refusal} if the body contradicts itself, or the key has made too many long searches. */
    async search(
      caller: ReadCaller,
      { kind, body, accepts }: { kind: LogKind; body: SearchBody; accepts: Accepts },
    ): Promise<Answer> {
      const page = await searches.search(caller, kind, body).catch(refuse);
      const answer = await textAnswer(`[${page.entries.join(",")}]`, accepts);
      return { ...answer, headers: { ...answer.headers, ...headersOf(page) }, isHeld: page.isHeld };
    },
    count: async (caller: ReadCaller, { body, accepts }: { body: CountLogsRequest; accepts: Accepts }) =>
      textAnswer(JSON.stringify(await searches.count(caller, body).catch(refuse)), accepts),
    live: reading(
      (_, projectId, { accepts, ...asked }: { channelId: string | undefined; limit: number; accepts: Accepts }) =>
        live.list({ projectId, ...asked }).then((channels) => textAnswer(JSON.stringify(channels), accepts)),
    ),
    tokens: reading((work, projectId, { filter, limit }: { filter: TokenFilter; limit: number }) =>
      listTokens({ query, work, revocations, projectId, now: now() }, filter, limit),
    ),
    endedTokens: reading((work, projectId, which: EndedTokens) =>
      tokensEndedBy({ query, work, revocations, projectId, now: now() }, which),
    ),
    revocations: reading((_, projectId, asked: ListOf<typeof listRevocations>) =>
      listRevocations(query, projectId, asked),
    ),
    countRevocations: reading((_, projectId, _asked: undefined) => countRevocations(query, projectId)),
    /** The seats of the clients that were admitted by revoked tokens. */
    seats: reading((_, projectId, subject: RevocationSubject) => seatsOf(query, projectId, subject)),
    deliveries: reading((work, projectId, asked: ListOf<typeof listDeliveries>) =>
      listDeliveries({ query, work }, projectId, asked),
    ),
    waitingDeliveries: reading((_, projectId, _asked: undefined) => countWaiting(query, projectId)),
    audit: reading((work, projectId, asked: Omit<ListOf<typeof listAudit>, "projectId">) =>
      listAudit(query, work, { ...asked, projectId }),
    ),
    metrics: (): Promise<string> => metrics.registry.metrics(),
    /** Lets all reads answer with what they have, and stops the indexer. */
    async stop(): Promise<void> {
      load.isStopped = true;
      await indexer.stop();
    },
  };
}

function refuse(error: unknown): never {
  if (error instanceof InvalidSearch) throw badInput(error.faults);
  if (error instanceof TooManyFollowers) {
    const headers = { "retry-after": String(error.retryAfterSeconds) };
    throw new Refusal("too-many-requests", error.message, { headers });
  }
  throw error;
}

const headersOf = ({ searchedTo, nextCursor, followCursor }: SearchPage): Record<string, string> => ({
  ...(searchedTo !== undefined && { "x-searched-to": searchedTo }),
  ...(nextCursor !== undefined && { "x-next-cursor": nextCursor }),
  ...(followCursor !== undefined && { "x-follow-cursor": followCursor }),
});

function textAnswer(text: string, accepts: Accepts): Promise<Answer> {
  const body = Buffer.from(text);
  return readyAnswer({ body, gzipped: () => gzipBody(body) }, accepts);
}
