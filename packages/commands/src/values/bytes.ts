const factors: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  byte: 1,
  bytes: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
  g: 1e9,
  gb: 1e9,
  t: 1e12,
  tb: 1e12,
  ki: 2 ** 10,
  kib: 2 ** 10,
  mi: 2 ** 20,
  mib: 2 ** 20,
  gi: 2 ** 30,
  gib: 2 ** 30,
  ti: 2 ** 40,
  tib: 2 ** 40,
};

// The largest first; a decimal unit before the binary one of its size.
const written: readonly string[] = ["TB", "TiB", "GB", "GiB", "MB", "MiB", "kB", "KiB"];

/** Bytes of `10MB`, `1.5 GiB`, `2048`; undefined for what is no amount. */
export function readBytes(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = Object.hasOwn(factors, unit.toLowerCase()) ? factors[unit.toLowerCase()] : undefined;
  if (count === undefined || factor === undefined) return undefined;
  const bytes = Math.round(Number(count) * factor);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** The shortest text that is read as exactly this many: `10MB`. */
export function writeBytes(bytes: number): string {
  return inUnit(bytes, "");
}

/** Bytes for people, exactly: `10 MB`. */
export function describeBytes(bytes: number): string {
  return inUnit(bytes, " ");
}

function inUnit(bytes: number, space: string): string {
  const unit = written.find((name) => bytes > 0 && bytes % (factors[name.toLowerCase()] ?? 1) === 0) ?? "B";
  return `${bytes / (factors[unit.toLowerCase()] ?? 1)}${space}${unit}`;
}
