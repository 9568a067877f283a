import { beforeEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { MACHINE_CLASSES } from '../../../../k8s/dialects/openshift/resources.ts';
import { APIS } from '../../../../k8s/dialects/registry.ts';
import { KubeError } from '../../../../k8s/kube-error.ts';
import { aMachineClass } from '../../../../test/world/builders/a-machine-class.ts';
import { aMachineDeployment } from '../../../../test/world/builders/a-machine-deployment.ts';
import { NAMESPACE } from '../../../../test/world/builders/metadata.ts';
import { ownClock } from '../../../../test/world/world-clock.ts';
import { World } from '../../../../test/world/world.ts';
import { planOf } from './plan.ts';
import { renderPlan } from './render-plan.ts';

const clock = ownClock();
let world: World;
beforeEach(() => {
  world = new World(clock);
});

const { template } = aMachineDeployment().spec;
const ofClass = (name: string) => ({
  template: { ...template, spec: { providerSpec: { valueFrom: { machineClass: { name } } } } },
});

/** What a file of three machines of this class would come to. */
function plan(machineClass: string, kube = world.kube.client) {
  const { apiVersion, kind, spec } = aMachineDeployment({ spec: ofClass(machineClass) });
  const file = stringify({ apiVersion, kind, metadata: { name: 'workers' }, spec });
  return planOf({ access: { kube, apis: APIS, namespace: NAMESPACE }, clock, print: () => {} }, file);
}

describe('the instance type in a plan', () => {
  test('is that of the MachineClass to which the template refers', async () => {
    world.kube.put(aMachineClass());
    const planned = await plan('medium');
    expect(planned.instanceType).toBe('sim.medium');
    expect(planned).not.toHaveProperty('classProblem');
    expect(renderPlan(planned)).toContain('quota for 3 more machines of type sim.medium');
  });

  test.each([
    ['does not exist', () => {}, 'MachineClass default/medium does not exist: no machine is launched before it does'],
    [
      'is malformed',
      () => world.kube.put({ ...aMachineClass(), providerSpec: 'small' } as never),
      'MachineClass default/medium is malformed, and no machine is launched until it is mended',
    ],
  ])('is not known where that %s, and the plan says so', async (_what, put, words) => {
    put();
    const planned = await plan('medium');
    expect(planned).not.toHaveProperty('instanceType');
    expect(renderPlan(planned)).toContain(words);
  });

  test('is not known where the class may not be read, and all else is told', async () => {
    const { client } = world.kube;
    const get: typeof client.get = (resource, ...more) =>
      resource.plural === MACHINE_CLASSES.plural
        ? Promise.reject(new KubeError(403, 'Forbidden', 'not for you'))
        : client.get(resource, ...more);
    const planned = await plan('medium', { ...client, get });
    expect(planned.created).toBe(3);
    expect(renderPlan(planned)).toContain('cannot be read, so that the instance type is not known: not for you');
  });
});
