import type { Result } from "../report.js";

export async function benchSoak(): Promise<Result[]> {
  return [];
}
