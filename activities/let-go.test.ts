import { beforeEach, describe, expect, test } from '@jest/globals';
import { KubeError, NOT_SERVED } from '../k8s/kube-error.ts';
import { FINALIZER } from '../k8s/dialects/openshift/labels.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { EVENTS, NODES } from '../k8s/resources.ts';
import { given } from '../providers/given.ts';
import type { MachineFacts } from '../test/world/builders/a-machine.ts';
import { aNode } from '../test/world/builders/a-node.ts';
import { before, describeRequest, isWrite, type KubeRequest, type Meant } from '../test/world/kubernetes/request.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import { KUBERNETES_REFUSED, OBJECT_CHANGED } from '../workflows/failure-types.ts';
import type { NodeTarget } from '../workflows/machine/node-activities.ts';

const EVENT = { type: 'Normal', reason: 'Delete', message: 'it is gone' } as const;
const DELETING: MachineFacts = {
  launch: {},
  instanceId: 'i-1',
  status: { nodeRef: { kind: 'Node', name: 'n', uid: 'uid-of-n' } },
  deleting: true,
};
/** The requests of each step, in their order. */
const STEPS: Readonly<Record<string, Meant>> = {
  read: { verb: 'get', resource: MACHINES },
  'delete the Node': { verb: 'delete', resource: NODES },
  'take the finalizer off': { verb: 'jsonPatch', resource: MACHINES },
};
const WHOLE = ['delete nodes n', 'jsonPatch machines default/m'];

let world: World;
let target: NodeTarget;
beforeEach(arrange);

/** A Machine on its way out, with its Node. */
function arrange(): void {
  world = new World(ownClock());
  target = { ...world.addMachine(DELETING), ownInstance: 'i-1' };
  world.kube.put(aNode({ providerID: 'simulated:///zone-a/i-1' }));
}

const letGo = (of = target, nodeMark?: string) =>
  world.run((on) => on.letGo({ ...of, events: [EVENT], ...given({ nodeMark }) }));
const done = () => world.requests.filter(isWrite).map(describeRequest);
const told = () => world.events.map(({ reason }) => reason);
const looks = () => world.requests.filter(({ verb, resource }) => verb === 'get' && resource === MACHINES).length;
const fail = (step: Meant, error: Error) => {
  world.onRequest = before(step, () => {
    throw error;
  });
};

describe('an abort of a deletion by spec.delete', () => {
  const end = () => world.run((on) => on.letGo({ ...target, events: [EVENT], isWished: true }));
  const wish = async (isWished: boolean) => {
    await world.kube.others.mergePatch(MACHINES, 'default', 'm', { spec: { delete: isWished } });
  };
  beforeEach(() => wish(true));

  test('that comes after the last look, and before our finalizer went, is told to be too late', async () => {
    world.onRequest = before({ verb: 'jsonPatch' }, () => wish(false));
    expect(await end()).toEqual({ outcome: 'done' });
    expect(told()).toEqual(['Delete', 'AbortTooLate']);
  });

  test('is not told where none came', async () => {
    expect(await end()).toEqual({ outcome: 'done' });
    expect(told()).toEqual(['Delete']);
  });
});

describe('a Machine that is let go', () => {
  test('loses its Node first, then our finalizer, and then it is told', async () => {
    const toldBefore: unknown[] = [];
    world.onRequest = before({}, (request: KubeRequest) => {
      if (isWrite(request)) toldBefore.push(...told());
    });
    expect(await letGo()).toEqual({ outcome: 'done' });
    expect(done()).toEqual(WHOLE);
    expect([toldBefore, told()]).toEqual([[], ['Delete']]);
    expect([world.kube.all(NODES), world.kube.all(MACHINES)]).toEqual([[], []]);
  });

  test('keeps its Node, cordoned and marked, where nobody knows whether the instance runs', async () => {
    expect(await letGo(target, 'i-1 may run')).toEqual({ outcome: 'done' });
    expect(world.kube.all(NODES)).toMatchObject([{ spec: { unschedulable: true } }]);
    expect(JSON.stringify(world.kube.all(NODES))).toContain('i-1 may run');
    expect(world.kube.all(MACHINES)).toEqual([]);
  });

  test('is told of before anything of that, and once, where nobody knows whether the instance runs', async () => {
    const toldBefore: unknown[] = [];
    world.onRequest = before({}, (request: KubeRequest) => {
      if (isWrite(request)) toldBefore.push(told());
    });
    await letGo(target, 'i-1');
    expect(toldBefore).toEqual([['Delete'], ['Delete']]);
    await letGo(target, 'i-1');
    expect(told()).toEqual(['Delete']);
  });

  test('is kept until that is told', async () => {
    const { onRequest } = world.kube;
    world.kube.onRequest = (request, carryOut) => {
      if (request.resource === EVENTS) throw new KubeError(500, 'InternalError', 'not now');
      return onRequest(request, carryOut);
    };
    expect(await letGo(target, 'i-1')).toEqual({ outcome: 'failed', message: 'not now' });
    expect(done()).toEqual([]);
  });

  test('is refused where it is of another cluster', async () => {
    await expect(letGo({ ...target, clusterUid: 'another' })).rejects.toMatchObject({ type: 'ForeignCluster' });
    expect([world.requests, told()]).toEqual([[], []]);
  });

  test.each<[string, () => unknown]>([
    ['it is gone', () => world.kube.drop(MACHINES, 'default', 'm')],
    ['another one has its name', () => world.addMachine({ ...DELETING, metadata: { uid: 'another' } })],
  ])('has no step left where %s', async (_what, change) => {
    change();
    expect(await letGo()).toEqual({ outcome: 'done' });
    expect([done(), told()]).toEqual([[], ['Delete']]);
  });

  test.each([
    [900, 1],
    [1100, 2],
  ])('goes by a look of a second ago, and by none that is older: %i ms', async (agoMs, reads) => {
    await world.run((on) => on.observeMachine(target));
    await world.clock.goAhead(agoMs);
    await letGo();
    expect([done(), looks()]).toEqual([WHOLE, reads]);
  });
});

test('a pause that comes while the Node is looked for holds the finalizer', async () => {
  world.onRequest = async (request, carryOut) => {
    if (request.verb === 'get' && request.resource === NODES) {
      world.addMachine({ ...DELETING, paused: true });
      await world.clock.goAhead(1100);
    }
    return carryOut();
  };
  await expect(letGo()).rejects.toMatchObject({ type: OBJECT_CHANGED });
  expect(world.kube.all(MACHINES)).toHaveLength(1);
});

describe('an end that fails', () => {
  test.each([
    ['no answer', 0, 'Unreachable'],
    ['throttling', 429, 'TooManyRequests'],
    ['trouble of the API server', 500, 'InternalError'],
    ['a kind that is not served for a moment', 404, NOT_SERVED],
  ])('is told, to be tried again, where it passes: %s', async (_what, status, reason) => {
    for (const [step, meant] of Object.entries(STEPS)) {
      arrange();
      fail(meant, new KubeError(status, reason, `${step}: no`));
      expect(await letGo()).toEqual({ outcome: 'failed', message: `${step}: no` });
      expect(world.kube.peek(MACHINES, 'default', 'm')?.metadata.finalizers).toEqual([FINALIZER]);
      expect(told()).toEqual([]);
    }
  });

  test('fails the activity where it does not pass by itself', async () => {
    fail({ verb: 'delete', resource: NODES }, new KubeError(403, 'Forbidden', 'you may not'));
    await expect(letGo()).rejects.toMatchObject({ type: KUBERNETES_REFUSED, message: 'you may not' });
    expect(world.kube.peek(MACHINES, 'default', 'm')?.metadata.finalizers).toEqual([FINALIZER]);
    expect(told()).toEqual([]);
  });
});
