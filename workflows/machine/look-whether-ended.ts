import { proveAbsence, frozenParameters } from './look-at-instance.ts';
import type { InstanceLook } from './machine-activities.ts';
import type { InstanceLooks } from './memory.ts';
import type { Pass } from './pass.ts';
import { local } from './ports.ts';

/** Between two looks, in milliseconds. */
const APART_MS = 30_000;

/** Looks at the instance of a Node that may be down, now and then: why nothing can run on it any more; undefined: it may. */
export async function lookWhetherEnded(
  pass: Pass,
  slot: InstanceLooks & { lookedAt?: number },
): Promise<string | undefined> {
  const { instanceId: id, nowMs: askedAt } = pass;
  if (id === undefined || askedAt < (slot.lookedAt ?? -Infinity) + APART_MS) return undefined;
  slot.lookedAt = askedAt;
  const look = await lookOnce(pass, id);
  if (look.outcome === 'absent') {
    const proof = proveAbsence(pass, slot, id, look, askedAt);
    return 'proved' in proof ? `the cloud did not know instance ${id} in ${proof.proved} looks` : undefined;
  }
  if (look.outcome !== 'found') return undefined;
  delete slot.absentLooks;
  const { state } = look.instance;
  pass.set({ instance: { id, state } });
  return state === 'terminated' ? `instance ${id} has ended` : undefined;
}

/** A reason to look at the instance holds until the cloud has answered; one that comes meanwhile is another. */
async function lookOnce(pass: Pass, id: string): Promise<InstanceLook> {
  const { memory, target } = pass;
  const isAskedFor = memory.inspect === true;
  let isAnswered = false;
  delete memory.inspect;
  try {
    const look = await local.lookAtInstance({ ...target, id, ...frozenParameters(pass) });
    isAnswered = look.outcome !== 'failed';
    return look;
  } finally {
    if (isAskedFor && !isAnswered) memory.inspect = true;
  }
}
