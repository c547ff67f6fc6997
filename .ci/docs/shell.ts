import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, open, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { run } from "../processes.mjs";
import { type CodeBlock, root, type Trial } from "./document.js";
import {
  endlessName,
  freePorts,
  type Ports,
  type Program,
  type Settings,
  settingsFor,
  startProgram,
  withPorts,
} from "./programs.js";

/** The files of a clone, and those that install and build add, but not those that programs write. */
const IN_A_CLONE = [
  ...["README.md", "apps", "docs", "openapi", "packages", "node_modules", "run.mjs"],
  ...["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml"],
  ...["compose.yaml", "Dockerfile", "deploy", ".env.example"],
];

/** Commands of the machine. The others are stand-ins, or are not found. */
const COMMANDS = ["bash", "cat", "gzip", "sh", "tar"];
const STAND_INS = ["curl", "docker", "media-ops", "npm", "npx", "openssl", "printed"];

/** Creates a folder that looks like a fresh clone, installed and built, and a folder with the commands it can call. */
async function makeClone(around: string): Promise<void> {
  const [folder, bin] = [join(around, "media-ops"), join(around, "bin")];
  for (const name of ["media-ops", "bin", "aside"]) await mkdir(join(around, name));
  for (const name of IN_A_CLONE) await symlink(join(root, name), join(folder, name));
  for (const name of COMMANDS) await symlink(commandPath(name), join(bin, name));
  await symlink(process.execPath, join(bin, "node"));
  for (const name of STAND_INS) {
    const program = join(import.meta.dirname, "stand-ins.mjs");
    await writeFile(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${program}" ${name} "$@"\n`);
    await chmod(join(bin, name), 0o755);
  }
}

function commandPath(command: string): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = folders.map((folder) => join(folder, command)).find((file) => existsSync(file));
  if (!found) throw new Error(`This machine has no ${command}.`);
  return found;
}

// Shorter than the test timeout, so that the error shows the command.
const COMMAND_MS = 45_000;

const OPTIONS = ["-euo", "pipefail", "-c"];
const RESTORE = 'source "$0"';
const KEEP = `{ printf 'cd %q\\n' "$PWD"; export -p; } > "$0"`;

interface ShellOptions {
  readonly settings?: Settings;
  /** The section before which background programs are stopped. @default none: they run until the document ends */
  readonly runsUntil?: string;
}

/** A terminal in a clone, into which the blocks of a document are pasted one after another. */
export class Shell {
  /** The clone. */
  readonly folder: string;
  readonly #around: string;
  readonly #document: string;
  readonly #freePorts: Ports;
  readonly #options: ShellOptions;
  readonly #programs: Program[] = [];
  readonly #puts: (readonly [text: string, value: string])[] = [];
  /** A file with all output so far, which the stand-in `printed` searches. */
  readonly #printed: string;
  /** A file with the effects of `export` and `cd` so far, as commands. */
  readonly #state: string;
  /** A file with the settings for the stand-in `npx`. As variables, they would be saved with the document's exports. */
  readonly #settings: string;
  #section = "";

  /** Opens a terminal in a fresh clone. */
  static async open({ text, atEnd }: Trial, options: ShellOptions = {}): Promise<Shell> {
    const { runsUntil } = options;
    if (runsUntil !== undefined && !text.includes(`\n## ${runsUntil}\n`)) {
      throw new Error(`The document has no section "${runsUntil}" any more.`);
    }
    const around = await realpath(await mkdtemp(join(tmpdir(), "media-docs-")));
    atEnd(() => rm(around, { recursive: true, force: true }));
    await makeClone(around);
    const shell = new Shell(text, around, await freePorts(), options);
    atEnd(() => shell.stopAll());
    await shell.newTerminal();
    await writeFile(shell.#printed, "");
    return shell;
  }

  private constructor(document: string, around: string, ports: Ports, options: ShellOptions) {
    this.folder = join(around, "media-ops");
    this.#around = around;
    this.#document = document;
    this.#freePorts = ports;
    this.#options = options;
    this.#printed = join(around, "aside/printed.txt");
    this.#state = join(around, "aside/state.sh");
    this.#settings = join(around, "aside/settings.json");
  }

  /** The ports of the programs, including those that are not running yet. */
  get ports(): Ports {
    return { ...this.#freePorts, ...this.#programs.find(({ ports }) => ports)?.ports };
  }

  /** Replaces a text in all later blocks, such as "xoxb-…" with a real token. */
  put(text: string, value: string): void {
    if (!this.#document.includes(text)) throw new Error(`The document does not contain "${text}" any more.`);
    this.#puts.unshift([text, value]);
  }

  /** Forgets exported variables, as if a reader opened another terminal. */
  async newTerminal(): Promise<void> {
    await writeFile(this.#state, `cd '${this.folder}'\n`);
  }

  /** Pastes a block and returns its output. Programs that run until Ctrl-C continue in the background. */
  async paste({ section, text, line }: CodeBlock): Promise<string> {
    if (section !== this.#section && section === this.#options.runsUntil) await this.stopAll();
    this.#section = section;
    let filled = text;
    for (const [placeholder, value] of this.#puts) filled = filled.replaceAll(placeholder, value);
    const left = /^[^#\n]*…/m.exec(filled)?.[0];
    if (left) throw new Error(`Line ${line}: the test puts nothing in for the placeholder of: ${left}`);
    return this.run(withPorts(filled, this.ports));
  }

  /** Runs commands that are not in the document. */
  async run(text: string): Promise<string> {
    const given = Object.entries(settingsFor(this.ports, this.folder)).map(([script, own]) => {
      return [script, { ...own, ...this.#options.settings?.[script] }];
    });
    await writeFile(this.#settings, JSON.stringify(Object.fromEntries(given)));
    let printed = "";
    let lines: string[] = [];
    const flush = async (): Promise<void> => {
      if (lines.length > 0) printed += await this.#bash(lines.join("\n"));
      lines = [];
    };
    for (const line of text.split("\n")) {
      const name = endlessName(line);
      if (name === undefined) {
        lines.push(line);
        continue;
      }
      await flush();
      // A restarted program replaces the previous one.
      await this.#stop((program) => program.name === name);
      const command = ["bash", ...OPTIONS, `${RESTORE}; eval "exec $1"`, this.#state, line] as const;
      this.#programs.push(await startProgram(name, command, { ...this.#environment, ports: this.ports }));
    }
    await flush();
    return printed;
  }

  /** Stops the background programs with Ctrl-C. */
  async stopAll(): Promise<void> {
    await this.#stop(() => true);
  }

  async #stop(which: (program: Program) => boolean): Promise<void> {
    for (const program of this.#programs.filter(which)) {
      this.#programs.splice(this.#programs.indexOf(program), 1);
      await program.interrupt();
    }
  }

  async #bash(text: string): Promise<string> {
    const begin = (await readFile(this.#printed)).length;
    const output = async (): Promise<string> => (await readFile(this.#printed)).subarray(begin).toString();
    // Written to the file immediately, because the next command of the same block may search it.
    const printed = await open(this.#printed, "a");
    try {
      await run("bash", [...OPTIONS, `${RESTORE}; eval "$1"; ${KEEP}`, this.#state, text], {
        ...this.#environment,
        stdio: ["ignore", printed.fd, "pipe"],
        timeoutMs: COMMAND_MS,
      });
    } catch (cause) {
      throw new Error(`${cause instanceof Error ? cause.message : cause}\n--- Output:\n${await output()}`, { cause });
    } finally {
      await printed.close();
    }
    return output();
  }

  get #environment() {
    return {
      cwd: this.folder,
      env: {
        PATH: join(this.#around, "bin"),
        HOME: join(this.#around, "aside"),
        LANG: "C.UTF-8",
        TZ: "UTC",
        DOCS_PRINTED: this.#printed,
        DOCS_SETTINGS: this.#settings,
        // The pnpm that runs the tests, if any.
        ...(process.env.npm_execpath && { npm_execpath: process.env.npm_execpath }),
      },
    };
  }
}
