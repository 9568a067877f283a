import { beforeEach, expect, test } from '@jest/globals';
import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import { APIS } from '../../../k8s/dialects/registry.ts';
import { openshift } from '../../../k8s/dialects/openshift/api.ts';
import { REMEDIATED_BY_ANNOTATION } from '../../../k8s/model/health-claim.ts';
import { aMachineHealthCheck } from '../../../test/world/builders/a-machine-health-check.ts';
import { aMachineSet } from '../../../test/world/builders/a-machine-set.ts';
import { aMachine } from '../../../test/world/builders/a-machine.ts';
import { ApiServer } from '../../../test/world/kubernetes/api-server.ts';
import type { CheckSight } from '../../../workflows/machine-health-check/messages.ts';
import { NOTHING_TO_DO } from '../../../k8s/model/reasons/reasons.ts';
import { explain, withHealth } from './explanation.ts';
import { readHealthOf } from './health-of-machine.ts';
import { renderExplanation } from './render-explanation.ts';
import { given } from '../../../providers/given.ts';

type Told = NonNullable<NonNullable<MachineHealthCheckObject['status']>['unhealthyMachines']>[number];

const now = Date.parse('2026-01-01T00:10:00Z');
const bad: Told = {
  name: 'm',
  cause: 'Ready of its Node n is Unknown',
  since: '2026-01-01T00:08:00Z',
  next: 'is remediated when that has lasted for 5 min',
  dueAt: '2026-01-01T00:13:00Z',
};
const WORDS =
  'Ready of its Node n is Unknown, since 2026-01-01T00:08:00Z (2m ago); is remediated when that has lasted for 5 min (due 2026-01-01T00:13:00Z (in 3m))';

let kube: ApiServer;
beforeEach(() => {
  kube = new ApiServer();
});

function putCheck(name: string, ...unhealthyMachines: Told[]): void {
  const check: MachineHealthCheckObject = { ...aMachineHealthCheck(name), status: { unhealthyMachines } };
  kube.put(check);
}

async function healthOf(claim?: string, asked?: CheckSight, wish?: string) {
  const annotations = {
    ...given({ [REMEDIATED_BY_ANNOTATION]: claim, 'machine.openshift.io/remediate': wish }),
  };
  const machine = aMachine({ set: aMachineSet({ name: 'workers' }), metadata: { annotations } });
  const access = { kube: kube.client, apis: APIS };
  const health = await readHealthOf(access, openshift.machine.read(machine), async () => asked, now);
  return health?.words;
}

test('nothing is said of a machine that no check selects, or none finds unhealthy', async () => {
  expect(await healthOf()).toBeUndefined();
  putCheck('check', { ...bad, name: 'another' });
  expect(await healthOf()).toBeUndefined();
});

test('a wish that no health check hears is told', async () => {
  const nobody = 'and no health check selects it, so nothing comes of that before one does';
  expect(await healthOf(undefined, undefined, 'its disk')).toBe(`somebody wants it remediated (its disk), ${nobody}`);
  expect(await healthOf(undefined, undefined, '')).toBe(`somebody wants it remediated, ${nobody}`);
  putCheck('check');
  expect(await healthOf(undefined, undefined, 'its disk')).toBeUndefined();
});

test('each check that finds it not healthy says why, since when and what comes next', async () => {
  const { dueAt: _due, ...undue } = bad;
  putCheck('one', bad);
  putCheck('two', { ...undue, next: 'nothing: no step is left' });
  expect(await healthOf()).toBe(
    `one finds it not healthy: ${WORDS}. two finds it not healthy: Ready of its Node n is Unknown, since 2026-01-01T00:08:00Z (2m ago); nothing: no step is left`,
  );
});

test('the check that has it in hand is told from the others, also where its status does not list it', async () => {
  putCheck('one', bad);
  putCheck('two');
  expect(await healthOf('one uid-of-one')).toBe(`one remediates it: ${WORDS}`);
  expect(await healthOf('two uid-of-two')).toBe(`two remediates it. one finds it not healthy: ${WORDS}`);
  expect(await healthOf('old uid-of-old')).toMatch(
    /^old remediates it by its annotation, but not any more: .* is gone, /,
  );
});

test('what the status of a check has no room for, its workflow tells', async () => {
  const check: MachineHealthCheckObject = {
    ...aMachineHealthCheck('many'),
    status: { expectedMachines: 9, currentHealthy: 2, unhealthyMachines: [{ ...bad, name: 'another' }] },
  };
  kube.put(check);
  expect(await healthOf()).toBeUndefined();
  expect(await healthOf(undefined, { unhealthy: [bad] })).toBe(`many finds it not healthy: ${WORDS}`);
});

test('where the checks cannot be read, that is said in place of it', async () => {
  kube.onRequest = () => Promise.reject(new Error('not allowed'));
  expect(await healthOf()).toMatch(/^unknown: could not list the machinehealthchecks .*not allowed/);
});

test('the explanation of a machine has a line for it', () => {
  const read = openshift.machine.read(aMachine());
  const workflow = { id: 'machine/…', state: 'running', link: '' };
  expect(renderExplanation({ ...explain(read), health: 'one remediates it' }, workflow, now)).toContain(
    '\nHealth check: one remediates it\n',
  );
});

test('what comes of its health check is what is to be done where nothing else is', () => {
  const told = explain(openshift.machine.read(aMachine()));
  const idle = { ...told, toDo: NOTHING_TO_DO };
  const bad = { words: 'a waits', isUnhealthy: true };
  expect(withHealth(idle, undefined)).toBe(idle);
  expect(withHealth(idle, { ...bad, isUnhealthy: false })).toEqual({ ...idle, health: 'a waits' });
  const toDo = expect.stringContaining('millwright healthcheck explain');
  expect(withHealth(idle, bad)).toMatchObject({ health: 'a waits', isUnhealthy: true, toDo });
  expect(withHealth({ ...told, toDo: 'Mend it.' }, bad)).toMatchObject({ health: 'a waits', toDo: 'Mend it.' });
});
