import type { Result } from "../report.js";

export async function benchMint(): Promise<Result[]> {
  return [];
}
