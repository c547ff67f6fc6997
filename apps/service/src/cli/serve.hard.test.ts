import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { RawConnection, requestText } from "../test/raw-http.js";
import { commandLine, serve } from "./test/command-line.js";

/** Node options for a program that throws an uncaught error when it receives SIGUSR2. */
const failingAtSignal = (how: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(`process.on("SIGUSR2",()=>{${how}})`)}`;

it.each([
  ["an error", 'throw new Error("planted mo_k1_CorrectHorse8batteryStaple")'],
  ["a rejected promise", 'Promise.reject(new Error("planted mo_k1_CorrectHorse8batteryStaple"))'],
])(
  "an uncaught %s is logged without secrets; the service finishes its open calls and then exits with 1",
  async (_, how) => {
    const { json, options } = await commandLine({ NODE_OPTIONS: failingAtSignal(how) });
    const { api_key: key } = await json("projects", "create", "demo");
    const { child, lines, url } = await serve(options);
    const connection = await RawConnection.open(url);
    onTestFinished(() => connection.end());
    const head = ["POST /projects/create-access-token HTTP/1.1", "Host: a", `Authorization: Bearer ${key}`];
    connection.write(requestText([...head, "Content-Type: application/json", "Content-Length: 2"]));
    // Answered only after the service has read the request before it.
    await fetch(`${url}/openapi.yaml`);
    const exited = once(child, "exit");
    child.kill("SIGUSR2");
    await expect.poll(() => lines.some((line) => line.includes('"msg":"stopping"'))).toBe(true);
    connection.write("{}");
    expect((await connection.answers(1)).map(({ status }) => status)).toEqual([200]);
    expect(await exited).toEqual([1, null]);
    const [fatal = ""] = lines.filter((line) => line.includes('"level":"fatal"'));
    expect(JSON.parse(fatal)).toMatchObject({
      err: { message: "planted mo_k1_[redacted]", stack: expect.any(String) },
    });
    expect(lines.join("\n")).not.toContain("CorrectHorse");
    expect(lines.at(-1)).toContain('"msg":"stopped"');
  },
);
