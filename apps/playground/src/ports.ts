import { randomInt } from "node:crypto";
import { type AddressInfo, connect, createServer } from "node:net";

/** The port of each listener. */
export interface Ports {
  readonly page: number;
  readonly service: number;
  readonly intake: number;
  readonly bot: number;
  readonly slack: number;
  readonly mediaApi: number;
  readonly receiver: number;
}

/** A preferred port that was taken, and its replacement. */
export interface TakenPort {
  readonly wanted: number;
  readonly what: string;
  readonly port: number;
}

export const wantedPorts: Ports = {
  page: 4000,
  service: 8080,
  intake: 8081,
  bot: 3000,
  slack: 4001,
  mediaApi: 4002,
  receiver: 4003,
};

export const anyPorts: Ports = { page: 0, service: 0, intake: 0, bot: 0, slack: 0, mediaApi: 0, receiver: 0 };

const names: Readonly<Record<keyof Ports, string>> = {
  page: "the page",
  service: "the service",
  intake: "the service's internal listener",
  bot: "the bot",
  slack: "the fake Slack",
  mediaApi: "the media server's API",
  receiver: "the receiver of webhooks",
};

const HOST = "127.0.0.1";
const TRIES = 10;
// Below the ports that systems give to outgoing connections, which could take a chosen port before its server listens.
const ANY_FROM = 20_000;
const ANY_BELOW = 32_000;

/** The preferred ports if they are free, else others; reports each of those. */
export async function choosePorts(wanted: Ports, onTaken: (taken: TakenPort) => void): Promise<Ports> {
  // Nothing listens on them yet.
  const chosen = new Set<number>();
  const choose = async (what: keyof Ports): Promise<number> => {
    const port = await findPort(names[what], wanted[what], { chosen, onTaken });
    chosen.add(port);
    return port;
  };
  return {
    page: await choose("page"),
    service: await choose("service"),
    intake: await choose("intake"),
    bot: await choose("bot"),
    slack: await choose("slack"),
    mediaApi: await choose("mediaApi"),
    receiver: await choose("receiver"),
  };
}

interface FindOptions {
  readonly chosen: ReadonlySet<number>;
  readonly onTaken: (taken: TakenPort) => void;
}

/** The wanted port if it is free, else another; 0 means any. */
async function findPort(what: string, wanted: number, { chosen, onTaken }: FindOptions): Promise<number> {
  const isFree = async (port: number): Promise<boolean> =>
    !chosen.has(port) && !(await isAnswered(port)) && (await portOf(port)) !== undefined;
  if (wanted === 0) return anyFree(isFree);
  if (await isFree(wanted)) return wanted;
  const port = await nextFree(wanted, isFree);
  onTaken({ wanted, what, port });
  return port;
}

/** In steps of ten, so that neighbours stay neighbours: 8090 and 8091 instead of 8080 and 8081. */
async function nextFree(wanted: number, isFree: (port: number) => Promise<boolean>): Promise<number> {
  for (let nth = 1; nth <= TRIES; nth++) {
    const port = wanted + 10 * nth;
    if (port <= 65_535 && (await isFree(port))) return port;
  }
  return anyFree(isFree);
}

async function anyFree(isFree: (port: number) => Promise<boolean>): Promise<number> {
  for (let nth = 1; nth <= TRIES; nth++) {
    const port = randomInt(ANY_FROM, ANY_BELOW);
    if (await isFree(port)) return port;
  }
  return (await portOf(0)) ?? 0;
}

/**
 * Whether anything listens there already, on either address of "localhost". Some systems allow to listen on one address
 * beside a server that listens on all, and would then send its requests here.
 */
async function isAnswered(port: number): Promise<boolean> {
  const answers = await Promise.all([HOST, "::1"].map((host) => isListening(host, port)));
  return answers.includes(true);
}

/** Whether an error means that a port is taken. */
export function isTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "EADDRINUSE") || isTaken(error.cause);
}

/** Listens there for a moment, and returns the port; undefined if that fails. */
function portOf(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(undefined));
    server.listen(port, HOST, () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}

// A port of this machine answers at once or never: some systems refuse a connection only later.
const ANSWER_MS = 300;

/** Whether anything listens there. */
export function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_MS });
    const end = (isThere: boolean) => (): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on("connect", end(true)).on("error", end(false)).on("timeout", end(false));
  });
}
