import { beforeEach, expect, test } from '@jest/globals';
import { APIS } from '../../../../k8s/dialects/registry.ts';
import type { Condition } from '../../../../k8s/model/condition.ts';
import { PROCEED_ANNOTATION } from '../../../../k8s/model/machine-health-check.ts';
import { PAUSED_ANNOTATION } from '../../../../k8s/model/paused-annotation.ts';
import { NAMESPACE } from '../../../../test/world/builders/metadata.ts';
import { HealthWorld } from '../../../../test/world/health-world.ts';
import { ownClock } from '../../../../test/world/world-clock.ts';
import { EXIT } from '../../exit-codes.ts';
import { proceed } from './proceed.ts';

const storm = {
  type: 'StormSuspected',
  status: 'True',
  reason: 'ManyAtOnce',
  message: '7 of 10 machines are bad by one cause',
  lastTransitionTime: '2026-01-01T00:10:00.500Z',
} as const;

const clock = ownClock();
let world: HealthWorld;
let lines: string[];
beforeEach(() => {
  world = new HealthWorld(clock);
  lines = [];
});

function tell(...conditions: Condition[]): void {
  world.kube.put({ ...world.check, status: { conditions } } as never);
}

/** The API server's clock shows this. */
function itIs(creationTimestamp: string | null): void {
  world.kube.onRequest = async (request, carryOut) =>
    request.resource.kind === 'SelfSubjectReview' ? ({ metadata: { creationTimestamp } } as never) : carryOut();
}

const run = (name = 'check') =>
  proceed(
    {
      access: { kube: world.kube.client, apis: APIS, namespace: NAMESPACE },
      clock,
      print: (line) => lines.push(line),
    },
    name,
  );
const written = () => world.check?.metadata.annotations?.[PROCEED_ANNOTATION];

test('the time is the API server’s, and what comes of it is said', async () => {
  tell(storm);
  itIs('2026-01-01T00:12:00Z');
  await run();
  expect(written()).toBe('2026-01-01T00:12:00.000Z');
  expect(lines).toEqual([
    'MachineHealthCheck default/check goes on in spite of the storm (7 of 10 machines are bad by one cause); it remediates one machine, then twice as many with each success, up to its maxInFlight; what turns unhealthy from now on may be another storm, which holds again',
  ]);
});

test('the time is later than the storm, by whatever clock that was told', async () => {
  tell(storm);
  itIs('2026-01-01T00:10:00Z');
  await run();
  expect(written()).toBe('2026-01-01T00:10:01.500Z');
});

test('the time is our own where the API server does not tell its', async () => {
  tell({ ...storm, lastTransitionTime: '2020-01-01T00:00:00Z' });
  itIs(null);
  await run();
  expect(written()).toBe(new Date(clock.timeOfDay()).toISOString());
});

test('what holds remediations up beside the storm is said', async () => {
  const tooMany = { type: 'RemediationAllowed', status: 'False', reason: 'TooManyUnhealthy' } as const;
  tell(storm, { ...storm, ...tooMany, message: '7 of 10 are too many' });
  world.changeMeta({ annotations: { [PAUSED_ANNOTATION]: '' } });
  await run();
  expect(lines[0]).toMatch(
    /; RemediationAllowed is False still: 7 of 10 are too many; it is paused, so nothing happens before its annotation cluster\.x-k8s\.io\/paused is removed$/,
  );
});

test('where no storm is suspected nothing is changed', async () => {
  for (const conditions of [[], [{ ...storm, status: 'False' as const }]]) {
    tell(...conditions);
    const before = world.check;
    await run();
    expect(world.check).toEqual(before);
  }
  expect(lines).toEqual(Array(2).fill('MachineHealthCheck default/check suspects no storm; nothing was changed'));
});

test('a check that is not there is an error', async () => {
  await expect(run('nowhere')).rejects.toMatchObject({ exitCode: EXIT.notFound });
});
