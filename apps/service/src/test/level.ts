/** How much a long test does: little before each merge, all of it in the nightly suite, which sets TEST_LEVEL. */
export const atNight = <Amount>(nightly: Amount, otherwise: Amount): Amount =>
  process.env.TEST_LEVEL === "nightly" ? nightly : otherwise;
