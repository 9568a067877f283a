import { beforeEach, describe, expect, test } from '@jest/globals';
import type { MachineHealthCheckObject } from '../../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import { MACHINES } from '../../../../k8s/dialects/openshift/resources.ts';
import { EXTERNAL_REMEDIATION_ANNOTATION, REMEDIATED_BY_ANNOTATION } from '../../../../k8s/model/health-claim.ts';
import { PAUSED_ANNOTATION } from '../../../../k8s/model/paused-annotation.ts';
import { aMachineHealthCheck } from '../../../../test/world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../../../../test/world/builders/a-machine-set.ts';
import { NAMESPACE } from '../../../../test/world/builders/metadata.ts';
import { Operated } from '../../../../test/world/operated.ts';
import { EXIT } from '../../exit-codes.ts';
import { askForRemediation } from './remediate.ts';
import { given } from '../../../../providers/given.ts';

const set = aMachineSet({ name: 'workers' });

let world: Operated;
beforeEach(() => {
  world = new Operated();
  world.put('a', { set });
});

const remediate = (name = 'a', reason?: string) => askForRemediation(world.parts, name, given({ reason }));
const annotation = () => world.machine('a')?.metadata.annotations?.['machine.openshift.io/remediate'];

function putCheck(name: string, changes: Partial<MachineHealthCheckObject> = {}): void {
  world.kube.put({ ...aMachineHealthCheck(name), ...changes });
}

const says = (words: string) => [`Machine default/a is to be remediated: ${words}`];

describe('a remediation', () => {
  test('is asked for by an annotation with the reason', async () => {
    putCheck('check');
    await remediate('a', 'its disk makes noises');
    expect(annotation()).toBe('its disk makes noises');
    expect(world.lines).toEqual(
      says('health check check sees to it; `millwright healthcheck explain check` says when'),
    );
  });

  test('without a reason names who asked for it', async () => {
    await remediate();
    expect(annotation()).toMatch(/^\S+ ran millwright machine remediate$/);
  });

  test('keeps a reason that stands there, and says which one another takes the place of', async () => {
    putCheck('check');
    const reason = { 'machine.openshift.io/remediate': 'RMA ticket 4711' };
    world.put('a', { set, metadata: { annotations: reason } });
    const sees = 'health check check sees to it; `millwright healthcheck explain check` says when';
    await remediate();
    expect(annotation()).toBe('RMA ticket 4711');
    await remediate('a', 'its disk makes noises');
    expect(annotation()).toBe('its disk makes noises');
    expect(world.lines).toEqual([
      `Machine default/a is to be remediated, as was asked for before (RMA ticket 4711): ${sees}`,
      `Machine default/a is to be remediated, no longer for the reason that stood there (RMA ticket 4711): ${sees}`,
    ]);
  });

  test('names who asks where an annotation without a reason stands there', async () => {
    world.put('a', { set, metadata: { annotations: { 'machine.openshift.io/remediate': '' } } });
    await remediate();
    expect(annotation()).toMatch(/^\S+ ran millwright machine remediate$/);
    expect(world.lines[0]).toMatch(/^Machine default\/a is to be remediated: /);
  });

  test('says that no check selects the machine: one of other labels, of another namespace, or that cannot be read', async () => {
    putCheck('others', { spec: { selector: { matchLabels: { set: 'others' } } } as never });
    putCheck('elsewhere', { metadata: { ...aMachineHealthCheck('elsewhere').metadata, namespace: 'elsewhere' } });
    putCheck('broken', { spec: { ...aMachineHealthCheck().spec, maxUnhealthy: 'abc' } });
    await remediate();
    expect(world.lines).toEqual(says('no health check selects it, so nothing comes of that before one does'));
  });

  test('is the first one’s of several checks, unless one has the machine in hand', async () => {
    putCheck('one');
    putCheck('two', {
      metadata: { ...aMachineHealthCheck('two').metadata, annotations: { [PAUSED_ANNOTATION]: '' } },
    });
    await remediate();
    expect(world.lines).toEqual(says('the first of the health checks one, two (which is paused) that acts sees to it'));
    world.put('a', { set, metadata: { annotations: { [REMEDIATED_BY_ANNOTATION]: 'one uid-of-one' } } });
    world.lines.length = 0;
    await remediate();
    expect(world.lines).toEqual(says('health check one remediates it already'));
  });

  test('never deletes a machine that nothing controls', async () => {
    world.put('a', { metadata: { labels: { set: 'workers' } } });
    putCheck('check');
    await remediate();
    expect(world.lines[0]).toMatch(
      /; no controller owns it, so it is never deleted for that: nobody would make another one$/,
    );
  });

  test.each([
    ['a pause', { [PAUSED_ANNOTATION]: '' }, 'it is paused, so nothing happens before its annotation'],
    [
      'a veto',
      { 'machine.openshift.io/skip-remediation': '' },
      'its annotation skip-remediation says to leave it alone, so nothing happens before that is removed',
    ],
    [
      'a veto for a while',
      { 'machine.openshift.io/skip-remediation': '2999-01-01T00:00:00Z' },
      'its annotation skip-remediation says to leave it alone, so nothing happens before 2999-01-01T00:00:00Z',
    ],
    [
      'another program',
      { [EXTERNAL_REMEDIATION_ANNOTATION]: '' },
      'another program remediates it, so nothing happens before its annotation',
    ],
  ])('is held by %s', async (_what, annotations, words) => {
    world.put('a', { set, metadata: { annotations } });
    await remediate();
    expect(annotation()).toBeDefined();
    expect(world.lines[0]).toContain(words);
  });

  test('is not held by a veto that is over', async () => {
    world.put('a', {
      set,
      metadata: { annotations: { 'machine.openshift.io/skip-remediation': '2000-01-01T00:00:00Z' } },
    });
    await remediate();
    expect(world.lines[0]).not.toContain('skip-remediation');
  });
});

test('a machine that is being deleted, is not there or goes in that moment is an error', async () => {
  world.put('gone', { deleting: true });
  await expect(remediate('gone')).rejects.toThrow(
    'could not have Machine default/gone remediated: it is being deleted already; nothing was changed',
  );
  await expect(remediate('nowhere')).rejects.toMatchObject({ exitCode: EXIT.notFound });
  world.kube.onRequest = async (request, carryOut) => {
    if (request.verb === 'mergePatch') world.kube.drop(MACHINES, NAMESPACE, 'a');
    return carryOut();
  };
  await expect(remediate()).rejects.toThrow('could not have Machine default/a remediated: it is gone');
});
