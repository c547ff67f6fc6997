// Runs one measurement, whose name it is given, and sends its results to who started it. In a process of its own, so that
// what one leaves behind in memory does not weigh on the next.
import { benches, longBenches } from "./benches.js";

const all: Record<string, () => Promise<unknown>> = { ...benches, ...longBenches };
process.send?.(await all[process.argv[2] ?? ""]?.());
process.disconnect?.();
