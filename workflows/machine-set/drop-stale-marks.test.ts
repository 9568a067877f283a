import { beforeEach, describe, expect, it } from '@jest/globals';
import { DELETE_MACHINE_ANNOTATION } from '../../k8s/dialects/openshift/labels.ts';
import { MACHINES, MACHINE_SETS } from '../../k8s/dialects/openshift/resources.ts';
import { AUTOSCALER_TAINT } from '../../k8s/model/autoscaler-mark.ts';
import { NODES } from '../../k8s/resources.ts';
import { aMachine } from '../../test/world/builders/a-machine.ts';
import { aMachineDeployment } from '../../test/world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../../test/world/builders/a-machine-set.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { NAMESPACE, refOf } from '../../test/world/builders/metadata.ts';
import { SetWorld } from '../../test/world/set-world.ts';
import type { Temporal } from '../../test/workflow/temporal.ts';
import { useTemporal } from '../../test/workflow/use-temporal.ts';
import { goTime } from '../../test/autoscaler/calls.ts';
import { changedSignal } from '../signals.ts';

let temporal: Temporal;
let world: SetWorld;
useTemporal((started) => (temporal = started));

const TAINT = { key: AUTOSCALER_TAINT, value: '1', effect: 'NoSchedule' };

/** A set of two, each with its Node. */
beforeEach(() => {
  world = new SetWorld(temporal.clock, { replicas: 2 });
  for (const name of ['m-1', 'm-2']) add(name);
});

function add(name: string): void {
  const node = aNode({ name: `node-of-${name}` });
  world.kube.put({ ...node });
  const { uid } = node.metadata;
  const status = {
    phase: 'Running' as const,
    nodeRef: { apiVersion: 'v1', kind: 'Node', name: node.metadata.name, uid },
  };
  world.kube.put({ ...aMachine({ name, set: aMachineSet({ replicas: 2 }), status }) });
}

const mark = (name: string, value: string) =>
  world.kube.others.mergePatch(MACHINES, NAMESPACE, name, {
    metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: value } },
  });
const taint = (name: string, taints: readonly object[]) =>
  world.kube.others.mergePatch(NODES, undefined, `node-of-${name}`, { spec: { taints } });
const isMarked = (name: string) => DELETE_MACHINE_ANNOTATION in (world.machine(name)?.metadata.annotations ?? {});
const now = () => goTime(new Date(temporal.clock.timeOfDay()));

describe('a mark of cluster-autoscaler', () => {
  it('is taken off a minute later, when its taint is off the Node, and the machine goes no sooner than others', async () => {
    await taint('m-1', [TAINT]);
    await mark('m-1', now());
    await temporal.startObject('machineSet', world, world.ref);
    await temporal.pass(400);
    expect(isMarked('m-1')).toBe(true);
    await taint('m-1', []);
    await temporal.until(() => !isMarked('m-1'), { within: 320, step: 10 });
    expect(world.events).toMatchObject([{ reason: 'StaleMarkDropped' }]);
  });

  it('is left where it may be followed still: it is young, or there are more machines than replicas', async () => {
    await mark('m-1', now());
    const handle = await temporal.startObject('machineSet', world, world.ref);
    await temporal.pass(50);
    expect(isMarked('m-1')).toBe(true);
    await world.kube.others.mergePatch(MACHINE_SETS, NAMESPACE, 'workers', { spec: { replicas: 1 } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => world.living.length === 1);
    expect(world.living).toEqual(['m-2']);
  });

  it('is taken off where another deployment has machines that its deployment selects as well: its own are not too many', async () => {
    const deployment = aMachineDeployment({ spec: { replicas: 2, selector: { matchLabels: { set: 'workers' } } } });
    world.kube.put(deployment);
    const { apiVersion, kind, name, uid } = refOf(deployment);
    const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
    world.changeSetMeta({ ownerReferences: [owner] });
    world.kube.put(
      aMachine({ name: 'o-1', set: aMachineSet({ name: 'others' }), metadata: { labels: { set: 'workers' } } }),
    );
    await mark('m-1', now());
    await temporal.startObject('machineSet', world, world.ref);
    await temporal.until(() => !isMarked('m-1'), { within: 400, step: 10 });
  });

  it('stays where a person wrote it, and where the machine has no Node any more', async () => {
    await mark('m-1', 'true');
    await mark('m-2', now());
    world.kube.drop(NODES, undefined, 'node-of-m-2');
    await temporal.startObject('machineSet', world, world.ref);
    await temporal.pass(1000);
    expect([isMarked('m-1'), isMarked('m-2')]).toEqual([true, true]);
  });
});
