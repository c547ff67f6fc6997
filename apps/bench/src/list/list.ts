import type { Result } from "../report.js";

export async function benchList(): Promise<Result[]> {
  return [];
}
