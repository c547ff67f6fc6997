// What needs no quotes in a shell, and can't be taken for a flag.
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/** Whether a profile can be called so. */
export function isProfileName(name: string): boolean {
  return NAME.test(name);
}
