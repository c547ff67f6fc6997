/** The environment that shifts `Date` in a program, as if its clock were wrong; performance.now is unchanged. */
export function shiftClock(ms: number): { readonly NODE_OPTIONS: string } {
  const program = `
    const RealDate = Date;
    globalThis.Date = class extends RealDate {
      constructor(...args) {
        if (args.length === 0) super(RealDate.now() + ${ms});
        else super(...args);
      }
      static now() {
        return RealDate.now() + ${ms};
      }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
}
