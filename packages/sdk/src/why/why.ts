import type { EventLogWhere, EventReason } from "@media-ops/contract";
import type { Range } from "../search.js";

/** Which connections to explain. */
export interface WhyRequest extends Range {
  /** The project identifier. @default the project that owns the API key */
  project_id?: string | undefined;
  /** The name or id of a channel. @default all channels */
  channel?: string | undefined;
}

/** How connections fared in a period. */
export interface WhyCounts {
  /** Connections that were made. */
  connected: number;
  /** Connections that ended well. */
  ok: number;
  /** Connections that could not be made, broke, or vanished with their node. */
  failed: number;
  /** Refused attempts to connect. */
  refused: number;
}

/** A value of a field, and how many failures or refusals have it. */
export interface WhyShare {
  name: string;
  count: number;
}

/** One reason for which connections failed or were refused. */
export interface WhyCause {
  outcome: "failed" | "refused";
  /** Undefined if the media server gave no reason. */
  reason: EventReason | undefined;
  /** The media server's own word. */
  mediaReason: string | undefined;
  count: number;
  /** How many there were in the period before; undefined if that is not known. */
  before: number | undefined;
  /** What the newest of them says beyond its reason, such as "5 of 5". */
  detail: string | undefined;
  /** The clients with the most, at most ten; those without an id of their own are left out. */
  clients: WhyShare[];
  /** How many clients there are. */
  clientCount: number;
  /** The nodes with the most, at most ten. */
  nodes: WhyShare[];
  /** The channels with the most, at most ten. */
  channels: WhyShare[];
  /** The condition that lists its entries. */
  where: EventLogWhere;
}

/** Why connections failed or were refused. */
export interface Why {
  /** The start of the period that was counted. Later than asked for if not all of it was. */
  since: string;
  /** Its excluded end. */
  until: string;
  /** Whether the whole requested period was counted. If not, its older part is missing. */
  complete: boolean;
  counts: WhyCounts;
  /** The period of the same length before; undefined if it is not known. */
  before: WhyCounts | undefined;
  /** The most likely cause first. Of more than 20, those with the most failures or refusals. */
  causes: WhyCause[];
}
