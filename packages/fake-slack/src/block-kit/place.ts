/** Where blocks are shown. */
export type Surface = "message" | "modal" | "home";

/** A spot in what is being checked. Faults are taken down with a pointer to it. */
export class Place {
  readonly surface: Surface;
  readonly #pointer: string;
  readonly #faults: string[];

  constructor(surface: Surface, pointer: string, faults: string[]) {
    this.surface = surface;
    this.#pointer = pointer;
    this.#faults = faults;
  }

  /** How many faults the whole check has found up to now. */
  get faultCount(): number {
    return this.#faults.length;
  }

  /** The field or item in here. Needs no escaping: only names that stand in the rules are pointed to. */
  at(...keys: (string | number)[]): Place {
    return new Place(this.surface, [this.#pointer, ...keys].join("/"), this.#faults);
  }

  fault(message: string): void {
    this.#faults.push(`${message} [json-pointer:${this.#pointer}]`);
  }
}
