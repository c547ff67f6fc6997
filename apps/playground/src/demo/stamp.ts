/** A time with six digits behind the point, as the media server writes it. */
export function stampOf(ms: number, micros = 0): string {
  return new Date(ms).toISOString().replace("Z", `${String(micros).padStart(3, "0")}Z`);
}
