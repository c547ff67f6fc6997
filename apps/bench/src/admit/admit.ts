import type { Result } from "../report.js";

export async function benchAdmit(): Promise<Result[]> {
  return [];
}
