import { connect } from "node:net";

// A port of this machine answers at once, or never: some systems only say late that nobody is there.
const ANSWER_MS = 300;

/** Whether somebody listens there. */
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
