import type { LiveChannel, LiveChannels, LiveConnection } from "@media-ops/contract";
import { type RawBuilder, type Selectable, sql } from "kysely";
import { countingSeats, Silence } from "../admission/seats.js";
import type { Clocks } from "../config/surroundings.js";
import { momentOf } from "../search/moments.js";
import type { Storage } from "../storage/open-storage.js";
import type { Tables } from "../storage/tables.js";

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
export class LiveSeats {
  readonly #database: Pick<Storage, "kind" | "query">;
  readonly #clocks: Clocks;
  readonly #silence: Silence;

  constructor(database: Pick<Storage, "kind" | "query">, clocks: Clocks) {
    this.#database = database;
    this.#clocks = clocks;
    this.#silence = new Silence(clocks);
  }

  /** Lists the channels with connections or admitted clients, the largest first; or one, with its connections. */
  async list(options: { projectId: string; channelId?: string | undefined; limit: number }): Promise<LiveChannels> {
    const { projectId, channelId, limit } = options;
    const now = this.#clocks.now();
    const { connected, granted } = countingSeats(now, this.#silence);
    const ofProject = sql`"seat" where project_id = ${projectId} and (
      (connected = 1 and until > ${connected.after} and until <= ${connected.until})
      or (connected = 0 and until > ${granted.after} and until <= ${granted.until}))`;
    const seats = channelId === undefined ? ofProject : sql`${ofProject} and channel_id = ${channelId}`;
    const rows = await this.#channels(seats, ofProject, limit);
    const [first] = rows;
    const clients = channelId !== undefined && first ? await this.#clients(seats, limit) : undefined;
    return {
      timestamp: new Date(now).toISOString(),
      connections: Number(first?.all_connections ?? 0),
      channels: rows.map((row) => ({ ...toChannel(row), ...(clients && withOmitted(clients, row)) })),
      omitted_channels: Number(first?.all_channels ?? 0) - rows.length,
    };
  }

  /** Sums up seats by channel. The roles are only counted in the channels that are listed. */
  async #channels(seats: RawBuilder<unknown>, ofProject: RawBuilder<unknown>, limit: number): Promise<ChannelRow[]> {
    const toObject = sql.raw(this.#database.kind === "sqlite" ? "json_group_object" : "json_object_agg");
    const { rows } = await sql<ChannelRow>`
      select listed.*, (
        select cast(${toObject}(role, number) as text) from (
          select role, count(*) as number from ${ofProject}
            and channel_id = listed.channel_id and connected = 1 and role <> '' group by role
        ) as counted
      ) as roles
      from (
        select channel.*, sum(connections) over () as all_connections, count(*) over () as all_channels
        from (
          select channel_id, count(*) filter (where connected = 1) as connections,
            count(*) filter (where connected = 0) as admitted,
            min(case when connected = 1 then nullif(at, '') end) as since,
            min(max_connections) as min_limit, max(max_connections) as max_limit
          from ${seats} group by channel_id
        ) as channel
        order by connections desc, admitted desc, channel_id limit ${limit}
      ) as listed
      order by connections desc, admitted desc, channel_id`.execute(this.#database.query);
    return rows;
  }

  /** The connections and admitted clients of a channel, the newest first; those of unknown age are the last. */
  async #clients(seats: RawBuilder<unknown>, limit: number): Promise<LiveConnection[]> {
    const { rows } = await sql<Selectable<Tables["seat"]>>`
      select connection_id, connected, at, client_id, role, session_id, node_name, max_connections
      from ${seats} order by at desc, connection_id limit ${limit}`.execute(this.#database.query);
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
}

const toChannel = ({ roles, since, min_limit: min, max_limit: max, ...row }: ChannelRow): LiveChannel => ({
  channel_id: row.channel_id,
  connections: row.connections,
  admitted: row.admitted,
  roles: JSON.parse(roles ?? "{}"),
  ...(since !== null && { since: momentOf(since) }),
  ...(min !== null && max !== null && { limits: { min, max } }),
});

/** A connection may have begun since the others were counted. */
const withOmitted = (clients: LiveConnection[], { connections, admitted }: ChannelRow) => ({
  clients,
  omitted_clients: Math.max(0, connections + admitted - clients.length),
});
