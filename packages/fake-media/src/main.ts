import { runCli } from "./cli.js";

const end = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    // A second signal ends the program at once.
    if (end.signal.aborted) process.exit(130);
    end.abort();
  });
}

process.exitCode = await runCli(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  signal: end.signal,
});
