import { describe, expect, it } from '@jest/globals';
import { REMEDIATED_BY_ANNOTATION } from '../../k8s/model/health-claim.ts';
import type { Resource } from '../../k8s/resources.ts';
import type { MachineHealthCheckSpec } from '../world/builders/a-machine-health-check.ts';
import { NAMESPACE } from '../world/builders/metadata.ts';
import type { HealthWorld } from '../world/health-world.ts';
import { nextFor, runningHealthCheck, SICK } from './real-health-check.ts';
import type { Temporal } from './temporal.ts';
import { useTemporal } from './use-temporal.ts';

let temporal: Temporal;
useTemporal((started) => (temporal = started));

const ANNOTATE = { action: 'Annotate', key: 'example.com/remedy', value: 'now' } as const;

const running = (name: string, spec: Partial<MachineHealthCheckSpec> = {}, arrange?: (world: HealthWorld) => void) =>
  runningHealthCheck(temporal, name, { spec: { unhealthyConditions: [SICK], ...spec } }, arrange);

describe('a machine that is replaced', () => {
  type Step = NonNullable<NonNullable<MachineHealthCheckSpec['remediation']>['steps']>[number];
  const byDefault = { timeout: '600s', onTimeout: 'Wait' };

  it.each<[string, Partial<Step>, (world: HealthWorld) => void, object]>([
    ['has ten minutes, and then waits, where its Node answers', {}, () => {}, byDefault],
    [
      'has ten minutes, and is forced then, where its Node does not answer',
      {},
      (world) => world.say(1, 'Unknown'),
      { ...byDefault, onTimeout: 'Force' },
    ],
    ['waits, where its Node says that it is not Ready', {}, (world) => world.say(1, 'False'), byDefault],
    [
      'has the time that its check says, and is forced then where that says so',
      { drainTimeout: '3m', onTimeout: 'Force' } as object,
      () => {},
      { timeout: '180s', onTimeout: 'Force' },
    ],
    [
      'has the time that it says itself',
      { drainTimeout: '3m', onTimeout: 'Force' } as object,
      (world) => world.edit(1, ({ spec, ...machine }) => ({ ...machine, spec: { ...spec, drain: { timeout: '1h' } } })),
      { timeout: '1h' },
    ],
  ])('for its drain %s', async (words, step, arrange, drain) => {
    const steps = [{ action: 'Replace', ...step }] as Step[];
    const { world, tell } = await running(`drain-${words.length}`, { remediation: { steps } });
    await tell(() => {
      arrange(world);
      world.sicken(1);
    });
    await temporal.until(() => world.deleted.length > 0, { within: 90 });
    expect(world.machine(1)?.spec.drain).toEqual(drain);
  });
});

describe('a machine that another program is to remedy', () => {
  it('is replaced at once when it is Failed, where its check replaces at all', async () => {
    const steps = [ANNOTATE, { action: 'Replace' }] as const;
    const { world, tell } = await running('failed', { remediation: { steps: [...steps] } });
    await tell(() => world.sicken(1));
    await temporal.until(() => world.annotationsOf(1)[ANNOTATE.key] === 'now', { within: 90 });
    await temporal.pass(600);
    expect(world.deleted).toEqual([]);
    await tell(() => world.fail(1));
    await temporal.until(() => world.deleted.length > 0, { within: 10 });
  });

  it('is annotated anew where that program has taken its annotation off and the machine stays unhealthy', async () => {
    const spec = { nodeStartupTimeout: '5m', remediation: { steps: [ANNOTATE] } };
    const { world, tell } = await running('anew', spec);
    await tell(() => world.sicken(1));
    await temporal.until(() => world.annotationsOf(1)[ANNOTATE.key] === 'now', { within: 90 });
    await tell(() => world.takeOff(1, ANNOTATE.key));
    await temporal.pass(280);
    expect(world.annotationsOf(1)).not.toHaveProperty([ANNOTATE.key]);
    await temporal.until(() => world.annotationsOf(1)[ANNOTATE.key] === 'now', { within: 40 });
  });

  it('goes by an edit of its check: the step that replaces comes at once', async () => {
    const { world, tell } = await running('steps-edited', { remediation: { steps: [ANNOTATE] } });
    await tell(() => world.sicken(1));
    await temporal.until(() => world.annotationsOf(1)[ANNOTATE.key] === 'now', { within: 90 });
    await temporal.pass(600);
    await tell(() => world.change({ remediation: { steps: [{ action: 'Replace' }] } as never }));
    await temporal.until(() => world.deleted.length > 0, { within: 10 });
  });
});

describe('a check with a template', () => {
  const RESOURCE = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1', namespaced: true };
  const REPAIRS: Resource = { ...RESOURCE, kind: 'Repair', plural: 'repairs' };
  const TEMPLATES: Resource = { ...RESOURCE, kind: 'RepairTemplate', plural: 'repairtemplates' };
  const remediationTemplate = { apiVersion: RESOURCE.apiVersion, kind: TEMPLATES.kind, name: 'reboot' };
  const template = {
    apiVersion: RESOURCE.apiVersion,
    kind: TEMPLATES.kind,
    metadata: { namespace: NAMESPACE, name: 'reboot' },
    spec: { template: { spec: { strategy: 'Reboot' } } },
  };

  it('waits for that, and says so; asks by one object, and takes that back when the machine is well', async () => {
    const { world, tell } = await running('template', { remediationTemplate }, ({ kube }) => {
      for (const resource of [REPAIRS, TEMPLATES]) kube.serve(resource);
    });
    const repairs = () => world.kube.all<{ metadata: { name: string } }>(REPAIRS).map(({ metadata }) => metadata.name);
    await tell(() => world.sicken(1));
    await temporal.pass(300);
    expect(world.condition('ExternalRemediationTemplateAvailable')).toMatchObject({
      status: 'False',
      reason: 'ExternalRemediationTemplateNotFound',
    });
    expect(nextFor(world, 1)).toContain('for its template');
    // Nobody tells of it.
    world.kube.put(template);
    await temporal.until(() => repairs().length > 0, { within: 65 });
    expect(repairs()).toEqual(['m-1']);
    await temporal.pass(1200);
    expect([world.deleted, repairs()]).toEqual([[], ['m-1']]);
    expect(world.annotationsOf(1)[REMEDIATED_BY_ANNOTATION]).toContain('template');
    await tell(() => world.heal(1));
    await temporal.until(() => repairs().length === 0, { within: 10 });
    await temporal.until(() => world.status.currentHealthy === 3, { within: 10 });
    expect(world.annotationsOf(1)).not.toHaveProperty([REMEDIATED_BY_ANNOTATION]);
  });
});
