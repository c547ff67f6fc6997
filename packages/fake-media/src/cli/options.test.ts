import { describe, expect, it } from "vitest";
import { incidentHelp, optionTable, parseDuration, parseOptions } from "./options.js";
import { helpText } from "./run.js";

const needed = ["--intake", "http://127.0.0.1:8081", "--key", "mi_secret"];

function optionsOf(...args: string[]) {
  const parsed = parseOptions([...needed, ...args]);
  if (parsed.kind !== "run") throw new Error(JSON.stringify(parsed));
  return parsed.options;
}

function faultsOf(args: string[]): readonly string[] {
  const parsed = parseOptions(args);
  return parsed.kind === "faults" ? parsed.faults : [];
}

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["60s", 60_000],
    ["1.5s", 1500],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["60", undefined],
    ["0s", undefined],
    ["-1s", undefined],
    ["1 s", undefined],
    ["", undefined],
    ["s", undefined],
    ["1d", undefined],
    ["1toString", undefined],
  ])("%j is %s ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
});

describe("the options", () => {
  it("have defaults", () => {
    expect(optionsOf()).toEqual({
      intakeUrl: "http://127.0.0.1:8081/intake",
      key: "mi_secret",
      keyIn: "header",
      projects: ["demo"],
      channels: 20,
      rate: 10,
      forMs: undefined,
      connections: undefined,
      seed: 1,
      token: undefined,
      expiredToken: undefined,
      fullToken: undefined,
      nodes: [],
      clients: 0,
      incidents: [],
      twice: 0,
      late: 0,
      outOfOrder: 0,
      apiPort: 0,
      reportsConnections: true,
      json: false,
    });
  });

  it("are parsed", () => {
    const args = "--channels 3 --rate 0.5 --for 5m --seed 9 --token jwt --twice 0.1 --late=1 --out-of-order 0.25";
    const more = "--api-port 7000 --project a --project b --key-in-path --no-counts --json";
    expect(optionsOf(...args.split(" "), ...more.split(" "))).toMatchObject({
      channels: 3,
      rate: 0.5,
      forMs: 300_000,
      seed: 9,
      token: "jwt",
      twice: 0.1,
      late: 1,
      outOfOrder: 0.25,
      apiPort: 7000,
      projects: ["a", "b"],
      keyIn: "path",
      reportsConnections: false,
      json: true,
    });
    expect(optionsOf("--connections", "10000").connections).toBe(10_000);
  });

  it("plant incidents", () => {
    const args = "--for 1h --node a --node node-2 --clients 9 --project demo --project other --expired-token old";
    const more = "--full-token five --incident turn-outage:node-2@10m+5m --incident channel-full:small:5@0s+1.5m";
    const last = "--incident expired-token:lobby-1@other@59m+60s";
    const options = optionsOf(...args.split(" "), ...more.split(" "), ...last.split(" "));
    expect(options).toMatchObject({ nodes: ["a", "node-2"], clients: 9 });
    const accessToken = expect.any(Function);
    expect(options.incidents).toEqual([
      { kind: "turn-outage", nodeName: "node-2", at: 600_000, for: 300_000 },
      { kind: "channel-full", channelId: "small@demo", seats: 5, at: 0, for: 90_000, accessToken },
      {
        ...{ kind: "expired-token", channelId: "lobby-1@other", clientId: "retry-loop", at: 3_540_000, for: 60_000 },
        accessToken,
      },
    ]);
    const tokens = options.incidents.map((incident) => "accessToken" in incident && incident.accessToken());
    expect(tokens).toEqual([false, "five", "old"]);
  });

  it("may follow the -- that pnpm passes on", () => {
    expect(parseOptions(["--", ...needed]).kind).toBe("run");
  });

  it.each([
    ["http://127.0.0.1:8081", "http://127.0.0.1:8081/intake"],
    ["http://127.0.0.1:8081/", "http://127.0.0.1:8081/intake"],
    ["http://127.0.0.1:8081/intake", "http://127.0.0.1:8081/intake"],
    ["http://127.0.0.1:8081/intake/", "http://127.0.0.1:8081/intake"],
    ["http://media.internal/a/intake", "http://media.internal/a/intake"],
  ])("accept the URL %s", (given, intakeUrl) => {
    expect(parseOptions(["--intake", given, "--key", "k"])).toMatchObject({ options: { intakeUrl } });
  });

  it("are all in the help", () => {
    for (const name of Object.keys(optionTable)) expect(helpText()).toContain(`--${name}`);
    for (const form of Object.keys(incidentHelp)) expect(helpText()).toContain(`  ${form}  `);
    expect(parseOptions(["--help", "--rate", "x"]).kind).toBe("help");
  });
});

describe("an invalid option returns an explanation", () => {
  it.each([
    [["--rate", "many"], /^--rate must be a number above 0/],
    [["--rate", "0"], /^--rate must be/],
    [["--rate", ""], /^--rate must be/],
    [["--channels", "1.5"], /^--channels must be a whole number from 1/],
    [["--connections", "0"], /^--connections must be a whole number from 1/],
    [["--seed", "-1"], /^--seed must be/],
    [["--twice", "2"], /^--twice must be a share from 0 to 1/],
    [["--late", "x"], /^--late must be a share/],
    [["--out-of-order", "-0.1"], /^--out-of-order must be a share/],
    [["--api-port", "70000"], /^--api-port must be a port/],
    [["--for", "60"], /^--for must be a time .* such as 500ms, 60s or 5m/],
    [["--project", "lobby@demo"], /^--project must be the id/],
    [["--key", "mi with spaces"], /^--key must be printable/],
    [["--intake", "https://x"], /^--intake must be an http:\/\/ address/],
    [["--intake", "127.0.0.1:8081"], /^--intake must be/],
    [["--colour", "red"], /^fake-media has no option --colour/],
    [["-x"], /^fake-media has no option -x/],
    [["traffic"], /^fake-media takes options only/],
    [["--json=yes"], /^--json takes no value/],
    [["--token"], /^--token needs a value/],
    [["--seed", "1", "--seed", "2"], /^--seed was given twice/],
    [["--rate", "--json"], /^--rate needs a value/],
    [["--node", ""], /^--node must be/],
    [["--clients", "-1"], /^--clients must be a whole number from 0/],
    [["--incident", "turn-outage:node-2"], /^--incident must be one of turn-outage:NODE, .*such as @10m\+5m/],
    [["--incident", "flood:node-2@1s+1s"], /^--incident must be one of/],
    [["--incident", "turn-outage:node-2@soon+1s"], /^--incident must be one of/],
    [["--incident", "turn-outage:node-2@1s+0s"], /^--incident must be one of/],
    [["--incident", "turn-outage:node-2@1s+1s"], /^--incident turn-outage must name a node that is given with --node/],
    [["--node", "a", "--incident", "turn-outage:a@0s+40s"], /^--incident turn-outage must end 20.5s before --for/],
    [["--incident", "expired-token:lobby@1s+1s"], /^--incident expired-token needs a token: --expired-token JWT/],
    [["--expired-token", "t", "--incident", "expired-token:a@1s+1m"], /^--incident expired-token must end before/],
    [["--incident", "channel-full:small:5@1s+1s"], /^--incident channel-full needs a token: --full-token JWT/],
    [
      ["--full-token", "t", "--incident", "channel-full:small@1s+1s"],
      /^--incident channel-full must have .* its seats/,
    ],
    [["--full-token", "t", "--incident", "channel-full:a:0@1s+1s"], /^--incident channel-full must have .* its seats/],
    [
      ["--connections", "5", "--node", "a", "--incident", "turn-outage:a@0s+1s"],
      /^--incident and --connections do not go together/,
    ],
    [["--connections", "5", "--rate", "3"], /^--rate and --connections do not go together/],
  ])("%j", (args, sentence) => {
    const others = needed.filter((_, at) => needed[at - (at % 2)] !== args[0]);
    expect(faultsOf([...others, ...args])[0]).toMatch(sentence);
  });

  it("lists all invalid options together, without repeating their values", () => {
    const faults = faultsOf(["--rate", "mi_secret", "--key", "mi_secret b", "mi_secret"]);
    expect(faults).toHaveLength(4);
    expect(faults.join()).toContain("--intake is missing");
    expect(faults.join()).not.toContain("mi_secret");
    expect(faultsOf(["--intake", "http://x"])).toEqual([expect.stringContaining("--key is missing")]);
  });
});
