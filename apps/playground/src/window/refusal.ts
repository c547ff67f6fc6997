/** A request that is not answered as it wants; the message says why. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
