import type { Admission } from "@media-ops/tokens";
import type { Kysely } from "kysely";
import type { Clocks } from "../config/surroundings.js";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";
import { type AskedChannel, askedChannels, type CountedSeats, decideAll } from "./decide-seats.js";
import { CLOCKS_APART_MS, type Seat, type SeatAttempt, type Seats } from "./seats.js";
import { Silence } from "./silence.js";

/** Who was let in and is not seen by then has given up. */
const GRANT_MS = 30_000;

/** A connection is heard of every minute. One that is not heard of for so long has ended without our being told. */
export const SILENCE_MS: number = 60 * 60 * 1000;

/** Of what the places are counted. */
export interface SeatQuestion {
  readonly asked: readonly AskedChannel[];
  /** The connections that ask. */
  readonly askers: readonly string[];
  /** Which places count: those that last longer than `after`, but not longer than `until`. */
  readonly granted: Lasting;
  readonly connected: Lasting;
}

interface Lasting {
  readonly after: number;
  readonly until: number;
}

// While silence means nothing, every connection counts that has not been reported as ended.
const ALL: Lasting = { after: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER };

/** The places, as they are kept in whichever database. */
export abstract class StoredSeats implements Seats {
  protected readonly storage: Storage;
  protected readonly now: () => number;
  protected readonly silence: Silence;

  constructor(storage: Storage, clocks: Clocks) {
    this.storage = storage;
    this.now = clocks.now;
    this.silence = new Silence(clocks);
  }

  decide(attempts: readonly SeatAttempt[]): Promise<Admission[]> {
    const now = this.now();
    const lasting = (ms: number): Lasting => ({ after: now, until: now + ms + CLOCKS_APART_MS });
    const granted = lasting(GRANT_MS);
    const connected = this.silence.meansGone() ? lasting(SILENCE_MS) : ALL;
    return this.storage.query.transaction().execute(async (transaction) => {
      const asked = askedChannels(attempts);
      const askers = attempts.map(({ connectionId }) => connectionId);
      await this.hold(transaction, asked);
      const counted = await this.count(transaction, { asked, askers, granted, connected });
      const admissions = decideAll(attempts, asked, counted);
      const admitted = attempts.filter((_, at) => admissions[at]?.allowed);
      if (admitted.length > 0) await this.grant(transaction, admitted, now + GRANT_MS);
      return admissions;
    });
  }

  async release({ projectId, channelId, connectionId }: Seat): Promise<void> {
    await this.storage.query
      .deleteFrom("seat")
      .where("project_id", "=", projectId)
      .where("channel_id", "=", channelId)
      .where("connection_id", "=", connectionId)
      .where("connected", "=", 0)
      .execute();
  }

  async ofConnection(connectionId: string): Promise<Seat[]> {
    const rows = await this.storage.query
      .selectFrom("seat")
      .select(["project_id", "channel_id"])
      .where("connection_id", "=", connectionId)
      .execute();
    return rows.map(({ project_id, channel_id }) => ({
      projectId: project_id,
      channelId: channel_id,
      connectionId,
    }));
  }

  abstract sweep(time: number | undefined, signal: AbortSignal): Promise<void>;

  /** Sees to it that nobody else changes the places of these channels until the transaction ends. */
  protected abstract hold(transaction: Kysely<Tables>, asked: readonly AskedChannel[]): Promise<void>;

  /** Counts the places in the database, and not here: a channel may have thousands, and is asked about all the time. */
  protected abstract count(transaction: Kysely<Tables>, question: SeatQuestion): Promise<readonly CountedSeats[]>;

  protected abstract grant(transaction: Kysely<Tables>, admitted: readonly SeatAttempt[], until: number): Promise<void>;
}
