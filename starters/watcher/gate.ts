/** Something to wait at while the way is closed. */
export class Gate {
  #way: Promise<void> | undefined;
  #open: (() => void) | undefined;

  get isOpen(): boolean {
    return this.#way === undefined;
  }

  close(): void {
    if (this.#way !== undefined) return;
    this.#way = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open?.();
    this.#way = undefined;
    this.#open = undefined;
  }

  /** Resolves once the gate is open. */
  async passed(): Promise<void> {
    while (this.#way !== undefined) await this.#way;
  }
}
