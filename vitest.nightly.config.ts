import { configDefaults, defineConfig } from "vitest/config";
import { LEVELS } from "./vitest.config.js";
import { ON_POSTGRES, STORES, slow, WITH_POSTGRES } from "./vitest.hard.config.js";

// They compare rates, measure times, or need whole answers within a limit, so nothing else may run beside them.
const ALONE = [
  "apps/service/src/http/flood.nightly.test.ts",
  "apps/service/src/reads/fair.nightly.test.ts",
  "apps/service/src/tokens/many-revocations.nightly.test.ts",
  "apps/service/src/tokens/revoked-clients.nightly.test.ts",
  "apps/bot/src/watches/latency.nightly.test.ts",
];

// On a machine that has Citus: the folder of the programs of its PostgreSQL.
const citus = process.env.TEST_CITUS_PROGRAMS
  ? [{ extends: true as const, test: { name: "citus", include: [LEVELS.citus], exclude: configDefaults.exclude } }]
  : [];

// What takes longer than a change can wait: the documents, pasted line by line; images and packages as published; all
// runtimes; floods and storms; Citus; and on PostgreSQL what isn't a store.
export default defineConfig({
  test: {
    ...slow.test,
    projects: [
      {
        extends: true,
        test: {
          name: "nightly",
          include: [LEVELS.nightly],
          exclude: [...configDefaults.exclude, ...ALONE],
          globalSetup: WITH_POSTGRES,
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: ALONE,
          exclude: configDefaults.exclude,
          globalSetup: WITH_POSTGRES,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      ...citus,
      {
        extends: true,
        test: {
          name: "on PostgreSQL",
          include: [
            "apps/bot/src/{approvals,audit,connections}/*.test.ts",
            "apps/bot/src/home/questions.test.ts",
            "apps/bot/src/tokens/mintings.test.ts",
            "apps/bot/src/trust/{repeats,several-bots.hard,shared-database}.test.ts",
            "apps/bot/src/watches/setup.test.ts",
            "apps/service/src/admission/{crowd,max-connections,seats,wrong-clock}.test.ts",
            "apps/service/src/cli/retention.test.ts",
            "apps/service/src/deliveries/{find-deliveries,put-back,resend,wrong-clock}.test.ts",
            "apps/service/src/intake/{event-log,intake,intake.properties}.test.ts",
            "apps/service/src/live/live-seats.test.ts",
            "apps/service/src/logs/{cached-listings,retention}.test.ts",
            "apps/service/src/sdk.test.ts",
            "apps/service/src/search/{count,index-log,indexer,searches,searches.properties}.test.ts",
            "apps/service/src/tokens/acts.test.ts",
          ],
          exclude: [...configDefaults.exclude, "**/sqlite-*.test.ts", ...STORES],
          globalSetup: ON_POSTGRES,
        },
      },
    ],
  },
});
