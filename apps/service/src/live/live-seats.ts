import type { LiveChannel, LiveChannels, LiveConnection } from "@media-ops/contract";
import { type SelectQueryBuilder, sql } from "kysely";
import { type CountingSeats, countingSeats, Silence } from "../admission/seats.js";
import type { Clocks } from "../config/surroundings.js";
import { momentOf } from "../search/moments.js";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

/** Which channels to list. */
export interface LiveQuestion {
  readonly projectId: string;
  /** Lists only this channel, with its connections. @default all channels */
  readonly channelId?: string | undefined;
  /** How many channels, or connections of the channel, the answer has at most. */
  readonly limit: number;
}

/** Lists who is connected now. */
export interface LiveListings {
  /** The channels of a project that have connections or admitted clients, those with the most connections first. */
  list(question: LiveQuestion): Promise<LiveChannels>;
}

type SeatRows = SelectQueryBuilder<Tables, "seat", object>;

/** The seats of a channel, summed up. */
interface ChannelRow {
  readonly channel_id: string;
  readonly connections: number;
  readonly admitted: number;
  readonly since: string | null;
  readonly min_limit: number | null;
  readonly max_limit: number | null;
  /** A JSON object: how many connections have each role. */
  readonly roles: string | null;
  /** Of all channels. PostgreSQL returns a sum of counts as a text. */
  readonly all_connections: number | string | bigint;
  readonly all_channels: number | string | bigint;
}

/** Lists who is connected by the seats that count when clients are admitted. It only reads the database. */
export class LiveSeats implements LiveListings {
  readonly #database: Pick<Storage, "kind" | "query">;
  readonly #clocks: Clocks;
  readonly #silence: Silence;

  constructor(database: Pick<Storage, "kind" | "query">, clocks: Clocks) {
    this.#database = database;
    this.#clocks = clocks;
    this.#silence = new Silence(clocks);
  }

  async list({ projectId, channelId, limit }: LiveQuestion): Promise<LiveChannels> {
    const now = this.#clocks.now();
    const ofProject = this.#counting(countingSeats(now, this.#silence)).where("project_id", "=", projectId);
    const seats = channelId === undefined ? ofProject : ofProject.where("channel_id", "=", channelId);
    const rows = await this.#channels(seats, ofProject, limit);
    const [first] = rows;
    const clients = channelId !== undefined && first ? await clientsIn(seats, limit) : undefined;
    return {
      timestamp: new Date(now).toISOString(),
      connections: Number(first?.all_connections ?? 0),
      channels: rows.map((row) => ({ ...toChannel(row), ...(clients && withOmitted(clients, row)) })),
      omitted_channels: Number(first?.all_channels ?? 0) - rows.length,
    };
  }

  #counting({ granted, connected }: CountingSeats): SeatRows {
    return this.#database.query
      .selectFrom("seat")
      .where(({ eb, and, or }) =>
        or([
          and([eb("connected", "=", 1), eb("until", ">", connected.after), eb("until", "<=", connected.until)]),
          and([eb("connected", "=", 0), eb("until", ">", granted.after), eb("until", "<=", granted.until)]),
        ]),
      );
  }

  /** Sums up seats by channel. The roles are only counted in the channels that are listed. */
  #channels(seats: SeatRows, ofProject: SeatRows, limit: number): Promise<ChannelRow[]> {
    const { kind, query } = this.#database;
    const channels = seats
      .select(({ fn, eb }) => [
        "channel_id",
        fn.countAll<number>().filterWhere("connected", "=", 1).as("connections"),
        fn.countAll<number>().filterWhere("connected", "=", 0).as("admitted"),
        fn.min(eb.case().when("connected", "=", 1).then(sql<string>`nullif(at, '')`).end()).as("since"),
        fn.min("max_connections").as("min_limit"),
        fn.max("max_connections").as("max_limit"),
      ])
      .groupBy("channel_id");
    const listed = query
      .selectFrom(channels.as("channel"))
      .selectAll("channel")
      .select(({ fn }) => [fn.sum("connections").over().as("all_connections"), fn.countAll().over().as("all_channels")])
      .orderBy("connections", "desc")
      .orderBy("admitted", "desc")
      .orderBy("channel_id")
      .limit(limit);
    const roles = ofProject
      .select(({ fn }) => ["role", fn.countAll().as("number")])
      .where("channel_id", "=", sql.ref<string>("listed.channel_id"))
      .where("connected", "=", 1)
      .where("role", "<>", "")
      .groupBy("role");
    const toObject = sql.raw(kind === "sqlite" ? "json_group_object" : "json_object_agg");
    return query
      .selectFrom(listed.as("listed"))
      .selectAll("listed")
      .select(({ selectFrom }) =>
        selectFrom(roles.as("counted"))
          .select(sql<string | null>`cast(${toObject}(role, number) as text)`.as("roles"))
          .as("roles"),
      )
      .orderBy("connections", "desc")
      .orderBy("admitted", "desc")
      .orderBy("channel_id")
      .execute();
  }
}

const toChannel = ({ roles, since, min_limit: min, max_limit: max, ...row }: ChannelRow): LiveChannel => ({
  channel_id: row.channel_id,
  connections: row.connections,
  admitted: row.admitted,
  roles: JSON.parse(roles ?? "{}"),
  ...(since !== null && { since: momentOf(since) }),
  ...(min !== null && max !== null && { limits: { min, max } }),
});

/** The connections and admitted clients of a channel, the newest first; those of unknown age are the last. */
async function clientsIn(seats: SeatRows, limit: number): Promise<LiveConnection[]> {
  const rows = await seats
    .select(["connection_id", "connected", "at", "client_id", "role", "session_id", "node_name", "max_connections"])
    .orderBy("at", "desc")
    .orderBy("connection_id")
    .limit(limit)
    .execute();
  return rows.map(({ connection_id, connected, at, max_connections: limit, ...known }) => ({
    connection_id,
    state: connected === 1 ? "connected" : "admitted",
    ...(at !== "" && { since: momentOf(at) }),
    ...(known.client_id && { client_id: known.client_id }),
    ...(known.role && { role: known.role }),
    ...(known.session_id && { session_id: known.session_id }),
    ...(known.node_name && { node_name: known.node_name }),
    ...(limit !== null && { max_channel_connections: limit }),
  }));
}

/** A connection may have begun since the others were counted. */
const withOmitted = (clients: LiveConnection[], { connections, admitted }: ChannelRow) => ({
  clients,
  omitted_clients: Math.max(0, connections + admitted - clients.length),
});
