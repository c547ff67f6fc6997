import { DatabaseError, describeDistributed, distributeDatabase, showProgress } from "@media-ops/database";
import { endCopying } from "../storage/compact-days.js";
import { migrations } from "../storage/migrations.js";
import { type Command, CommandError, HOW_TO_CREATE } from "./command.js";

/** `distribute`. */
export const distributeCommand: Command = {
  name: "distribute",
  parameters: [],
  summary: "Distributes the tables of a PostgreSQL database over the workers of Citus, in place.",
  help: `Needed once, if the database was filled before Citus was added to it. New databases are distributed from the start.
Stop each service and bot that uses the database first: the command refuses while one is connected.
It may be interrupted at any time, and run again to continue; until it succeeds, no service starts.
Each table or day moves in one transaction, which compares the number of rows.`,
  async run({ config, now }) {
    const distributed = await distributeDatabase(config().databaseUrl, {
      owner: "service",
      program: "media-ops",
      migrations,
      // Citus distributes no table with a trigger, which a stopped service may have left.
      prepare: endCopying,
      onStep: showProgress(process.stderr, now),
    }).catch((error: unknown) => {
      const isMissing = error instanceof DatabaseError && error.code === "missing";
      throw isMissing ? new CommandError(`${error.message} ${HOW_TO_CREATE}`, { cause: error }) : error;
    });
    const { column, tables, wasThere } = distributed;
    return {
      text: describeDistributed(distributed, "service"),
      json: { column, was_there: wasThere, tables: tables.map(({ name, rows }) => ({ table: name, rows })) },
    };
  },
};
