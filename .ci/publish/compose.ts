import { parse } from "yaml";

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
