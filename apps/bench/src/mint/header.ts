/** The header of a token that an API key signs, as the service writes it. */
export function headerOf(apiKey: string) {
  const [, kid = ""] = apiKey.split("_");
  return { alg: "HS256", typ: "JWT", kid } as const;
}
