import { parse } from "yaml";

/** One instruction of a stage, such as COPY, with what stands behind it. */
interface Instruction {
  name: string;
  text: string;
}

interface Stage {
  name: string;
  from: string;
  instructions: readonly Instruction[];
}

/** What a container of an image starts with. */
export interface ImageSettings {
  entrypoint: string[];
  command: string[];
  healthCheck: string[];
  env: Record<string, string>;
  user: string;
  volumes: string[];
  ports: string[];
  stopSignal: string;
}

/** Reads a Dockerfile into its stages. */
export function readStages(text: string): Stage[] {
  const lines = text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .join("\n")
    .replace(/\\\n\s*/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: Array<Stage & { instructions: Instruction[] }> = [];
  for (const line of lines) {
    const [, name = "", text = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === "FROM") {
      const [, from = "", as = ""] = /^(?:--\S+\s+)*(\S+)\s+AS\s+(\S+)$/.exec(text) ?? [];
      stages.push({ name: as, from, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push({ name, text });
    }
  }
  return stages;
}

/** All instructions of a stage, behind those of the stages that it begins with. */
export function instructionsOf(stages: readonly Stage[], name: string): Instruction[] {
  const stage = stages.find((one) => one.name === name);
  return stage ? [...instructionsOf(stages, stage.from), ...stage.instructions] : [];
}

export function imageSettings(stages: readonly Stage[], target: string): ImageSettings {
  const instructions = instructionsOf(stages, target);
  const all = (name: string): string[] => instructions.filter((one) => one.name === name).map(({ text }) => text);
  const last = (name: string): string => all(name).at(-1) ?? "";
  const words = (texts: string[]): string[] => texts.flatMap((text) => text.split(/\s+/));
  return {
    entrypoint: list(last("ENTRYPOINT")),
    command: list(last("CMD")),
    healthCheck: list(last("HEALTHCHECK").replace(/^.*?CMD\s+/, "")),
    env: Object.fromEntries(words(all("ENV")).map((pair) => splitPair(pair))),
    user: last("USER"),
    volumes: words(all("VOLUME")),
    ports: words(all("EXPOSE")),
    stopSignal: last("STOPSIGNAL"),
  };
}

const list = (text: string): string[] => (text === "" ? [] : JSON.parse(text));

function splitPair(pair: string): [string, string] {
  const [name = "", value = ""] = pair.split(/=(.*)/, 2);
  return [name, value];
}

type Variables = Readonly<Record<string, string>>;

/** What is read of a service of compose.yaml. */
interface ComposeService {
  image: string;
  build?: { context: string; target: string };
  environment: Record<string, string>;
  expose?: string[];
  ports?: string[];
  volumes: Array<string | { type: string; source: string; target: string }>;
  read_only?: boolean;
  profiles?: string[];
  depends_on?: Record<string, object>;
}

interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

/** Reads compose.yaml as Compose does it: with the variables of a file .env put in their places. */
export function readCompose(text: string, variables: Variables): Compose {
  return parse(text, (_, value) => (typeof value === "string" ? interpolate(value, variables) : value), {
    merge: true,
  });
}

/** Of Compose's ways to name a variable, those that compose.yaml uses. */
function interpolate(text: string, variables: Variables): string {
  return text.replace(/\$\{(\w+):([-+])([^}]*)\}/g, (_, name: string, sign: string, other: string) => {
    const value = variables[name] ?? "";
    if (sign === "+") return value === "" ? "" : other;
    return value === "" ? other : value;
  });
}
