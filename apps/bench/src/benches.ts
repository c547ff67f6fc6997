import type { Result } from "./report.js";

/** Each is loaded only when it is run. */
export const benches = {
  list: async () => (await import("./list/list.js")).benchList(),
  growth: async () => (await import("./growth/growth.js")).benchGrowth(),
  intake: async () => (await import("./intake/intake.js")).benchIntake(),
  mint: async () => (await import("./mint/mint.js")).benchMint(),
  admit: async () => (await import("./admit/admit.js")).benchAdmit(),
  sdk: async () => (await import("./sdk/sdk.js")).benchSdk(),
  format: async () => (await import("./format/format.js")).benchFormat(),
  filter: async () => (await import("./filter/filter.js")).benchFilter(),
  bot: async () => (await import("./bot/bot.js")).benchBot(),
  start: async () => (await import("./start/start.js")).benchStart(),
} satisfies Benches;

/** What takes long by its nature, and is run only when it is asked for. */
export const longBenches = {
  scale: async () => (await import("./scale/scale.js")).benchScale(),
  retention: async () => (await import("./retention/retention.js")).benchRetention(),
  soak: async () => (await import("./soak/soak.js")).benchSoak(),
} satisfies Benches;

type Benches = Record<string, () => Promise<Result[]>>;
