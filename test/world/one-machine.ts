import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { createMachineDeps } from '../../activities/deps.ts';
import { createMachineActivities } from '../../activities/machines.ts';
import { FINALIZER } from '../../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { PAUSED_ANNOTATION } from '../../k8s/model/paused-annotation.ts';
import type { Instance } from '../../providers/provider.ts';
import type { MachineEvent } from '../../workflows/machine/machine-activities.ts';
import { aMachine } from './builders/a-machine.ts';
import { aNode } from './builders/a-node.ts';
import { refOf } from './builders/metadata.ts';
import { before, type KubeRequest } from './kubernetes/request.ts';
import { ownClock } from './world-clock.ts';
import { CLUSTER_UID, World } from './world.ts';

export const MACHINE = aMachine({ metadata: { finalizers: ['example.com/theirs', FINALIZER] } });
export const TARGET = { ref: refOf(MACHINE), clusterUid: CLUSTER_UID };
export const STATUS = { addresses: [], conditions: [] };
export const EVENT: MachineEvent = { type: 'Normal', reason: 'Create', message: 'made' };
export const INSTANCE: Instance = {
  id: 'i-1',
  providerID: 'simulated:///zone-a/i-1',
  state: 'running',
  region: 'r',
  zone: 'zone-a',
  instanceType: 't',
  addresses: [],
};

/** A world with one Machine and a Node, and the activities on the Machine. */
export function machineWorld() {
  const world = new World(ownClock());
  const { kube } = world;
  kube.put(MACHINE, aNode());
  const deps = createMachineDeps(world.deps);
  const { launches, reader } = deps;
  const stored = () => kube.peek(MACHINES, 'default', 'm') as MachineObject | undefined;
  /** Changes the world right before the next request of a verb. */
  const next = (verb: KubeRequest['verb'], act: () => void | Promise<void>) => {
    world.onRequest = before({ verb, nth: 1 }, act);
  };
  return {
    world,
    kube,
    launches,
    reader,
    activities: createMachineActivities(deps),
    stored,
    next,
    events: () => world.events.map(({ type, reason, message }) => ({ type, reason, message })),
    finalizers: () => stored()?.metadata.finalizers,
    /** Has the Machine be as it is, but for this, which may be malformed on purpose. */
    put: (parts: { readonly metadata?: object; readonly spec?: object; readonly status?: object }) => {
      const { metadata, spec, ...rest } = stored() ?? MACHINE;
      kube.put({
        ...rest,
        ...parts,
        metadata: { ...metadata, ...parts.metadata },
        spec: { ...spec, ...parts.spec },
      } as MachineObject);
    },
    failNext: (verb: KubeRequest['verb'], error: Error) =>
      next(verb, () => {
        throw error;
      }),
    looks: () => world.requests.filter(({ verb, resource }) => verb === 'get' && resource === MACHINES).length,
  };
}

export type OneMachine = ReturnType<typeof machineWorld>;

export const pause = ({ put }: OneMachine) => put({ metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } });
export const replace = ({ put }: OneMachine) => put({ metadata: { uid: 'uid-of-another' } });
export const lose = ({ kube }: OneMachine) => kube.drop(MACHINES, 'default', 'm');

/** The type of the failure that a step ends with. */
export async function failureOf(step: Promise<unknown>): Promise<unknown> {
  return step.then(
    () => 'none',
    (error: { type?: string; message: string }) => error.type ?? error.message,
  );
}
