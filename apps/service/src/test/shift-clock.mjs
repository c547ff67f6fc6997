// Loaded into a program by --import: its Date is ahead by CLOCK_SHIFT_MS, as if the machine's clock were wrong. Clocks that
// nobody can set, such as performance.now, stay as they are.
const shift = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + shift);
    else super(...args);
  }

  static now() {
    return RealDate.now() + shift;
  }
};
