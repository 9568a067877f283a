import { describe, expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { FINALIZER } from '../../../k8s/dialects/openshift/labels.ts';
import { openshift } from '../../../k8s/dialects/openshift/api.ts';
import type { MachineReading } from '../../../k8s/model/reading.ts';
import { explain } from './explanation.ts';
import { headlineOf } from './headline.ts';
import { renderExplanation } from './render-explanation.ts';
import { given } from '../../../providers/given.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const workflow = { id: 'machine/ns/m1/u', state: 'running since then', link: 'http://ui/x' };

function machine(
  status?: MachineObject['status'],
  deletionTimestamp?: string,
  spec: Partial<MachineObject['spec']> = {},
  finalizers?: string[],
): MachineReading {
  const object: MachineObject = {
    apiVersion: 'machine.openshift.io/v1beta1',
    kind: 'Machine',
    metadata: {
      name: 'm1',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...given({ deletionTimestamp, finalizers }),
    },
    spec: { providerSpec: { value: { kind: 'X' } }, ...spec },
    ...given({ status }),
  };
  return openshift.machine.read(object);
}

describe('an explanation', () => {
  test('says the step, since when, what is waited for, the last error and the next try', () => {
    const text = renderExplanation(
      explain(
        machine({
          phase: 'Provisioning',
          waiting: {
            step: 'Launch',
            since: '2026-01-01T00:05:00Z',
            reason: 'InsufficientInstanceCapacity',
            retryClass: 'exhausted',
            message: 'zone a has no more x1.large',
            nextTry: '2026-01-01T00:10:30Z',
          },
          conditions: [
            {
              type: 'MachineCreation',
              status: 'False',
              reason: 'InsufficientInstanceCapacity',
              message: 'zone a has no more x1.large',
              lastTransitionTime: '2026-01-01T00:05:00Z',
            },
          ],
        }),
      ),
      workflow,
      now,
    );
    expect(text.split('\n')).toEqual([
      'Waiting for room in the cloud (capacity or quota): zone a has no more x1.large (next try in 30s)',
      '',
      'Machine:      ns/m1',
      'Phase:        Provisioning',
      'Step:         Launch',
      'Since:        2026-01-01T00:05:00Z (5m ago)',
      'Waits for:    zone a has no more x1.large',
      'Last error:   InsufficientInstanceCapacity: zone a has no more x1.large',
      'Next try:     2026-01-01T00:10:30Z (in 30s)',
      'What to do:   Have the quota raised, or choose another instance type or zone; else it is tried again until there is room. Where cluster-autoscaler sizes the group the Machine is Failed meanwhile.',
      'Instance:     none yet',
      'Node:         none yet',
      'Workflow:     running since then',
      'Temporal UI:  http://ui/x',
    ]);
  });

  test('of a machine that nobody has looked at says so', () => {
    expect(explain(machine())).toMatchObject({
      phase: 'New',
      step: 'New',
      since: '2026-01-01T00:00:00Z',
      waitsFor: 'a worker to look at it: its status was never written',
      toDo: expect.stringMatching(/^Run a watcher and a worker/),
    });
  });

  test('of a Running machine says that it waits for nothing, and since when', () => {
    const status: MachineObject['status'] = {
      phase: 'Running',
      nodeRef: { name: 'n1' },
      providerStatus: { instanceId: 'i-1', instanceState: 'running' },
      conditions: [{ type: 'NodeReady', status: 'True', lastTransitionTime: '2026-01-01T00:01:00Z' }],
    };
    expect(explain(machine(status))).toEqual({
      namespace: 'ns',
      name: 'm1',
      phase: 'Running',
      step: 'Running',
      since: '2026-01-01T00:01:00Z',
      waitsFor: 'nothing',
      toDo: 'Nothing: it goes on by itself.',
      nextTry: 'when something changes',
      instance: 'i-1 (running)',
      node: 'n1',
    });
  });

  test('of a machine whose Node has not joined says which Node, though its status names nothing that it waits for', () => {
    const status: MachineObject['status'] = { phase: 'Provisioned', providerStatus: { instanceId: 'i-1' } };
    expect(explain(machine(status))).toMatchObject({ step: 'JoinCluster', reason: 'NodeNotJoined' });
    expect(explain(machine(status)).waitsFor).toMatch(/^instance i-1 was created; its Node .* has not joined yet$/);
  });

  test('of a machine whose status cannot be read says what is wrong with it', () => {
    const broken = machine(JSON.parse('{"phase":"Running","addresses":3}') as MachineObject['status']);
    expect(explain(broken)).toMatchObject({
      reason: 'MalformedObject',
      waitsFor: 'status.addresses must be array',
    });
  });

  test('of a Failed machine gives the reason and says that it is final', () => {
    const explanation = explain(
      machine({ phase: 'Failed', errorReason: 'JoinClusterTimeoutError', errorMessage: 'no Node joined' }),
    );
    expect(explanation).toMatchObject({ step: 'Failed', lastError: 'JoinClusterTimeoutError: no Node joined' });
    expect(explanation.waitsFor).toMatch(/final/);
    expect(explanation.toDo).toMatch(/^Read the instance's console output/);
  });

  test('of a Failed machine that is being deleted does not ask for its deletion', () => {
    const failed = machine(
      { phase: 'Failed', errorReason: 'UpdateError', errorMessage: 'it is gone' },
      '2026-01-01T00:09:00Z',
    );
    expect(explain(failed)).toMatchObject({
      lastError: 'UpdateError: it is gone',
      toDo: 'Nothing: it goes on by itself.',
    });
  });

  test.each([
    ['SecretMissing', 'SecretMissing: what came back'],
    ['ACodeOfTheCloud', 'ACodeOfTheCloud: what came back'],
    ['HookPresent', undefined],
    ['AwaitingTurn', undefined],
  ])('of a machine that waits with %s names the last error %s, without any condition', (reason, lastError) => {
    const waiting = { step: 'Launch', since: '2026-01-01T00:05:00Z', reason, message: 'what came back' };
    expect(explain(machine({ phase: 'Provisioning', waiting })).lastError).toBe(lastError);
  });

  test('of a machine being deleted without a word from a worker says since when', () => {
    expect(explain(machine({ phase: 'Running' }, '2026-01-01T00:09:00Z'))).toMatchObject({
      step: 'Delete',
      since: '2026-01-01T00:09:00Z',
    });
  });

  test.each<[string, MachineObject['status']]>([
    ['was never written since', { phase: 'Running' }],
    [
      'tells what was waited for before',
      {
        phase: 'Deleting',
        waiting: {
          step: 'Terminate',
          reason: 'InstanceTerminating',
          message: 'it ends',
          since: '2026-01-01T00:09:00Z',
        },
      },
    ],
    ['is that of a Failed one', { phase: 'Failed', errorReason: 'UpdateError', errorMessage: 'it is gone' }],
  ])('of a machine that only finalizers of others keep names them, where its status %s', (_which, status) => {
    const theirs = ['example.com/backup', 'foregroundDeletion'];
    const seen = explain(machine(status, '2026-01-01T00:09:00Z', {}, theirs));
    expect(seen).toMatchObject({ phase: 'Deleting', step: 'Finalizers', since: '2026-01-01T00:09:00Z' });
    expect(headlineOf(seen, undefined, now)).toBe(
      'Waiting for the owners of its finalizers to take them off: example.com/backup, foregroundDeletion; nothing of Millwright keeps the Machine any more',
    );
    expect(seen.toDo).toMatch(/^Look at the controllers that these finalizers are of/);
    expect(explain(machine(status, '2026-01-01T00:09:00Z', {}, [...theirs, FINALIZER])).step).not.toBe('Finalizers');
    expect(explain(machine(status, undefined, {}, theirs)).step).not.toBe('Finalizers');
  });

  test('of a machine that is asked to go by its spec says so before a worker has looked, be it Failed or not', () => {
    const running = explain(machine({ phase: 'Running' }, undefined, { delete: true }));
    const waitsFor = 'a worker to take the next step of its deletion';
    expect(running).toMatchObject({ step: 'Delete', waitsFor });
    expect(running).not.toHaveProperty('since');
    const status = { phase: 'Failed', errorReason: 'UpdateError', errorMessage: 'it is gone' } as const;
    expect(explain(machine(status, undefined, { delete: true }))).toMatchObject({
      waitsFor,
      toDo: 'Nothing: it goes on by itself.',
    });
  });

  test.each([
    [true, undefined, 'Waiting for a worker to drain Node n1'],
    [true, false, 'Waiting for a worker to drain Node n1'],
    [false, true, 'Waiting for a worker to uncordon Node n1'],
    [undefined, false, 'Running: Node n1 has joined, and the machine waits for nothing'],
    [true, true, 'Waiting for the end of its maintenance: Node n1 is cordoned, and nothing that has to leave is on it'],
  ])('of a machine in maintenance: wanted %s, reached %s', (wanted, isReached, line) => {
    const status: MachineObject['status'] = {
      phase: 'Running',
      nodeRef: { name: 'n1' },
      ...given({ maintenance: isReached }),
    };
    const seen = explain(machine(status, undefined, given({ maintenance: wanted })));
    expect(headlineOf(seen, undefined, now)).toBe(line);
  });

  test('of a machine in maintenance says how to end it', () => {
    const status: MachineObject['status'] = { phase: 'Running', nodeRef: { name: 'n1' }, maintenance: true };
    expect(explain(machine(status, undefined, { maintenance: true })).toDo).toMatch(
      /`millwright machine maintenance off`/,
    );
  });

  test.each(['False', 'Unknown'] as const)('tells of a Node of a Running machine whose readiness is %s', (status) => {
    const message = 'Node n1: Kubelet stopped posting node status.';
    const lastTransitionTime = '2026-01-01T00:09:00Z';
    const seen = machine({
      phase: 'Running',
      nodeRef: { name: 'n1' },
      conditions: [{ type: 'NodeReady', status, reason: 'NodeStatusUnknown', message, lastTransitionTime }],
    });
    expect(headlineOf(explain(seen), undefined, now)).toBe(`Running, but not well: NodeStatusUnknown: ${message}`);
  });
});
