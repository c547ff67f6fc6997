import type { Minting } from "../storage/records.js";

/** The record of a token without limits. */
export const mintingOf = (more: Partial<Minting> = {}): Minting => ({
  team_id: "T01",
  user_id: "U01",
  place_id: "C01",
  at: 1,
  project_id: "demo",
  jti: "j1",
  channel_id: null,
  role: null,
  starts_at: null,
  ends_at: null,
  max_connections: null,
  reason: null,
  ...more,
});
