import { describe, expect, test } from '@jest/globals';
import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import type { MachineSetObject } from '../../k8s/api/machine.openshift.io/machine-set.ts';
import {
  DELETE_MACHINE_ANNOTATION,
  FINALIZER,
  INSTANCE_STATE_ANNOTATION,
  MACHINE_ANNOTATION,
  ZONE_LABEL,
} from '../../k8s/dialects/openshift/labels.ts';
import { MACHINE_FIELD_MANAGER } from '../../k8s/model/field-managers.ts';
import { DRAINED_FOR_ANNOTATION, type Node } from '../../k8s/model/node.ts';
import { controllerReference } from '../../k8s/model/owner-reference.ts';
import { aMachineDeployment } from '../../test/world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../../test/world/builders/a-machine-set.ts';
import { refOf } from '../../test/world/builders/metadata.ts';
import {
  factsOfMachine,
  factsOfMachineDeployment,
  factsOfMachineSet,
  factsOfNode,
} from './openshift-facts-for-tests.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { NodeFacts } from './node-facts.ts';
import { ObjectIndex } from './object-index.ts';
import { objectKey } from './object-key.ts';
import { paceOf } from './pace.ts';
import { routeMachine, routeMachineDeployment, routeMachineSet, routeNode } from './routes.ts';
import type { Change, Wake } from './wake.ts';
import { MARKS_ANNOTATION } from '../../k8s/model/node.ts';
import { given } from '../../providers/given.ts';

/** Changes an object in place. */
type Edit<T> = (object: T) => void;

function machineObject(edit: Edit<MachineObject> = () => {}): MachineObject {
  const object: MachineObject = {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'Machine',
    metadata: {
      name: 'm1',
      namespace: 'ns',
      uid: 'uid-m1',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { role: 'worker' },
      finalizers: [FINALIZER],
      ownerReferences: [
        { apiVersion: 'machine.openshift.io/v1beta1', kind: 'MachineSet', name: 's1', uid: 'uid-s1', controller: true },
      ],
    },
    spec: {
      metadata: { labels: { 'node-role': 'worker' } },
      taints: [{ key: 'ours', effect: 'NoSchedule' }],
      startupTaints: [{ key: 'booting', effect: 'NoSchedule' }],
      providerSpec: { value: { kind: 'X' } },
    },
    status: { phase: 'Provisioning' },
  };
  edit(object);
  return object;
}

/** A providerID as the API server keeps it, written by this manager. */
const providerIDBy =
  (manager: string, providerID = 'x:///z/i-1'): Edit<MachineObject> =>
  (object) => {
    object.spec.providerID = providerID;
    object.metadata.managedFields = [
      { manager: MACHINE_FIELD_MANAGER, fieldsV1: { 'f:metadata': { 'f:labels': {} } } },
      { manager, fieldsV1: { 'f:spec': { 'f:providerID': {} } } },
    ];
  };
const ourProviderID = providerIDBy(MACHINE_FIELD_MANAGER);

const nodeReady = (status: 'True' | 'False') =>
  ({ type: 'NodeReady', status, lastTransitionTime: '2026-01-01T00:00:00Z' }) as const;

const machine = (edit?: Edit<MachineObject>): MachineFacts => factsOfMachine(machineObject(edit));

function machineSet(name: string, selector: Record<string, string>, edit: Edit<MachineSetObject> = () => {}) {
  const object = aMachineSet({
    name,
    metadata: { namespace: 'ns', uid: `uid-${name}` },
    spec: { selector: { matchLabels: selector } },
  });
  edit(object);
  return factsOfMachineSet(object);
}

interface NodeEdit {
  readonly providerID?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly taints?: NonNullable<Node['spec']>['taints'];
  readonly unschedulable?: boolean;
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly address?: string;
  readonly allocatable?: Readonly<Record<string, string>>;
}

function node(edit: NodeEdit = {}): NodeFacts {
  const {
    providerID,
    taints,
    unschedulable,
    labels = {},
    annotations = {},
    ready = 'True',
    address,
    allocatable,
  } = edit;
  return factsOfNode({
    metadata: { name: 'n1', uid: 'uid-n1', resourceVersion: '1', creationTimestamp: '', labels, annotations },
    spec: {
      ...given({ providerID, taints, unschedulable }),
    },
    status: {
      conditions: [{ type: 'Ready', status: ready }],
      ...given({ allocatable }),
      addresses: address === undefined ? [] : [{ type: 'InternalIP', address }],
    },
  });
}

function indexOf(
  ...objects: { machines?: MachineFacts[]; nodes?: NodeFacts[]; sets?: ReturnType<typeof machineSet>[] }[]
) {
  const index = new ObjectIndex();
  for (const { machines = [], nodes = [], sets = [] } of objects) {
    for (const facts of machines) index.machines.set(objectKey(facts.ref), facts);
    for (const facts of nodes) index.nodes.set(objectKey(facts.ref), facts);
    for (const facts of sets) index.machineSets.set(objectKey(facts.ref), facts);
  }
  return index;
}

const named = (wakes: readonly Wake[]): string[] =>
  wakes.map(({ target }) => (typeof target === 'string' ? target : `${target.kind}/${target.name}`)).sort();

function wokenByMachine(edit: Edit<MachineObject>, index = new ObjectIndex(), from?: Edit<MachineObject>): string[] {
  const after = machine((object) => {
    from?.(object);
    edit(object);
  });
  return named(routeMachine({ before: machine(from), after }, index));
}

describe('a change of a Machine', () => {
  test.each<[string, Edit<MachineObject>]>([
    ['its spec', (o) => void (o.spec.providerSpec = { value: { kind: 'X', size: 'xl' } })],
    ['an annotation', (o) => void (o.metadata.annotations = { 'cluster.x-k8s.io/paused': '' })],
    ['a finalizer of somebody else', (o) => void o.metadata.finalizers?.push('other')],
    ['the loss of our finalizer', (o) => void (o.metadata.finalizers = [])],
  ])('wakes its own workflow only, by %s', (_what, edit) => {
    expect(wokenByMachine(edit)).toEqual(['Machine/m1']);
  });

  const recorded: Edit<MachineObject> = (o) => {
    ourProviderID(o);
    o.status = { phase: 'Provisioning', providerStatus: { instanceId: 'i-1' } };
  };
  test.each<[string, Edit<MachineObject>]>([
    ['its providerID', (o) => void delete o.spec.providerID],
    ['the record of its launch and its instance', (o) => void (o.status = { phase: 'Provisioning' })],
  ])('wakes its own workflow by the loss of %s', (_what, edit) => {
    expect(wokenByMachine(edit, new ObjectIndex(), recorded)).toEqual(['Machine/m1']);
  });

  test('wakes nobody by the arrival of what was lost: our own write', () => {
    const before = machine();
    expect(named(routeMachine({ before, after: machine(recorded) }, new ObjectIndex()))).toEqual([]);
  });

  test.each<[string, Edit<MachineObject>]>([
    ['a label', (o) => void (o.metadata.labels = { role: 'other' })],
    ['the start of its deletion', (o) => void (o.metadata.deletionTimestamp = '2026-01-01T01:00:00Z')],
    ['the delete-machine annotation', (o) => void (o.metadata.annotations = { [DELETE_MACHINE_ANNOTATION]: '1' })],
  ])('wakes its own workflow and its MachineSet, by %s', (_what, edit) => {
    expect(wokenByMachine(edit)).toEqual(['Machine/m1', 'MachineSet/s1']);
  });

  test.each<[string, Edit<MachineObject>]>([
    ['its phase', (o) => void (o.status = { phase: 'Running' })],
    [
      'its Node turning Ready',
      (o) =>
        void (o.status = {
          phase: 'Provisioning',
          conditions: [{ type: 'NodeReady', status: 'True', lastTransitionTime: '' }],
        }),
    ],
    ['its nodeRef', (o) => void (o.status = { phase: 'Provisioning', nodeRef: { name: 'n1', uid: 'u' } })],
  ])('wakes its MachineSet only, by %s', (_what, edit) => {
    expect(wokenByMachine(edit)).toEqual(['MachineSet/s1']);
  });

  test.each<[string, Edit<MachineObject>]>([
    ['what it waits for', (o) => void (o.status = { ...o.status, addresses: [], lastUpdated: 'now' })],
    ['the labels of its instance', (o) => void (o.metadata.labels = { ...o.metadata.labels, [ZONE_LABEL]: 'z' })],
    ['the state of its instance', (o) => void (o.metadata.annotations = { [INSTANCE_STATE_ANNOTATION]: 'running' })],
    ['a providerID whose Node is not there', ourProviderID],
  ])('wakes nobody where we wrote it: %s', (_what, edit) => {
    expect(wokenByMachine(edit)).toEqual([]);
  });

  const status: Edit<MachineObject> = (o) => void (o.status = { ...o.status, lastUpdated: 'now' });
  const running = (o: MachineObject): void => {
    ourProviderID(o);
    o.status = { phase: 'Running', nodeRef: { name: 'n1' }, conditions: [nodeReady('False')] };
  };
  test.each<[string, Edit<MachineObject>]>([
    ['has no finalizer of ours yet', (o) => void (o.metadata.finalizers = [])],
    ['has a providerID that was written by hand', providerIDBy('kubectl-edit')],
    ['has a Node', ourProviderID],
    ['has a Node of another readiness, for which it was woken', running],
  ])('wakes nobody by our own writes where it %s', (_what, from) => {
    const index = indexOf({ nodes: [node({ providerID: 'x:///z/i-1' })] });
    expect(wokenByMachine(status, index, from)).toEqual([]);
  });

  test('wakes nobody by the readiness that we wrote while it is being deleted', () => {
    const from: Edit<MachineObject> = (o) => {
      running(o);
      o.metadata.deletionTimestamp = '2026-01-01T01:00:00Z';
      o.metadata.ownerReferences = [];
    };
    const unknown: Edit<MachineObject> = (o) => void (o.status = { ...o.status, conditions: [] });
    const index = indexOf({ nodes: [node({ providerID: 'x:///z/i-1' })] });
    expect(wokenByMachine(unknown, index, from)).toEqual([]);
  });

  test('wakes nobody where our finalizer arrives', () => {
    const bare: Edit<MachineObject> = (o) => void (o.metadata.finalizers = []);
    expect(wokenByMachine((o) => void (o.metadata.finalizers = [FINALIZER]), new ObjectIndex(), bare)).toEqual([]);
  });

  test('wakes it by a providerID whose Node was there first', () => {
    const index = indexOf({ nodes: [node({ providerID: 'x:///z/i-1' })] });
    expect(wokenByMachine(ourProviderID, index)).toEqual(['Machine/m1']);
  });

  test.each<[string, Edit<MachineObject>, Edit<MachineObject>]>([
    ['that comes', () => {}, providerIDBy('kubectl-edit')],
    ['that comes, of nobody who is known', () => {}, (o) => void (o.spec.providerID = 'x:///z/i-1')],
    ['in the place of ours', ourProviderID, providerIDBy('kubectl-edit', 'x:///z/i-2')],
    ['in the place of another', providerIDBy('kubectl-edit'), providerIDBy('kubectl-edit', 'x:///z/i-2')],
    ['taken away', ourProviderID, (o) => delete o.spec.providerID],
  ])('wakes it by a providerID written by hand: %s', (_what, from, to) => {
    const before = machine(from);
    expect(named(routeMachine({ before, after: machine(to) }, new ObjectIndex()))).toEqual(['Machine/m1']);
  });

  test('wakes nobody where we make a providerID that was written by hand our own', () => {
    const before = machine(providerIDBy('kubectl-edit'));
    expect(routeMachine({ before, after: machine(ourProviderID) }, new ObjectIndex())).toEqual([]);
  });

  test('wakes its MachineSet by the state of its instance only while it is being deleted', () => {
    const deleting: Edit<MachineObject> = (o) => void (o.metadata.deletionTimestamp = '2026-01-01T01:00:00Z');
    const instance = (instanceState: 'running' | 'shutting-down'): Edit<MachineObject> => {
      return (o) => void (o.status = { ...o.status, providerStatus: { instanceId: 'i-1', instanceState } });
    };
    const deletingRunning: Edit<MachineObject> = (o) => [deleting, instance('running')].forEach((edit) => edit(o));
    expect(wokenByMachine(instance('shutting-down'), new ObjectIndex(), deletingRunning)).toEqual(['MachineSet/s1']);
    expect(wokenByMachine(instance('shutting-down'), new ObjectIndex(), instance('running'))).toEqual([]);
  });

  describe('that goes, and whose instance is asked to end,', () => {
    const going =
      (instanceState: 'running' | 'shutting-down'): Edit<MachineObject> =>
      (o) => {
        o.metadata.deletionTimestamp = '2026-01-01T01:00:00Z';
        o.status = { ...o.status, providerStatus: { instanceId: 'i-1', instanceState } };
      };
    const paceFor = (replicas: number, edit: Edit<MachineObject>, from: Edit<MachineObject> = going('running')) => {
      const set = machineSet('s1', {}, (o) => {
        o.spec.replicas = 3;
        o.status = { replicas };
      });
      const change = { before: machine(from), after: machine(edit) };
      const wake = routeMachine(change, indexOf({ sets: [set] })).find(({ target }) => target.kind === 'MachineSet');
      return wake && paceOf(wake, { signalGapMs: 250, ownerSignalGapMs: 1000 }).gapMs;
    };

    test('wakes its MachineSet soon where that misses a machine', () => {
      expect(paceFor(2, going('shutting-down'))).toBe(250);
    });

    test.each([
      ['the set is made smaller', () => paceFor(3, going('shutting-down'))],
      ['it only begins to go', () => paceFor(2, going('running'), () => {})],
      ['it frees no place', () => paceFor(2, (o) => [going('running')(o), void (o.status!.phase = 'Deleting')])],
    ])('wakes it at the usual pace where %s', (_where, pace) => expect(pace()).toBe(1000));
  });

  test('that appears or goes wakes itself and its MachineSet', () => {
    const index = new ObjectIndex();
    expect(named(routeMachine({ after: machine() }, index))).toEqual(['Machine/m1', 'MachineSet/s1']);
    expect(named(routeMachine({ before: machine() }, index))).toEqual(['Machine/m1', 'MachineSet/s1']);
  });

  test('tells its workflow whether it is gone', () => {
    const reasons = (change: Change<MachineFacts>) =>
      routeMachine(change, new ObjectIndex()).flatMap(({ target, because }) =>
        target.kind === 'Machine' ? [because] : [],
      );
    expect(reasons({ after: machine() })).toEqual(['object']);
    expect(reasons({ before: machine() })).toEqual(['gone']);
  });

  test('that appears, goes, or has other labels wakes the sets that select it although it is another’s', () => {
    const index = indexOf({ sets: [machineSet('s2', { role: 'worker' }), machineSet('s3', { role: 'db' })] });
    const appeared = ['Machine/m1', 'MachineSet/s1', 'MachineSet/s2'];
    expect(named(routeMachine({ after: machine() }, index))).toEqual(appeared);
    expect(named(routeMachine({ before: machine() }, index))).toEqual(appeared);
    const relabelled = wokenByMachine((o) => void (o.metadata.labels = { role: 'db' }), index);
    expect(relabelled).toEqual([...appeared, 'MachineSet/s3']);
    expect(wokenByMachine((o) => void (o.status = { phase: 'Running' }), index)).toEqual(['MachineSet/s1']);
  });

  test('to another owner wakes the old one and the new one', () => {
    const index = indexOf({ sets: [machineSet('s2', { role: 'worker' }), machineSet('s3', { role: 'db' })] });
    expect(wokenByMachine((o) => void (o.metadata.ownerReferences = []), index)).toEqual([
      'MachineSet/s1',
      'MachineSet/s2',
    ]);
  });

  test('of an orphan wakes the sets that select it before or after', () => {
    const orphan: Edit<MachineObject> = (o) => void (o.metadata.ownerReferences = []);
    const index = indexOf({ sets: [machineSet('s2', { role: 'worker' }), machineSet('s3', { role: 'db' })] });
    const woken = wokenByMachine((o) => void (o.metadata.labels = { role: 'db' }), index, orphan);
    expect(woken).toEqual(['Machine/m1', 'MachineSet/s2', 'MachineSet/s3']);
    // It filled a place of theirs.
    const leaving: Edit<MachineObject> = (o) => void (o.metadata.deletionTimestamp = '2026-01-01T01:00:00Z');
    expect(wokenByMachine(leaving, index, orphan)).toEqual(['Machine/m1', 'MachineSet/s2']);
  });

  test('that somebody else controls wakes no set', () => {
    const foreign: Edit<MachineObject> = (o) =>
      void (o.metadata.ownerReferences = [
        {
          apiVersion: 'machine.openshift.io/v1',
          kind: 'ControlPlaneMachineSet',
          name: 'c',
          uid: 'c',
          controller: true,
        },
      ]);
    const index = indexOf({ sets: [machineSet('s2', { role: 'worker' })] });
    expect(wokenByMachine((o) => void (o.status = { phase: 'Running' }), index, foreign)).toEqual([]);
  });
});

describe('a change of a MachineSet', () => {
  test('wakes its workflow by spec, creation and removal, and not by status', () => {
    const before = machineSet('s1', { a: 'b' });
    const scaled = machineSet('s1', { a: 'b' }, (o) => void (o.spec.replicas = 5));
    const counted = machineSet('s1', { a: 'b' }, (o) => void (o.status = { replicas: 1 }));
    expect(named(routeMachineSet({ before, after: scaled }, new ObjectIndex()))).toEqual(['MachineSet/s1']);
    expect(named(routeMachineSet({ after: before }, new ObjectIndex()))).toEqual(['MachineSet/s1']);
    expect(named(routeMachineSet({ before }, new ObjectIndex()))).toEqual(['MachineSet/s1']);
    expect(routeMachineSet({ before, after: counted }, new ObjectIndex())).toEqual([]);
  });
});

test('a change of a MachineDeployment wakes its workflow by spec, creation and removal, and not by status', () => {
  const deployment = aMachineDeployment();
  const before = factsOfMachineDeployment(deployment);
  const scaled = factsOfMachineDeployment(aMachineDeployment({ spec: { replicas: 5 } }));
  const written = { ...deployment, status: { replicas: 1 } };
  const counted = factsOfMachineDeployment(written);
  const woken = (change: Change<typeof before>) => named(routeMachineDeployment(change, new ObjectIndex()));
  const itself = ['MachineDeployment/workers'];
  expect([woken({ before, after: scaled }), woken({ after: before }), woken({ before })]).toEqual([
    itself,
    itself,
    itself,
  ]);
  expect(woken({ before, after: counted })).toEqual([]);
});

describe('what belongs to a MachineDeployment', () => {
  const pool = aMachineDeployment({ name: 'pool', metadata: { namespace: 'ns' } });
  const pooled: Edit<MachineObject> = (o) => void (o.metadata.labels = { pool: 'pool' });
  const index = new ObjectIndex();
  index.machineDeployments.set(objectKey(refOf(pool)), factsOfMachineDeployment(pool));

  test('wakes it: a MachineSet of it that is made, and a Machine that it selects', () => {
    const owned = machineSet('s1', { pool: 'pool' }, (o) => {
      o.metadata.ownerReferences = [controllerReference(refOf(pool))];
    });
    expect(named(routeMachineSet({ after: owned }, index))).toEqual(['MachineDeployment/pool', 'MachineSet/s1']);
    // Its own workflow hears of it as well when it gets its deployment later.
    const orphan = machineSet('s1', { pool: 'pool' });
    expect(named(routeMachineSet({ before: orphan, after: owned }, index))).toContain('MachineSet/s1');
    expect(named(routeMachine({ after: machine(pooled) }, index))).toEqual([
      'Machine/m1',
      'MachineDeployment/pool',
      'MachineSet/s1',
    ]);
  });
});

describe('a change of a Node', () => {
  const launched = machine((o) => void (o.spec.providerID = 'x:///z/i-1'));
  const linked = { providerID: 'y:///other/i-1' };
  const changed = (before: NodeEdit, after: NodeEdit, machines = [launched]): string[] =>
    named(routeNode({ before: node(before), after: node(after) }, indexOf({ machines })));

  const running = machine((o) => {
    o.spec.providerID = 'x:///z/i-1';
    o.status = { phase: 'Running', nodeRef: { name: 'n1' }, conditions: [nodeReady('True')] };
  });
  const marks: NodeEdit = {
    ...linked,
    labels: { 'node-role': 'worker' },
    taints: [{ key: 'ours', effect: 'NoSchedule' }],
    annotations: { [MACHINE_ANNOTATION]: 'ns/m1', team: 'a', [MARKS_ANNOTATION]: '{"annotations":{"team":"a"}}' },
  };

  test.each<[string, NodeEdit]>([
    ['its readiness', { ready: 'Unknown' }],
    ['the loss of a taint that the machine puts there', { taints: [] }],
    ['the loss of a label that the machine puts there', { labels: {} }],
    ['another value of such a label', { labels: { 'node-role': 'other' } }],
    ['another value of such an annotation', { annotations: { ...marks.annotations, team: 'b' } }],
    [
      'a taint of a Node that is coming up',
      { taints: [...(marks.taints ?? []), { key: 'readiness.k8s.io/x', effect: 'NoSchedule' }] },
    ],
    [
      'a taint that the machine gave it when it joined',
      { taints: [...(marks.taints ?? []), { key: 'booting', effect: 'NoSchedule' }] },
    ],
    ['a resource that a device plugin announces', { allocatable: { 'nvidia.com/gpu': '1' } }],
    ['the claim of another machine', { annotations: { [MACHINE_ANNOTATION]: 'ns/m2' } }],
  ])('wakes its machine, by %s', (_what, edit) => {
    expect(changed(marks, { ...marks, ...edit }, [running])).toEqual(['Machine/m1']);
  });

  test.each<[string, NodeEdit]>([
    ['a taint of somebody else', { taints: [...(marks.taints ?? []), { key: 'theirs', effect: 'NoExecute' }] }],
    ['a label of somebody else', { labels: { ...marks.labels, pool: 'a' } }],
    ['an annotation of somebody else', { annotations: { ...marks.annotations, pool: 'a' } }],
    ['unschedulable', { unschedulable: true }],
    ['a resource of Kubernetes’ own', { allocatable: { cpu: '4' } }],
  ])('wakes nobody, by %s', (_what, edit) => {
    expect(changed(marks, { ...marks, ...edit }, [running])).toEqual([]);
  });

  test('wakes its machine where somebody uncordons it that we had cordoned', () => {
    const annotations = { ...marks.annotations, [DRAINED_FOR_ANNOTATION]: 'Machine ns/m1: maintenance' };
    const cordoned = { ...marks, annotations, unschedulable: true };
    const opened = { ...marks, annotations };
    expect(changed(cordoned, opened, [running])).toEqual(['Machine/m1']);
    // By ourselves, and by whoever had cordoned it.
    expect(changed(cordoned, marks, [running])).toEqual([]);
    expect(changed({ ...marks, unschedulable: true }, marks, [running])).toEqual([]);
    expect(changed(opened, cordoned, [running])).toEqual([]);
    // It was told when it was uncordoned.
    expect(changed(opened, { ...opened, labels: { ...opened.labels, pool: 'a' } }, [running])).toEqual([]);
  });

  test('wakes its machine by the providerID that it gets', () => {
    expect(changed({}, linked)).toEqual(['Machine/m1']);
  });

  test('wakes nobody by anything else while it has another readiness than its machine was woken for', () => {
    const down = { ...marks, ready: 'Unknown' as const };
    expect(changed(down, { ...down, unschedulable: true }, [running])).toEqual([]);
  });

  test('wakes nobody where Millwright marked it', () => {
    expect(changed(linked, marks, [running])).toEqual([]);
  });

  test('wakes nobody by a readiness that the machine tells already', () => {
    expect(changed({ ...marks, ready: 'False' }, marks, [running])).toEqual([]);
  });

  test('wakes a machine on its way out where it falls silent or is uncordoned while it is drained, and not where it goes', () => {
    const leaving = (drained: 'True' | 'False') =>
      machine((o) => {
        o.metadata.deletionTimestamp = '2026-01-02T00:00:00Z';
        o.spec.providerID = 'x:///z/i-1';
        o.status = {
          phase: 'Deleting',
          nodeRef: { name: 'n1' },
          conditions: [{ ...nodeReady(drained), type: 'Drained' }],
        };
      });
    const annotations = { ...marks.annotations, [DRAINED_FOR_ANNOTATION]: 'Machine ns/m1: deletion' };
    const drained = { ...marks, annotations, unschedulable: true };
    const silent = { ...drained, ready: 'Unknown' as const };
    expect(changed(drained, silent, [leaving('False')])).toEqual(['Machine/m1']);
    // Its instance ends.
    expect(changed(drained, silent, [leaving('True')])).toEqual([]);
    const opened = { ...drained, unschedulable: false };
    expect(changed(drained, opened, [leaving('False')])).toEqual(['Machine/m1']);
    expect(changed(drained, opened, [leaving('True')])).toEqual([]);
    // It was told when it was uncordoned.
    expect(changed(opened, { ...opened, labels: { ...opened.labels, pool: 'a' } }, [leaving('False')])).toEqual([]);
    // A hook keeps it.
    const held = machine((o) => {
      o.metadata.deletionTimestamp = '2026-01-02T00:00:00Z';
      o.spec.providerID = 'x:///z/i-1';
      const waiting = { step: 'LifecycleHooks', reason: 'HookPresent', message: 'hook', since: '2026-01-02T00:00:00Z' };
      o.status = {
        phase: 'Deleting',
        nodeRef: { name: 'n1' },
        conditions: [{ ...nodeReady('True'), type: 'Drained' }],
        waiting,
      };
    });
    expect(changed(drained, opened, [held])).toEqual(['Machine/m1']);
    expect(changed(opened, { ...opened, labels: { ...opened.labels, pool: 'a' } }, [held])).toEqual([]);
    expect(changed(opened, drained, [held])).toEqual([]);
    expect(changed(drained, { ...drained, labels: { ...drained.labels, pool: 'a' } }, [held])).toEqual([]);
    // Its own last steps delete the Node.
    expect(named(routeNode({ before: node(drained) }, indexOf({ machines: [leaving('False')] })))).toEqual([]);
    expect(changed(drained, { ...silent, ready: 'False' }, [leaving('False')])).toEqual([]);
  });

  test('wakes a machine on its way out only where it can answer again, where it is not drained', () => {
    const leaving = machine((o) => {
      o.metadata.deletionTimestamp = '2026-01-02T00:00:00Z';
      o.spec.providerID = 'x:///z/i-1';
    });
    expect(changed(marks, { ...marks, ready: 'Unknown' }, [leaving])).toEqual([]);
    expect(changed({ ...marks, ready: 'Unknown' }, marks, [leaving])).toEqual(['Machine/m1']);
    expect(changed(marks, { ...marks, unschedulable: true }, [leaving])).toEqual([]);
    expect(named(routeNode({ before: node(marks) }, indexOf({ machines: [leaving] })))).toEqual([]);
  });

  test('whose addresses come wakes a machine that is not linked yet', () => {
    expect(changed(linked, { ...linked, address: '10.0.0.1' })).toEqual(['Machine/m1']);
    expect(changed(marks, { ...marks, address: '10.0.0.1' }, [running])).toEqual([]);
  });

  test('that came to another readiness than was just written wakes its machine', () => {
    const before = machine((o) => void (o.status = { phase: 'Provisioned' }));
    const written = (status: 'True' | 'False') =>
      machine((o) => void (o.status = { phase: 'Running', nodeRef: { name: 'n1' }, conditions: [nodeReady(status)] }));
    const index = indexOf({ nodes: [node({ ...marks, ready: 'True' })] });
    expect(named(routeMachine({ before, after: written('False') }, index))).toContain('Machine/m1');
    expect(named(routeMachine({ before, after: written('True') }, index))).not.toContain('Machine/m1');
  });

  test('wakes nobody by a heartbeat', () => {
    expect(changed(linked, linked)).toEqual([]);
  });

  test('that comes or goes wakes its machine', () => {
    const index = indexOf({ machines: [launched] });
    expect(named(routeNode({ after: node(linked) }, index))).toEqual(['Machine/m1']);
    expect(named(routeNode({ before: node(linked) }, index))).toEqual(['Machine/m1']);
  });

  test('finds its machine by providerID, annotation, address and nodeRef, in this order', () => {
    const other = (name: string, edit: Edit<MachineObject>) =>
      machine((o) => {
        o.metadata.name = name;
        o.metadata.uid = name;
        edit(o);
      });
    const machines = [
      launched,
      other('claimed', () => {}),
      other('addressed', (o) => void (o.status = { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] })),
      other('linked', (o) => void (o.status = { nodeRef: { name: 'n1' } })),
    ];
    const index = indexOf({ machines });
    const claim = { [MACHINE_ANNOTATION]: 'ns/claimed' };
    const found = (edit: NodeEdit) => named(routeNode({ after: node(edit) }, index));
    expect(found({ ...linked, annotations: claim, address: '10.0.0.1' })).toEqual(['Machine/m1']);
    expect(found({ annotations: claim, address: '10.0.0.1' })).toEqual(['Machine/claimed']);
    expect(found({ address: '10.0.0.1' })).toEqual(['Machine/addressed']);
    expect(found({})).toEqual(['Machine/linked']);
  });

  test('that belongs to no machine wakes nobody', () => {
    expect(named(routeNode({ after: node({ providerID: 'x:///z/i-9' }) }, indexOf({ machines: [launched] })))).toEqual(
      [],
    );
  });
});
