/** The same names with other values. */
export function mapValues<Name extends string, From, To>(
  values: Readonly<Record<Name, From>>,
  to: (value: From, name: Name) => To,
): Record<Name, To> {
  const entries = Object.entries<From>(values).map(([name, value]) => [name, to(value, name as Name)]);
  return Object.fromEntries(entries) as Record<Name, To>;
}
