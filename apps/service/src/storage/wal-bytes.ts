import { stat } from "node:fs/promises";

/** How large the write-ahead log of an SQLite file is, in bytes; 0 if there is none. */
export async function walBytes(file: string): Promise<number> {
  const wal = await stat(`${file}-wal`).catch(() => undefined);
  return wal?.size ?? 0;
}
