/** Every table of the service. What belongs to a project leads with `project_id`, so that it can lie with the project. */
export interface Tables {
  project: { project_id: string; created_at: string };
  api_key: ApiKeyTable;
  intake_key: IntakeKeyTable;
  log_head: LogHeadTable;
  log_entry: LogEntryTable;
  counter: { name: string; value: number };
  setting: { name: string; value: string };
}

interface ApiKeyTable {
  project_id: string;
  key_id: string;
  /** SHA-256 of the whole key. */
  hash: Buffer;
  /** The whole key, encrypted under the master key: an HS256 token cannot be checked without it. */
  sealed: string;
  created_at: string;
  revoked_at: string | null;
  /** The counter "api_key" when the row last changed: whoever knows the rows reads only what is newer. */
  version: number;
}

interface IntakeKeyTable {
  key_id: string;
  label: string;
  hash: Buffer;
  created_at: string;
  revoked_at: string | null;
}

/** Where a project's log stands. */
interface LogHeadTable {
  project_id: string;
  kind: number;
  /** How many entries were ever written: the newest one's `seq`, and a sign that a log has changed. */
  seq: number;
}

/** A log in the order in which it is read. */
interface LogEntryTable {
  project_id: string;
  kind: number;
  /** The timestamp as a text that sorts: see `sortKey`. */
  at: string;
  /** Keeps entries of one moment apart, and in the order in which they came. */
  seq: number;
  /** The JSON text that is sent. */
  entry: string;
}
