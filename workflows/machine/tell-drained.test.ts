import { describe, expect, it } from '@jest/globals';
import { KubeError } from '../../k8s/kube-error.ts';
import { isOurCondition, type Node } from '../../k8s/model/node.ts';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { NODES } from '../../k8s/resources.ts';
import { drainedMachine, nodeOf } from '../../test/workflow/drained-machine.ts';
import type { Temporal } from '../../test/workflow/temporal.ts';
import { useTemporal } from '../../test/workflow/use-temporal.ts';
import { before } from '../../test/world/kubernetes/request.ts';
import type { MachineWorld } from '../../test/world/machine-world.ts';
import { changedSignal } from '../signals.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const HELD = { lifecycleHooks: { preTerminate: [{ name: 'CopyLogs', owner: 'log-copier' }] } };
const STATUS = { verb: 'apply', resource: NODES, subresource: 'status' } as const;
const told = (world: MachineWorld) =>
  ((world.kube.peek(NODES, undefined, nodeOf(world)) as unknown as Node).status?.conditions ?? [])
    .filter(isOurCondition)
    .map(({ type, status }) => `${type} ${status}`);
const writes = ({ requests }: MachineWorld) =>
  requests.filter(
    ({ verb, resource, subresource }) => `${verb} ${resource.kind} ${subresource}` === 'apply Node status',
  ).length;
const isHeld = (world: MachineWorld) => world.condition('Terminable')?.reason === 'HookPresent';

it('a Node tells that it is drained, also soon, while a hook keeps it', async () => {
  const { world } = await drainedMachine(temporal, 'kept', { spec: HELD });
  await temporal.until(() => isHeld(world));
  expect([told(world), writes(world)]).toEqual([['Drained True'], 1]);
  await temporal.pass(3600);
  expect(writes(world)).toBe(1);
});

it('a Node that goes at once tells nothing', async () => {
  const { world, handle } = await drainedMachine(temporal, 'brief', { pods: [{ name: 'web' }] });
  await expect(temporal.resultOf(handle)).resolves.toEqual({ outcome: 'deleted' });
  expect(writes(world)).toBe(0);
});

it('a Node tells it later where the API server could not take it at once', async () => {
  const { world } = await drainedMachine(temporal, 'later', {
    spec: HELD,
    whenRunning: (running) => {
      let isAway = true;
      running.onRequest = before(STATUS, () => {
        if (!isAway) return;
        isAway = false;
        throw new KubeError(503, 'ServiceUnavailable', 'etcd has no leader');
      });
    },
  });
  await temporal.until(() => isHeld(world));
  expect(told(world)).toEqual([]);
  await temporal.until(() => told(world).length > 0, { within: 40 });
  expect(told(world)).toEqual(['Drained True']);
});

const refuseToEnd = (world: MachineWorld) =>
  world.cloud.fail({ action: 'terminate', code: 'UnauthorizedOperation', status: 403 });

it('a Node tells it where the cloud does not end its instance, once', async () => {
  const pods = [{ name: 'web' }];
  const { world } = await drainedMachine(temporal, 'kept-by-cloud', { pods, whenRunning: refuseToEnd });
  await temporal.until(() => world.status.waiting?.step === 'Terminate');
  await temporal.until(() => told(world).length > 0, { within: 120 });
  expect([told(world), writes(world)]).toEqual([['Drained True'], 1]);
  await temporal.pass(3600);
  expect(writes(world)).toBe(1);
});

it('a Node tells it where the API server refuses the deletion that it was prepared for', async () => {
  const { world } = await drainedMachine(temporal, 'kept-by-webhook', {
    pods: [{ name: 'web' }],
    isOnlyAsked: true,
    whenRunning: (running) => {
      running.onRequest = before({ verb: 'delete', resource: MACHINES }, () => {
        throw new KubeError(403, 'Forbidden', 'admission webhook "keep" denied the request');
      });
    },
  });
  await temporal.until(() => world.status.preparation === 'failed');
  await temporal.until(() => told(world).length > 0, { within: 120 });
  expect([told(world), world.status.waiting?.reason]).toEqual([['Drained True'], 'KubernetesRefused']);
});

const WEB = { name: 'web', labels: { app: 'web' } };

describe('a Node whose drain ended before all pods had left, while a hook keeps it', () => {
  it.each([false, true])('tells just that, when the time is over (the API server is away then: %s)', async (isAway) => {
    const { world } = await drainedMachine(temporal, `expired-${isAway}`, {
      pods: [WEB],
      stuck: ['web'],
      spec: { ...HELD, drain: { timeout: '1m', onTimeout: 'Force' } },
    });
    await temporal.until(() => told(world).includes('DrainInProgress True'));
    await temporal.pass(40);
    if (isAway) {
      world.onRequest = before({ ...STATUS, nth: 1 }, () => {
        throw new KubeError(503, 'ServiceUnavailable', 'etcd has no leader');
      });
    }
    await temporal.until(() => isHeld(world), { within: 60 });
    await temporal.until(() => !told(world).includes('DrainInProgress True'), { within: isAway ? 40 : 0 });
    expect(told(world)).toEqual(['Drained False']);
    const sofar = writes(world);
    await temporal.pass(600);
    expect(writes(world)).toBe(sofar);
  });

  it('tells just that, when somebody wants no drain any more', async () => {
    const { world, handle } = await drainedMachine(temporal, 'given-up', {
      pods: [WEB],
      budgets: { web: 1 },
      spec: HELD,
    });
    await temporal.until(() => told(world).includes('DrainInProgress True'));
    await world.edit({ spec: { deletionPolicy: 'unsafe' } });
    await temporal.signal(handle, changedSignal);
    await temporal.until(() => isHeld(world));
    expect(told(world)).toEqual(['Drained False']);
  });
});

it('a Node whose drain was given up tells that where the cloud does not end its instance', async () => {
  const { world, handle } = await drainedMachine(temporal, 'given-up-by-cloud', {
    pods: [WEB],
    budgets: { web: 1 },
    whenRunning: refuseToEnd,
  });
  await temporal.until(() => told(world).includes('DrainInProgress True'));
  await world.edit({ spec: { deletionPolicy: 'unsafe' } });
  await temporal.signal(handle, changedSignal);
  await temporal.until(() => world.status.waiting?.step === 'Terminate');
  await temporal.until(() => !told(world).includes('DrainInProgress True'), { within: 120 });
  expect(told(world)).toEqual(['Drained False']);
});
