import type { CloudAccess } from '../../k8s/model/machine.ts';
import { CLOUD_NOT_ANSWERING, type Instance } from '../../providers/provider.ts';
import { asSummary } from '../summary.ts';
import { planAbsenceProof, withLook } from './absence-proof.ts';
import { awaitTurn, retryMs, turnMs } from './await-turn.ts';
import { isGone } from './instance-facts.ts';
import type { Life, Next } from './life.ts';
import type { Asked } from './machine-activities.ts';
import { local } from './ports.ts';

/** Between two looks of a proof at least, in milliseconds. */
export const LOOK_AGAIN_MS = 1000;

/** Failures of a look that are a reason of their own to wait. */
const TOLD_BY_NAME: ReadonlySet<string> = new Set(['AccountChanged', CLOUD_NOT_ANSWERING]);

/** Name of the step in what a machine says it waits for. */
export const INSPECT_STEP = 'InspectInstance';

/** Writes what the cloud says of the instance into the Machine. */
export async function recordInstance(life: Life, instance: Instance, cloud?: CloudAccess): Promise<void> {
  life.set({
    ...(cloud === undefined ? {} : { cloud }),
    instance: { id: instance.id, state: instance.state },
    ...(instance.account === undefined ? {} : { account: instance.account }),
    addresses: [...instance.addresses],
  });
  life.setCondition({
    type: 'InstanceExists',
    status: 'True',
    reason: 'InstanceExists',
    message: `the cloud reports instance ${instance.id} as ${instance.state}`,
  });
  life.providerID = instance.providerID;
  life.noteInstance(instance.id);
  const event = life.event === undefined ? {} : { event: life.event };
  const summary = asSummary(`record instance ${instance.id} (${instance.state}) in the Machine`);
  const replaces = namesAnother(life.seen.machine, instance) ? { replaces: true as const } : {};
  await local.recordInstance.executeWithOptions({ summary }, [
    { ...life.target, instance, ...replaces, status: life.status, ...event },
  ]);
  life.memory.instance = { ...instance, addresses: [] };
  // The attempt has come to its end: nothing of it is unknown any more.
  delete life.memory.launch;
  life.written();
}

function namesAnother({ providerID }: Life['seen']['machine'], { id }: Instance): boolean {
  return providerID !== undefined && providerID.split('/').at(-1) !== id;
}

/**
 * Looks at the instance in the cloud. Gone means terminated, or absent from three looks over the window; and when most
 * instances of these credentials are absent at once, that is a condition to show, not a fact to act on.
 */
export async function inspectInstance(life: Life, id: string): Promise<Next | undefined> {
  const { memory } = life;
  const askedAt = life.nowMs;
  const look = await local.lookAtInstance({ ...life.target, id, ...frozenParameters(life) });
  switch (look.outcome) {
    case 'found': {
      memory.absentLooks = [];
      memory.inspect = false;
      memory.failures = 0;
      if (isGone(look.instance.state)) {
        life.set({ instance: { id, state: look.instance.state } });
        return declareGone(life, id, `the cloud reports it as ${look.instance.state}`);
      }
      memory.settled = life.isNodeReady;
      delete memory.settleAt;
      if (life.status.waiting?.step === INSPECT_STEP) life.proceed();
      await recordInstance(life, look.instance, look.cloud);
      return undefined;
    }
    case 'absent': {
      const lookedAt = lookTimeOf(life, look, askedAt);
      const windowMs = life.settings.goneWindowSeconds * 1000;
      memory.absentLooks = withLook(memory.absentLooks, lookedAt, windowMs);
      const due = planAbsenceProof(memory.absentLooks, memory.absentLooks[0] ?? lookedAt, windowMs);
      if (due === 'proved') {
        const looks = memory.absentLooks.length;
        return declareGone(
          life,
          id,
          `the cloud did not know it in ${looks} looks over ${life.settings.goneWindowSeconds} s`,
        );
      }
      return keepLooking(
        life,
        'InstanceMissing',
        `the cloud does not know instance ${id}; it counts as gone when further looks agree`,
        // An answer that came late may be older than the next look is due.
        Math.max(due, life.nowMs + LOOK_AGAIN_MS),
      );
    }
    case 'foreign':
      return keepLooking(
        life,
        'InstanceOfAnother',
        `${look.message}: it is neither adopted nor touched`,
        life.nowMs + life.settings.goneWindowSeconds * 1000,
      );
    case 'untrusted':
      memory.absentLooks = [];
      return keepLooking(
        life,
        'ManyInstancesMissing',
        look.message,
        life.nowMs + life.settings.goneWindowSeconds * 1000,
      );
    case 'failed': {
      const { failure } = look;
      if (failure.notSent === true) {
        // A cloud that hangs leaves open what became of the instance; a call that waits for its turn does not.
        if (failure.cloudCode !== CLOUD_NOT_ANSWERING) return awaitTurn(life, INSPECT_STEP, failure);
        return keepLooking(life, failure.cloudCode, failure.message, life.nowMs + turnMs(failure));
      }
      memory.failures += 1;
      const retryClass = failure.retryClass === 'invalid' ? 'denied' : failure.retryClass;
      const at = life.nowMs + retryMs(life.settings, failure, retryClass, memory.failures, Math.random());
      const { cloudCode = '' } = failure;
      const reason = TOLD_BY_NAME.has(cloudCode) ? cloudCode : 'ErrorCheckingProvider';
      return keepLooking(life, reason, failure.message, at);
    }
  }
}

/** Parameters of the launch, where there was one: they say where to ask when the spec no longer does. */
export function frozenParameters(life: Life): { parameters?: NonNullable<Life['status']['launch']>['parameters'] } {
  const parameters = life.status.launch?.parameters;
  return parameters === undefined ? {} : { parameters };
}

/**
 * When a look was made, in milliseconds: when it was asked for, or before, where its answer came of an earlier question.
 * @param askedAt when this look was asked for
 */
export function lookTimeOf(life: Life, { agoMs }: Asked, askedAt: number): number {
  return agoMs === undefined ? askedAt : Math.min(askedAt, life.nowMs - agoMs);
}

function keepLooking(life: Life, reason: string, message: string, at: number): Next {
  life.memory.inspect = true;
  life.setCondition({ type: 'InstanceExists', status: 'Unknown', reason, message });
  life.wait(INSPECT_STEP, reason, message, at);
  return { at, why: message };
}

function declareGone(life: Life, id: string, how: string): Next {
  life.memory.inspect = false;
  delete life.memory.instanceId;
  delete life.memory.instance;
  life.setCondition({
    type: 'InstanceExists',
    status: 'False',
    reason: 'InstanceMissing',
    message: `instance ${id} is gone: ${how}`,
  });
  if (life.status.nodeRef !== undefined) {
    const message = `instance ${id} is gone, and its Node with it`;
    life.setCondition({ type: 'NodeReady', status: 'Unknown', reason: 'InstanceMissing', message });
  }
  return life.fail('UpdateError', `instance ${id} is gone: ${how}. Delete the Machine to have it replaced.`);
}
