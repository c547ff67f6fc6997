import { afterAll, describe, expect, it } from "vitest";
import { revokeApiKey } from "../keys/api-keys.js";
import { newCredential } from "../keys/credential.js";
import { type Answer, pathOf } from "../test/harness.js";
import { RawConnection, requestText } from "../test/raw-http.js";
import { startTarget } from "../test/target.js";

const target = await startTarget({ atEnd: afterAll });

const tokens = pathOf.createAccessToken;
const sessions = pathOf.listSessionLogs;
const json = "Content-Type: application/json";

describe("a key", () => {
  it("is refused with the same answer whatever is wrong with it, and accepted in every valid notation", async () => {
    const { send, apiKey, service } = target;
    const revoked = await target.createKey("demo");
    await revokeApiKey(service.storage.query, revoked.split("_")[1] ?? "", Date.now());
    const unknown = newCredential("mo").text;
    const answerTo = async (...authorizations: string[]): Promise<Answer> => {
      const headers = authorizations.map((value) => `Authorization: ${value}`);
      const [answer] = await send(requestText([`POST ${tokens} HTTP/1.1`, "Host: media.test", ...headers]));
      if (!answer) throw new Error("Nothing was answered.");
      return answer;
    };

    for (const good of [`Bearer ${apiKey}`, `bearer ${apiKey}`, `BEARER ${apiKey}`, `Bearer   ${apiKey}  `]) {
      expect((await answerTo(good)).status, good).toBe(200);
    }

    const bad: string[][] = [
      [],
      [""],
      ["Bearer"],
      [apiKey],
      [`Basic ${apiKey}`],
      [`Bearer${apiKey}`],
      [`Bearer "${apiKey}"`],
      [`Bearer ${apiKey} ${apiKey}`],
      [`Bearer ${apiKey}, Bearer ${apiKey}`],
      [`Bearer ${unknown}`],
      [`Bearer ${revoked}`],
      [`Bearer ${newCredential("mi").text}`],
      [`Bearer mi${apiKey.slice(2)}`],
      [`Bearer ${apiKey.toUpperCase()}`],
      [`Bearer ${apiKey.slice(0, -1)}`],
      [`Bearer ${apiKey}A`],
      [`Bearer ${apiKey.slice(0, -43)}${"A".repeat(43)}`],
      [`Bearer ${apiKey}`, `Bearer ${unknown}`],
      [`Bearer ${unknown}`, `Bearer ${apiKey}`],
      [`Bearer ${apiKey}`, `Bearer ${apiKey}`],
    ];
    const seen = new Set<string>();
    for (const authorizations of bad) {
      const { status, headers, body } = await answerTo(...authorizations);
      expect(status, authorizations.join("; ").replaceAll(apiKey, "<key>")).toBe(401);
      const others = [...headers].filter(([name]) => name !== "date" && name !== "x-request-id");
      seen.add(JSON.stringify([{ ...(body as object), request_id: "" }, others]));
    }
    expect([...seen]).toHaveLength(1);
  });

  it("is refused on a connection that has used it, once its revocation is known", async () => {
    const { service, call, lines } = target;
    const key = await target.createKey("demo");
    const connection = await RawConnection.open(service.url);
    const bytes = requestText([...lines().slice(0, 2), `Authorization: Bearer ${key}`]);
    connection.write(bytes);
    expect(await connection.answers(1)).toMatchObject([{ status: 200 }]);
    await revokeApiKey(service.storage.query, key.split("_")[1] ?? "", Date.now());
    // A call with an unknown key makes the service read the keys again.
    await call(tokens, { key: newCredential("mo").text });
    connection.write(bytes);
    expect(await connection.answers(2)).toMatchObject([{ status: 200 }, { status: 401 }]);
    await connection.end();
  });
});

describe("a secret", () => {
  it("appears only in the answers that are meant to contain it, and never in a log", async () => {
    const { send, lines, apiKey, logged, call } = target;
    const { access_token: token } = (await call(tokens)).body as { access_token: string };
    const [head = "", ...headers] = lines();
    for (const secret of [apiKey, newCredential("mo").text, newCredential("mi").text, token]) {
      const escaped = secret.replace("_", "\\u005f").replace("J", "\\u004a");
      const bodies = [
        `{"${secret}":1}`,
        `{"a${escaped}b":1,"${secret}":{"${secret}":1,"${secret}":1}}`,
        `{"role":"${secret}","channel_id":"${secret}","jwt_id":"${secret}","not_before":"${secret}"}`,
        `{"channel_id":"${escaped}@other"}`,
        `"${secret}"`,
        secret,
        `{"${secret}`,
      ];
      const requests = [
        requestText(lines(`/${secret}`)),
        requestText(lines(`/a${secret}/b`)),
        requestText(lines(`${sessions}?key=${secret}`)),
        requestText(lines(`http://${secret}${tokens}`)),
        requestText(lines(`/%zz${secret}`)),
        requestText([`${head} ${secret}`, ...headers]),
        requestText([...lines(), secret]),
        requestText([...lines(), `${secret}: ${secret}`]),
        requestText([...lines(), `X-Request-Id: ${secret}`]),
        requestText([...lines(), `Expect: ${secret}`]),
        requestText([...lines(), `Content-Type: ${secret}`, "Content-Length: 2"], "{}"),
        requestText([...lines(), `Cookie: ${secret}`, `User-Agent: ${secret}`, `Referer: ${secret}`]),
        requestText([head, `Host: ${secret}`, ...headers.slice(1)]),
        requestText([head, "Host: media.test", `Authorization: Basic ${secret}`]),
        ...[tokens, sessions].flatMap((path) =>
          bodies.map((body) => requestText([...lines(path), json, `Content-Length: ${body.length}`], body)),
        ),
      ];
      const hidden = secret.slice(-43);
      for (const bytes of requests) {
        for (const { status, headers, text } of await send(bytes)) {
          expect(JSON.stringify([status, [...headers], text])).not.toContain(hidden);
        }
      }
      expect((await call(pathOf.listApiLogs)).text).not.toContain(hidden);
      expect(logged()).not.toContain(hidden);
    }
    expect(logged()).toContain("[redacted]");
  });
});
