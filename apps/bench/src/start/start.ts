import type { Result } from "../report.js";

export async function benchStart(): Promise<Result[]> {
  return [];
}
