import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { CITUS_TESTS, except, HARD_TESTS, shared } from "./vitest.config.js";

// Starts one PostgreSQL for the whole run. The second setup also makes tests create their stores on PostgreSQL.
const withPostgres = "./packages/testing/dist/setup.js";
const onPostgres = "./packages/testing/dist/on-postgres.js";

// They compare rates, measure times, or need whole answers within a limit, so nothing else may run beside them.
const ALONE = [
  "apps/service/src/http/flood.hard.test.ts",
  "apps/service/src/reads/fair.hard.test.ts",
  "apps/service/src/tokens/many-revocations.hard.test.ts",
  "apps/service/src/tokens/revoked-clients.hard.test.ts",
  "apps/bot/src/watches/latency.hard.test.ts",
];

// On a machine that has Citus: the folder of the programs of its PostgreSQL.
const citus = process.env.TEST_CITUS_PROGRAMS
  ? [{ extends: true as const, test: { name: "citus", include: [CITUS_TESTS], exclude: configDefaults.exclude } }]
  : [];

// Slow tests, and tests repeated on another platform: crashes, clocks, floods and full disks; storage tests on
// PostgreSQL; the documents, pasted line by line; the images and packages as published.
export default defineConfig({
  test: {
    ...shared.test,
    // Many of them mostly wait.
    maxWorkers: availableParallelism() + 1,
    // Several times as long as they take on a machine that does nothing else.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: "hard",
          include: [`apps/${HARD_TESTS}`, `packages/${HARD_TESTS}`],
          exclude: [...configDefaults.exclude, ...ALONE],
          globalSetup: withPostgres,
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: ALONE,
          exclude: configDefaults.exclude,
          globalSetup: withPostgres,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      ...citus,
      { extends: true, test: { name: "publish", include: [".ci/publish-*.test.ts"], exclude: except() } },
      { extends: true, test: { name: "docs", include: [".ci/docs/*.test.ts"], exclude: except() } },
      {
        extends: true,
        test: {
          name: "bot on PostgreSQL",
          include: [
            "apps/bot/**/postgres-*.test.ts",
            "apps/bot/src/connections/connections.test.ts",
            "apps/bot/src/{claims,installations}.test.ts",
            "apps/bot/src/storage/*.test.ts",
            "apps/bot/src/{approvals,audit}/*.test.ts",
            "apps/bot/src/home/questions.test.ts",
            "apps/bot/src/tokens/mintings.test.ts",
            "apps/bot/src/watches/{store,setup}.test.ts",
            "apps/bot/src/trust/{repeats,several-bots,shared-database}.test.ts",
          ],
          exclude: except("sqlite"),
          globalSetup: onPostgres,
        },
      },
      {
        extends: true,
        test: {
          name: "service on PostgreSQL",
          include: [
            "apps/service/**/postgres-*.test.ts",
            "apps/service/src/admission/{crowd,max-connections,seats,wrong-clock}.test.ts",
            "apps/service/src/deliveries/{find-deliveries,put-back,resend,wrong-clock}.test.ts",
            "apps/service/src/intake/{event-log,intake,intake-store,intake.properties}.test.ts",
            "apps/service/src/keys/keys.test.ts",
            "apps/service/src/tokens/{acts,revocations}.test.ts",
            "apps/service/src/sdk.test.ts",
            "apps/service/src/cli/retention.test.ts",
            "apps/service/src/storage/migrations.test.ts",
            "apps/service/src/live/live-seats.test.ts",
            "apps/service/src/logs/{cached-listings,log-store,retention}.test.ts",
            "apps/service/src/search/{count,index-log,indexer,segment-store,searches,searches.properties}.test.ts",
            "apps/service/src/webhooks/{project-book,webhooks}.test.ts",
          ],
          exclude: except("sqlite"),
          globalSetup: onPostgres,
        },
      },
    ],
  },
});
