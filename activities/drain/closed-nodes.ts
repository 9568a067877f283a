import { BoundedMap } from '../../providers/bounded-map.ts';
import type { Clock } from '../../providers/clock.ts';
import type { Node } from '../../k8s/model/node.ts';
import { CarriedLooks, PassOver } from './carried-looks.ts';

/** Nodes that are remembered. */
const MOST = 5000;

/** A pass that closes a Node. Times are of the clock that never goes back. */
interface ClosingPass {
  /** Equal for the passes of one Machine, of which one is under way at a time. */
  readonly machine: string;
  /** Equal for what is closed in the same way. */
  readonly node: string;
  readonly startedAt: number;
  /** When it has to be over. */
  readonly until: number;
}

interface ClosedNode {
  readonly node: Node;
  /** Nobody knew it to be closed before. */
  readonly isNew: boolean;
}

/**
 * Since when this process knows Nodes to be closed, on the clock that never goes back. The time that a pass is given does not tell: it is
 * that of the question, and the answer may have been waited for since, also by a try before this one.
 */
export class ClosedNodes {
  readonly #clock: Clock;
  readonly #writes: CarriedLooks<ClosedNode>;
  readonly #since = new BoundedMap<string, number>(MOST);

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#writes = new CarriedLooks(clock);
  }

  /**
   * Closes a Node, and answers since when it is closed at the latest. Where that was not seen here, it is from now on: a worker before this
   * one may have closed it just now. Undefined: what an earlier pass sent is answered by now, and the Node may have been opened since; it is
   * to be looked at anew.
   *
   * @param close writes to it, where it is not closed
   * @throws PassOver where it is not answered in time: the next pass waits for that answer, and sends nothing beside it; and what `close` throws
   */
  async close(
    pass: ClosingPass,
    close: () => Promise<ClosedNode>,
  ): Promise<(ClosedNode & { readonly since: number }) | undefined> {
    const known = this.#since.get(pass.node);
    // Where no answer comes, it may have been closed only now.
    this.#since.delete(pass.node);
    const closed = await this.#answerTo(pass, close);
    if (closed === undefined) return undefined;
    const since = (closed.isNew ? undefined : known) ?? this.#clock.now();
    this.#since.set(pass.node, since);
    return { ...closed, since };
  }

  async #answerTo(
    { machine, startedAt, until }: ClosingPass,
    close: () => Promise<ClosedNode>,
  ): Promise<ClosedNode | undefined> {
    try {
      const { seen, began } = await this.#writes.take(machine, until, close);
      this.#writes.drop(machine);
      return began.now < startedAt ? undefined : seen;
    } catch (error) {
      if (!(error instanceof PassOver)) this.#writes.drop(machine);
      throw error;
    }
  }
}
