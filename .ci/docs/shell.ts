import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, open, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { CodeBlock } from "./document.js";
import { type AtEnd, root, type Trial } from "./document.js";
import {
  endlessLine,
  freePorts,
  type Ports,
  type Program,
  type Settings,
  settingsFor,
  signalGroup,
  startProgram,
  withPorts,
} from "./programs.js";

/** What a clone has, and what its install and build add. What programs write there is not among it. */
const IN_A_CLONE = [
  ...[
    "README.md",
    "apps",
    "docs",
    "openapi",
    "packages",
    "package.json",
    "pnpm-workspace.yaml",
    "pnpm-lock.yaml",
    "run.mjs",
  ],
  ...["compose.yaml", "Dockerfile", "deploy", ".env.example", "node_modules"],
];

/** What is on every machine. All else that a document calls has a stand-in, or is not found. */
const COMMANDS = ["bash", "cat", "gzip", "node", "sh", "tar"];

const standIns = join(import.meta.dirname, "stand-ins.mjs");
const STAND_INS = ["curl", "docker", "media-ops", "npm", "npx", "openssl", "printed"];

/** A folder that looks like a fresh clone which is installed and built, and what can be called in it. */
interface Clone {
  readonly folder: string;
  readonly path: string;
  /** For what the test itself writes down; nothing that a document knows. */
  readonly aside: string;
}

async function makeClone(atEnd: AtEnd): Promise<Clone> {
  const around = await realpath(await mkdtemp(join(tmpdir(), "media-docs-")));
  atEnd(() => rm(around, { recursive: true, force: true }));
  const [folder, aside, bin] = [join(around, "media-ops"), join(around, "aside"), join(around, "bin")];
  for (const one of [folder, aside, bin]) await mkdir(one);
  for (const name of IN_A_CLONE.filter((one) => existsSync(join(root, one)))) {
    await symlink(join(root, name), join(folder, name));
  }
  for (const name of COMMANDS) await symlink(name === "node" ? process.execPath : whereIs(name), join(bin, name));
  for (const name of STAND_INS) {
    const command = join(bin, name);
    await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${standIns}" ${name} "$@"\n`);
    await chmod(command, 0o755);
  }
  return { folder, path: bin, aside };
}

function whereIs(command: string): string {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = folders.map((folder) => join(folder, command)).find((file) => existsSync(file));
  if (!found) throw new Error(`This machine has no ${command}.`);
  return found;
}

// Something that waits for what never comes is told before the test's own time is over.
const COMMAND_MS = 45_000;

export interface ShellOptions {
  /** Settings by root script ("media-bot"): what is other on this machine than where the document is read. */
  readonly settings?: (ports: Ports) => Settings;
  /** Until where programs run that do not end by themselves: a section, or {@link END}. @default the next section */
  readonly runsUntil?: string;
}

/** Programs run until the document ends. */
export const END = "END";

const OPTIONS = ["-euo", "pipefail", "-c"];
const RESTORE = 'source "$0"';
const KEEP = `{ printf 'cd %q\\n' "$PWD"; export -p; } > "$0"`;

/** A terminal in a clone, into which the blocks of a document are pasted one after another. */
export class Shell {
  readonly folder: string;
  readonly #document: string;
  readonly #clone: Clone;
  readonly #freePorts: Ports;
  readonly #settings: (ports: Ports) => Settings;
  readonly #runsUntil: string | undefined;
  readonly #programs: Program[] = [];
  readonly #puts: (readonly [text: string, value: string])[] = [];
  #section = "";

  static async open({ text, atEnd }: Trial, options: ShellOptions = {}): Promise<Shell> {
    const shell = new Shell(text, await makeClone(atEnd), await freePorts(), options);
    atEnd(() => shell.stopAll());
    await shell.newTerminal();
    await writeFile(shell.#printed, "");
    return shell;
  }

  private constructor(document: string, clone: Clone, ports: Ports, { settings, runsUntil }: ShellOptions) {
    const isThere = runsUntil === undefined || runsUntil === END || document.includes(`\n## ${runsUntil}\n`);
    if (!isThere) throw new Error(`The document has no section "${runsUntil}" any more.`);
    this.#document = document;
    this.folder = clone.folder;
    this.#clone = clone;
    this.#freePorts = ports;
    this.#runsUntil = runsUntil;
    this.#settings = (used) => {
      const [own, given] = [settingsFor(used, clone.folder), settings?.(used) ?? {}];
      const names = [...Object.keys(own), ...Object.keys(given)];
      return Object.fromEntries(names.map((name) => [name, { ...own[name], ...given[name] }]));
    };
  }

  /** Where what listens, or will when it is started. */
  get ports(): Ports {
    return { ...this.#freePorts, ...this.#programs.find(({ ports }) => ports)?.ports };
  }

  /** All that was printed so far; the stand-in `printed` searches it. */
  get #printed(): string {
    return join(this.#clone.aside, "printed.txt");
  }

  /** The settings, which the stand-in `npx` reads: as a variable they would be kept like what a document exports. */
  get #settingsFile(): string {
    return join(this.#clone.aside, "settings.json");
  }

  /** What `export` and `cd` have done so far, as commands. */
  get #state(): string {
    return join(this.#clone.aside, "state.sh");
  }

  /** Puts something in place of a text in all that is pasted from here on, such as a real token of what is "xoxb-…". */
  put(text: string, value: string): void {
    if (!this.#document.includes(text)) throw new Error(`The document does not say any more: ${text}`);
    this.#puts.unshift([text, value]);
  }

  /** Forgets what was exported: a reader would take another terminal here. */
  async newTerminal(): Promise<void> {
    await writeFile(this.#state, `cd '${this.folder}'\n`);
  }

  /** Pastes a block, and gives what it prints. Lines that do not end by themselves go on in the background. */
  async paste(block: CodeBlock): Promise<string> {
    if (block.section !== this.#section) await this.#enter(block.section);
    return this.run(this.#filledIn(block));
  }

  /** Runs something that no document says, as if it were pasted. */
  async run(text: string): Promise<string> {
    await writeFile(this.#settingsFile, JSON.stringify(this.#settings(this.ports)));
    let printed = "";
    let lines: string[] = [];
    const flush = async (): Promise<void> => {
      if (lines.length > 0) printed += await this.#bash(lines.join("\n"));
      lines = [];
    };
    for (const line of text.split("\n")) {
      const endless = endlessLine(line, this.ports);
      if (!endless) lines.push(line);
      else {
        await flush();
        // One that is started anew takes the place of the former.
        await this.#stop(({ name }) => name === endless.name);
        const command = ["bash", ...OPTIONS, `${RESTORE}; eval "exec $1"`, this.#state, line] as const;
        this.#programs.push(await startProgram(endless, command, this.#options));
      }
    }
    await flush();
    return printed;
  }

  /** Ends what runs in the background as Ctrl-C does. */
  async stopAll(): Promise<void> {
    await this.#stop(() => true);
  }

  async #enter(section: string): Promise<void> {
    this.#section = section;
    if (this.#runsUntil === undefined || this.#runsUntil === section) await this.stopAll();
  }

  async #stop(which: (program: Program) => boolean): Promise<void> {
    for (const program of this.#programs.filter(which)) {
      this.#programs.splice(this.#programs.indexOf(program), 1);
      await program.interrupt();
    }
  }

  #filledIn({ text, line }: CodeBlock): string {
    let filled = text;
    for (const [placeholder, value] of this.#puts) filled = filled.replaceAll(placeholder, value);
    const left = /^[^#\n]*…/m.exec(filled)?.[0];
    if (left) throw new Error(`Line ${line}: the test puts nothing in for the placeholder of: ${left}`);
    return withPorts(filled, this.ports);
  }

  async #bash(text: string): Promise<string> {
    const begin = (await readFile(this.#printed)).length;
    const printed = await open(this.#printed, "a");
    // What is printed goes into the file itself: the next command of the same block may need it.
    const child = spawn("bash", [...OPTIONS, `${RESTORE}; eval "$1"; ${KEEP}`, this.#state, text], {
      ...this.#options,
      stdio: ["ignore", printed.fd, "pipe"],
      detached: true,
    });
    const timer = setTimeout(() => signalGroup(child, "SIGKILL"), COMMAND_MS);
    let complaints = "";
    child.stderr.on("data", (part: Buffer) => {
      complaints += part.toString();
    });
    const [code, signal] = await once(child, "close");
    clearTimeout(timer);
    await printed.close();
    const output = (await readFile(this.#printed)).subarray(begin).toString();
    if (code === 0) return output;
    const why = signal ? `did not end within ${COMMAND_MS / 1000} s` : `ended with ${code}`;
    throw new Error(`This ${why}:\n${text}\n--- it printed\n${output}--- and complained\n${complaints}`);
  }

  get #options() {
    return {
      cwd: this.folder,
      env: {
        PATH: this.#clone.path,
        HOME: this.#clone.aside,
        LANG: "C.UTF-8",
        TZ: "UTC",
        DOCS_PRINTED: this.#printed,
        DOCS_SETTINGS: this.#settingsFile,
        // The pnpm that runs the tests, where one does.
        ...(process.env.npm_execpath && { npm_execpath: process.env.npm_execpath }),
      },
    };
  }
}
