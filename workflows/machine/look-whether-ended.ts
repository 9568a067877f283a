import { askAfterInstance, lookTimeOf, proveAbsence } from './look-at-instance.ts';
import type { InstanceLook } from './instance-activities.ts';
import type { InstanceLooks, StandstillLooks } from './memory.ts';
import type { Pass } from './pass.ts';
import { tellGone, tellLook } from './tell-look.ts';

/** Between two looks, in milliseconds: while the instance is on its way to stand still, and else. */
const APART_MS = { stopping: 5000, else: 30_000 } as const;

/** Nothing runs on the Node of an instance: for good, or until somebody starts the instance again. */
export interface Standstill {
  readonly is: 'ended' | 'stopped';
  readonly why: string;
}

/**
 * Looks now and then at the instance of a Node that may be down.
 *
 * @param unknownSince since when the Node's kubelet is not heard of, in milliseconds since the epoch: an instance that is seen to be
 * stopped after that does not run. @default the Node may answer, and only the end of its instance counts
 * @returns why nothing runs on the Node; undefined: something may
 */
export async function lookWhetherEnded(
  pass: Pass,
  slot: InstanceLooks & StandstillLooks,
  unknownSince = Infinity,
): Promise<Standstill | undefined> {
  const { instanceId: id, nowMs: askedAt } = pass;
  if (id === undefined) return undefined;
  const { lookedAt = -Infinity, isForEndOnly = false } = slot;
  const isNewlyUnknown = (lookedAt < unknownSince || isForEndOnly) && askedAt >= unknownSince;
  if (askedAt < nextLookAt(pass, slot) && !isNewlyUnknown) return undefined;
  slot.lookedAt = askedAt;
  if (unknownSince === Infinity) slot.isForEndOnly = true;
  else delete slot.isForEndOnly;
  const look = await lookOnce(pass, id);
  tellLook(pass, id, look);
  if (look.outcome === 'absent') {
    const proof = proveAbsence(pass, slot, id, look, askedAt);
    if (!('proved' in proof)) return undefined;
    tellGone(pass, id, `the cloud did not know it in ${proof.proved} looks`);
    return { is: 'ended', why: `the cloud did not know instance ${id} in ${proof.proved} looks` };
  }
  if (look.outcome !== 'found') return undefined;
  delete slot.absentLooks;
  const { state } = look.instance;
  pass.set({ instance: { id, state } });
  if (state === 'terminated') return { is: 'ended', why: `instance ${id} has ended` };
  if (state !== 'stopped' || lookTimeOf(pass, look, askedAt) < unknownSince) return undefined;
  return { is: 'stopped', why: `instance ${id} is stopped, and its Node does not answer` };
}

/** When it is looked at again, in milliseconds since the epoch. */
export function nextLookAt(pass: Pass, { lookedAt = -Infinity }: { readonly lookedAt?: number }): number {
  return lookedAt + (isStopping(pass) ? APART_MS.stopping : APART_MS.else);
}

/** The cloud said last that the instance is about to be stopped, or to end. */
export function isStopping({ status: { instance } }: Pick<Pass, 'status'>): boolean {
  return instance?.state === 'stopping' || instance?.state === 'shutting-down';
}

/** Where somebody asked for a look, that stays asked for until the cloud has answered. What is asked for meanwhile is another look. */
async function lookOnce(pass: Pass, id: string): Promise<InstanceLook> {
  const { memory } = pass;
  const isAskedFor = memory.inspect === true;
  let isAnswered = false;
  delete memory.inspect;
  try {
    const look = await askAfterInstance(pass, id);
    isAnswered = look.outcome !== 'failed';
    return look;
  } finally {
    if (isAskedFor && !isAnswered) memory.inspect = true;
  }
}
