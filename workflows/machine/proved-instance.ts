import { given } from '../../providers/given.ts';
import type { Instance } from '../../providers/provider.ts';
import { AGAIN, type Answer } from './answer.ts';
import type { MachineMemory } from './memory.ts';
import type { NodeTarget } from './node-activities.ts';
import type { Pass } from './pass.ts';
import { tellState } from './tell-look.ts';

type Known = Pick<MachineMemory, 'launchedOnce' | 'instance' | 'judged'>;

/**
 * True where this workflow knows the instance to be the machine's: it saw the launch answer with it, or looked whose it is. A status
 * proves nothing, since others may write it.
 */
export function isProvedOwn({ launchedOnce, instance, judged }: Known, id: string): boolean {
  return launchedOnce === id || instance?.id === id || (judged?.id === id && judged.isOwn);
}

/** True where a look told that the instance is another's, and nothing before it that it is the machine's. */
export function isDisowned(memory: Known, id: string): boolean {
  return memory.judged?.id === id && !isProvedOwn(memory, id);
}

/** A look told that this instance is the machine's. It is recorded first: what comes before an instance's end has to be done for it, too. */
export function takeAsOwn(pass: Pass, { id, state }: Pick<Instance, 'id' | 'state'>): Answer {
  pass.memory.judged = { id, isOwn: true };
  pass.set({ instance: { id, state } });
  tellState(pass, id, state);
  return AGAIN;
}

/** For requests about the machine's Node: the instance on record, where it is known to be the machine's. */
export function nodeTarget({ target, memory, status: { instance } }: Pass): NodeTarget {
  const ownInstance = instance !== undefined && isProvedOwn(memory, instance.id) ? instance.id : undefined;
  return { ...target, ...given({ ownInstance }) };
}
