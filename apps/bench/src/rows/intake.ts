import assert from "node:assert/strict";
import { connectionEvents } from "../events.js";
import { type Racer, race } from "../load.js";
import { goal, type Result, type Row } from "../measure.js";
import { createIntakeKey, startFloor, startServices, withSandbox } from "../programs.js";
import { LogFile } from "../stores.js";

const PROJECT = "bench";
const MINUTES = 10;
const FLOOR = "bare node:http that parses the same bodies";

/** The traffic of media servers: the events of each connection, the last of which is its end. */
const traffics = [
  { measure: `connections of ${MINUTES} minutes`, isWhole: true },
  { measure: "nothing but connections that end", isWhole: false },
];

/** Measures durably stored events per second, compared with a bare server that only parses them. */
export const intake: Row = ({ builds, isQuick }) =>
  withSandbox(async (sandbox) => {
    // Enough to make the edges of a round, where not all connections are busy, insignificant.
    const [rounds, events] = isQuick ? [1, 600] : [7, 12_000];
    const services = await Promise.all(
      (await startServices(sandbox, builds, PROJECT)).map(async (service) => {
        return { ...service, url: service.internalUrl, intakeKey: await createIntakeKey(service), ended: 0 };
      }),
    );
    const floor = { ...(await startFloor(sandbox, "parse")), name: FLOOR, intakeKey: "none", ended: 0 };
    const results: Result[] = [];
    for (const { measure, isWhole } of traffics) {
      const racers = [...services, floor].map(
        (server): Racer => ({
          ...server,
          lines() {
            const all: Buffer[][] = [];
            for (let made = 0; made < events; made += all.at(-1)?.length ?? 0) {
              const { life, end } = connectionEvents(PROJECT, server.intakeKey, MINUTES);
              all.push(isWhole ? life : [end]);
            }
            server.ended += all.length;
            return all;
          },
          check: ({ bytes, count }) => assert.equal(bytes, count * "{}".length),
        }),
      );
      const options = { measure, unit: "events", goal: goal("ratio", "≥", 0.6) };
      results.push(...(await race({ ...options, connections: 256, rounds }, racers)));
    }
    for (const { file, ended, name } of services) {
      const log = new LogFile(file);
      const stored = [log.count("connections"), log.countDistinct("connections", "connection_id")];
      log.close();
      assert.deepEqual(stored, [ended, ended], `${name}: every acknowledged end is stored, once`);
    }
    return results;
  });
