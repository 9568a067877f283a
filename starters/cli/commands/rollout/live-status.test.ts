import { beforeEach, expect, test } from '@jest/globals';
import { APIS } from '../../../../k8s/dialects/registry.ts';
import type { MachineSetObject } from '../../../../k8s/api/machine.openshift.io/machine-set.ts';
import type { MachineDeploymentObject } from '../../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { MACHINE_SETS } from '../../../../k8s/dialects/openshift/resources.ts';
import { PAUSED_ANNOTATION } from '../../../../k8s/model/paused-annotation.ts';
import { NAMESPACE } from '../../../../test/world/builders/metadata.ts';
import { RolloutWorld } from '../../../../test/world/rollout-world.ts';
import { delay } from '../../../../providers/clock.ts';
import { ownClock } from '../../../../test/world/world-clock.ts';
import { CliError } from '../../cli-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { renderLive } from './live-status.ts';
import { findDeployment, machinesOf, setsOf, type RolloutParts } from './rollout-parts.ts';
import { tellStatus, type StatusParts } from './status.ts';

const clock = ownClock();
let world: RolloutWorld;

const parts = (): RolloutParts => ({
  access: { kube: world.kube.client, apis: APIS, namespace: NAMESPACE },
  clock,
  print: () => {},
});

async function makeSet(): Promise<void> {
  await world.makeSet();
  await world.runSets();
}

function setStatus(status: MachineDeploymentObject['status']): void {
  world.kube.put({ ...world.deployment, status } as MachineDeploymentObject);
}

/** Its three machines run, and another template is released. */
beforeEach(async () => {
  world = new RolloutWorld(clock);
  await makeSet();
  await world.order();
  world.say('True');
  world.release('2');
  await makeSet();
});

const live = async (): Promise<string> => {
  const found = await findDeployment(parts(), 'workers');
  const [sets, machines] = await Promise.all([setsOf(parts(), found), machinesOf(parts(), found)]);
  return renderLive({ found, sets, machines, now: clock.timeOfDay() });
};

/** The cloud was asked a while ago, and a new machine was made since. */
async function begin(more: MachineDeploymentObject['status'] = {}): Promise<void> {
  const { templateHash } = await world.survey();
  const checkedAt = new Date(clock.timeOfDay()).toISOString();
  setStatus({ observedGeneration: 2, preflight: { templateHash, revision: 2, passed: true, checkedAt }, ...more });
  // The old set answers to its limit first.
  await world.order();
  await world.order();
  await delay(clock, 60_000);
}

test('the live view has old and new machines, and what is waited for', async () => {
  const text = await live();
  expect(text).toMatch(/MACHINESET +REVISION +WANTED +MACHINES +AVAILABLE +LEAVING/);
  expect(text).toMatch(/^old +workers-\w+ +1 +3 +3 +3 +0$/m);
  expect(text).toMatch(/^new +workers-\w+ +2 +0 +0 +0 +0$/m);
  expect(text).toMatch(/^waits for: the cloud has not said yet whether it would launch/m);
  expect(text).not.toContain('about');
});

test('tells how long it takes still, by the machines that came so far', async () => {
  await begin();
  expect(await live()).not.toContain('about');
  world.say('True');
  expect(await live()).toContain('about 2 min left, at the pace so far');
  const [set] = world.kube.all(MACHINE_SETS);
  world.kube.put({
    ...set!,
    metadata: { ...set!.metadata, annotations: { ...set!.metadata.annotations, [PAUSED_ANNOTATION]: '' } },
  });
  expect(await live()).not.toContain('at the pace so far');
});

test('in a step it tells that of the step', async () => {
  const steps = [{ machines: 2 }, { approval: {} }];
  world.change({
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0, steps } } as never,
  });
  const { templateHash } = await world.survey();
  const since = new Date(clock.timeOfDay()).toISOString();
  await begin({ step: { templateHash, revision: 2, passed: 0, since } });
  world.say('True');
  expect(await live()).toContain('about 1 min until step 1 of 2 has its machines, at the pace so far');
});

test('where all machines are of the template it waits only for settings that are refused', async () => {
  world = new RolloutWorld(clock);
  await makeSet();
  await world.order();
  world.say('True');
  expect(await live()).toMatch(/^new +workers-\w+ +1 +3 +3 +3 +0$/m);
  expect(await live()).not.toContain('waits for');
  const [set] = world.kube.all<MachineSetObject>(MACHINE_SETS);
  const refused = { type: 'MachinesUpdated', status: 'False', reason: 'FailedSettings', message: 'no such label' };
  const conditions = [{ ...refused, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  world.kube.put({ ...set!, status: { ...set!.status, conditions } } as MachineSetObject);
  expect(await live()).toMatch(/^waits for: the next try of what was refused: MachineSet workers-\w+: no such label$/m);
});

test('on a terminal it is shown until the rollout is over, and then the last words are printed', async () => {
  const shown: string[] = [];
  const lines: string[] = [];
  const status: StatusParts = {
    ...parts(),
    print: (line) => lines.push(line),
    onInterrupt: () => () => {},
    live: { show: (text) => shown.push(text), clear: () => shown.push('') },
  };
  await expect(tellStatus(status, 'workers', { watch: true, timeout: 0.01 })).rejects.toMatchObject({
    exitCode: EXIT.timedOut,
  });
  expect(shown[0]).toMatch(/^Waiting for machinedeployment.machine.openshift.io\/workers spec update.*\n +MACHINESET/);
  expect(shown.at(-1)).toBe('');
  expect(lines).toEqual([expect.stringMatching(/^Waiting for/)]);
});

test('Ctrl-C ends what is waited for, and says that the rollout goes on', async () => {
  const before = world.deployment;
  const status: StatusParts = {
    ...parts(),
    onInterrupt: (stop) => {
      clock.after(5, stop);
      return () => {};
    },
  };
  const ended = tellStatus(status, 'workers', { watch: true, timeout: 60 });
  await expect(ended).rejects.toThrow(CliError);
  await expect(ended).rejects.toMatchObject({
    exitCode: EXIT.interrupted,
    message:
      'machinedeployment.machine.openshift.io/workers is not rolled out yet; that goes on without being waited for',
  });
  expect(world.deployment).toEqual(before);
});
