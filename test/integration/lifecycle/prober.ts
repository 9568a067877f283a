import { PODS } from '../../../k8s/resources.ts';
import { getStack } from '../stack.ts';
import { isServing, type MaybeReady } from './ready-record.ts';

export interface ProbeResult {
  /** How often it looked. */
  readonly looks: number;
  /** In how many of these no pod was Ready. */
  readonly without: number;
}

/** Between two looks, in milliseconds. */
const PAUSE_MS = 20;

/** Looks again and again whether somebody would be answered: whether a pod is Ready that is not asked to end. */
export class Prober {
  readonly #namespace: string;
  readonly #labelSelector: string;
  #isOver = false;
  #looking: Promise<ProbeResult> | undefined;

  constructor(namespace: string, labelSelector: string) {
    this.#namespace = namespace;
    this.#labelSelector = labelSelector;
  }

  /** How many pods are Ready now. */
  async look(): Promise<number> {
    const query = { namespace: this.#namespace, labelSelector: this.#labelSelector };
    const { items } = await getStack().kube.list<MaybeReady>(PODS, query);
    return items.filter(isServing).length;
  }

  start(): void {
    this.#looking = this.#lookOn();
  }

  async end(): Promise<ProbeResult> {
    this.#isOver = true;
    return this.#looking ?? { looks: 0, without: 0 };
  }

  async #lookOn(): Promise<ProbeResult> {
    let looks = 0;
    let without = 0;
    while (!this.#isOver) {
      if ((await this.look()) === 0) without += 1;
      looks += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return { looks, without };
  }
}
