// More would be a circle.
const MAX_REDIRECTS = 10;

/** Just enough of one: it keeps cookies and follows redirects. */
export class Browser {
  /** The page it is on. */
  address = "";
  readonly #cookies = new Map<string, Map<string, string>>();

  open(address: string): Promise<Response> {
    return this.#go(address);
  }

  /** Sends a form to the page it is on. */
  press(fields: Readonly<Record<string, string>>): Promise<Response> {
    return this.#go(this.address, new URLSearchParams(fields));
  }

  async #go(start: string, form?: URLSearchParams): Promise<Response> {
    let address = new URL(start);
    let body = form;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await fetch(address, {
        redirect: "manual",
        headers: { cookie: this.#cookiesFor(address) },
        ...(body && { method: "POST", body }),
      });
      this.address = address.href;
      this.#keep(address, response);
      const location = response.headers.get("location");
      if (location === null || response.status < 300 || response.status >= 400) return response;
      await response.body?.cancel();
      address = new URL(location, address);
      body = undefined;
    }
    throw new Error(`Followed ${MAX_REDIRECTS} redirects from ${start} and came to no page.`);
  }

  #cookiesFor({ hostname }: URL): string {
    return [...(this.#cookies.get(hostname) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  // Browsers take secure cookies from this machine without TLS, too.
  #keep({ hostname }: URL, response: Response): void {
    const cookies = this.#cookies.get(hostname) ?? new Map<string, string>();
    this.#cookies.set(hostname, cookies);
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(";");
      const [name = "", ...value] = pair.split("=");
      if (attributes.some(isPast)) cookies.delete(name.trim());
      else cookies.set(name.trim(), value.join("=").trim());
    }
  }
}

function isPast(attribute: string): boolean {
  const [name = "", value = ""] = attribute.split("=").map((part) => part.trim());
  if (name.toLowerCase() === "max-age") return Number(value) <= 0;
  return name.toLowerCase() === "expires" && Date.parse(value) <= Date.now();
}
