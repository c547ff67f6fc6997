import { PassThrough, Writable } from "node:stream";
import { expect, it } from "vitest";
import { noFlags } from "../flags.js";
import { openSession } from "../session.js";

it("a long result waits until its reader has taken enough of it, or the command is stopped", async () => {
  const taken: (() => void)[] = [];
  const slow = () =>
    Object.assign(new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void taken.push(done) }), {
      isTTY: false,
      columns: 0,
    });
  const stopped = new AbortController();
  const session = openSession(
    {
      stdin: new PassThrough(),
      stdout: slow(),
      stderr: slow(),
      env: {},
      home: undefined,
      account: undefined,
      platform: "linux",
      now: () => 0,
      timeZone: () => "UTC",
      signal: stopped.signal,
    },
    noFlags,
  );
  let delivered = 0;
  const first = session.deliver("first").then(() => {
    delivered += 1;
  });
  await new Promise(setImmediate);
  expect(delivered).toBe(0);
  taken[0]?.();
  await first;
  expect(delivered).toBe(1);
  const second = session.deliver("second");
  stopped.abort();
  await expect(second).rejects.toThrow("aborted");
});
