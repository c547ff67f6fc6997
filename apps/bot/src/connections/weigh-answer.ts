import type { Allowance } from "./read-budget.js";

// What a parsed value costs beside its text: 32 bytes count as up to 200 on the heap. An answer of nothing but `{}` takes
// twenty times its length there, and a second of CPU for every 8 MB.
const BYTES_PER_VALUE = 32;

/** The same answer, whose body is paid for from the allowance while it is read: its unfolded bytes, and its JSON values. */
export function weighAnswer(response: Response, allowance: Allowance): Response {
  if (!response.body) return response;
  const countValues = createValueCounter();
  const weigh = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      allowance.take(chunk.length + countValues(chunk) * BYTES_PER_VALUE);
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(weigh), { status, statusText, headers });
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0));

/** Counts the JSON values in the chunks of a text, before it is parsed; never too few. */
function createValueCounter(): (chunk: Uint8Array) => number {
  let isInString = false;
  let isEscaped = false;
  return (chunk) => {
    let values = 0;
    for (const byte of chunk) {
      if (isEscaped) isEscaped = false;
      else if (byte === QUOTE) isInString = !isInString;
      else if (isInString) isEscaped = byte === BACKSLASH;
      else if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
    }
    return values;
  };
}
