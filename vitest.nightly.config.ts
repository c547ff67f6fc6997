import { configDefaults, defineConfig } from "vitest/config";
import { LEVELS } from "./vitest.config.js";
import { ON_POSTGRES, STORES, slow, WITH_POSTGRES } from "./vitest.hard.config.js";

// They compare rates, measure times, or need whole answers within a limit, so nothing else may run beside them.
const ALONE = [
  "apps/bench/src/incidents.nightly.test.ts",
  "apps/bot/src/trust/silent-service.nightly.test.ts",
  "apps/bot/src/watches/latency.nightly.test.ts",
  "apps/service/src/deliveries/slow-receivers.nightly.test.ts",
  "apps/service/src/http/flood.nightly.test.ts",
  "apps/service/src/reads/fair.nightly.test.ts",
  "apps/service/src/tokens/{many-revocations,revoked-clients}.nightly.test.ts",
];

// What the hard suite does a little of, they do in full here.
const IN_FULL = [
  "apps/service/src/{admission/traffic,deliveries/crash,deliveries/resend,secrets/planted-secrets}.hard.test.ts",
];

// On a machine that has Citus: the folder of the programs of its PostgreSQL.
const citus = process.env.TEST_CITUS_PROGRAMS
  ? [{ extends: true as const, test: { name: "citus", include: [LEVELS.citus], env: { TEST_LEVEL: "citus" } } }]
  : [];

// What takes longer than a change can wait: the documents line by line, images and packages as published, all runtimes,
// floods and storms, Citus, and on PostgreSQL what isn't a store.
export default defineConfig({
  test: {
    ...slow.test,
    env: { TEST_LEVEL: "nightly" },
    projects: [
      {
        extends: true,
        test: {
          name: "nightly",
          include: [LEVELS.nightly, ...IN_FULL],
          exclude: [...configDefaults.exclude, ...ALONE],
          globalSetup: WITH_POSTGRES,
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: ALONE,
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
            "apps/bot/src/{home/home,tokens/mint,watches/watches}.test.ts",
            "apps/bot/src/trust/{slack-faults,several-bots.hard,database-faults}.test.ts",
            "apps/service/src/admission/{max-connections,seats}.test.ts",
            "apps/service/src/admission/crowd.hard.test.ts",
            "apps/service/src/cli/retention.test.ts",
            "apps/service/src/deliveries/{resend,several-services.hard,wrong-clock}.test.ts",
            "apps/service/src/intake/{event-log,intake,intake.properties}{,.hard}.test.ts",
            "apps/service/src/live/live-seats.test.ts",
            "apps/service/src/logs/retention.hard.test.ts",
            "apps/service/src/sdk.test.ts",
            "apps/service/src/search/{count,indexer,searches,searches.properties}.test.ts",
            "apps/service/src/tokens/acts{,.hard}.test.ts",
            "apps/service/src/webhooks/project-book.hard.test.ts",
          ],
          exclude: [...configDefaults.exclude, "**/sqlite-*.test.ts", ...STORES],
          globalSetup: ON_POSTGRES,
        },
      },
    ],
  },
});
