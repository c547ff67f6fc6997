/** The largest first; a decimal unit before the binary one of its size. */
const units: readonly (readonly [name: string, bytes: number])[] = [
  ["TB", 1e12],
  ["TiB", 2 ** 40],
  ["GB", 1e9],
  ["GiB", 2 ** 30],
  ["MB", 1e6],
  ["MiB", 2 ** 20],
  ["kB", 1e3],
  ["KiB", 2 ** 10],
  ["B", 1],
];

/** `mb`, `m`, and nothing for bytes. */
const bytesOfUnit: ReadonlyMap<string, number> = new Map([
  ...units.flatMap(([name, bytes]): [string, number][] =>
    [name, name.slice(0, -1)].map((form) => [form.toLowerCase(), bytes]),
  ),
  ["byte", 1],
  ["bytes", 1],
]);

/** Bytes of `10MB`, `1.5 GiB`, `2048`; undefined for what is no amount. */
export function readBytes(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = bytesOfUnit.get(unit.toLowerCase());
  if (count === undefined || factor === undefined) return undefined;
  const bytes = Number(count) * factor;
  // Finer than a thousandth of a byte is nothing but the rounding of binary fractions.
  const exact = Number.isInteger(bytes) ? bytes : Math.round(bytes * 1000) / 1000;
  return exact <= Number.MAX_SAFE_INTEGER ? exact : undefined;
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
  const [unit, factor] = units.find(([, size]) => bytes > 0 && bytes % size === 0) ?? ["B", 1];
  return `${bytes / factor}${space}${unit}`;
}
