import { describe, expect, it } from '@jest/globals';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../k8s/kube-error.ts';
import { SET_FIELD_MANAGER } from '../k8s/model/field-managers.ts';
import { controllerReference } from '../k8s/model/owner-reference.ts';
import { PAUSED_ANNOTATION } from '../k8s/model/paused-annotation.ts';
import { ROLLOUT_ANNOTATION } from '../k8s/model/rollout-mark.ts';
import { SETTINGS_ANNOTATION } from '../k8s/model/template-settings.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { aMachineDeployment } from '../test/world/builders/a-machine-deployment.ts';
import { aMachineSet } from '../test/world/builders/a-machine-set.ts';
import { refOf } from '../test/world/builders/metadata.ts';
import { before } from '../test/world/kubernetes/request.ts';
import { SetWorld } from '../test/world/set-world.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { CLUSTER_UID } from '../test/world/world.ts';
import { createMachineDeps } from './deps.ts';
import { createMachineSetActivities } from './machine-sets.ts';
import { recordedActivity } from '../test/world/recorded-activity.ts';

const OWNER = controllerReference(refOf(aMachineDeployment({ name: 'pool' })));
const SPEC = { metadata: { labels: { tier: 'gold' } }, taints: [{ key: 'gpu', effect: 'NoSchedule' as const }] };
const ROLLING = { annotations: { [ROLLOUT_ANNOTATION]: 'rolling' } };

/** A set whose template says more than its Machines were made of. */
function setOf(names: readonly string[], owned = { ownerReferences: [OWNER] } as object) {
  const { template } = aMachineSet().spec;
  const world = new SetWorld(ownClock(), { spec: { template: { ...template, spec: { ...template.spec, ...SPEC } } } });
  world.changeSetMeta(owned);
  for (const name of names) world.add(name);
  const activities = createMachineSetActivities(createMachineDeps(world.deps));
  const target = { ref: world.ref, clusterUid: CLUSTER_UID };
  const environment = recordedActivity();
  return {
    world,
    behind: async () => {
      const survey = await activities.surveyReplicas({ ...target, issued: [] });
      return survey.found === true ? (survey.plan.update ?? []).map(({ name }) => name) : undefined;
    },
    update: (skip: readonly string[] = []) =>
      environment.run(() => activities.updateMachines({ ...target, count: names.length, skip })),
  };
}

describe('Machines of a deployment’s set that do not have what its template says', () => {
  it('get it, and then are not written again', async () => {
    const { world, behind, update } = setOf(['m-0', 'm-1']);
    expect(await behind()).toEqual(['m-0', 'm-1']);
    expect(await update()).toEqual({ isDone: true });
    expect(world.machine('m-0')).toMatchObject({
      spec: SPEC,
      metadata: { annotations: { [SETTINGS_ANNOTATION]: expect.any(String) } },
    });
    expect(await behind()).toEqual([]);
    expect(await update()).toEqual({ isDone: true });
    expect(world.asked('mergePatch')).toEqual(['m-0', 'm-1']);
  });

  it('are also those that are being deleted, but not such as the set does not select any more', async () => {
    const { world, behind } = setOf(['m-0', 'm-1', 'm-2']);
    world.changeMachine('m-1', { deletionTimestamp: '2026-01-02T00:00:00Z' });
    world.changeMachine('m-2', { labels: {} });
    expect(await behind()).toEqual(['m-0', 'm-1']);
  });

  it('keep what somebody changed on them, until the template says otherwise', async () => {
    const { world, update } = setOf(['m-0']);
    await update();
    await world.kube.others.mergePatch(MACHINES, 'default', 'm-0', {
      spec: { metadata: { labels: { tier: 'lead' } } },
    });
    const { template } = world.set?.spec ?? aMachineSet().spec;
    world.change({ template: { ...template, spec: { ...template.spec, taints: [] } } });
    await update();
    expect(world.machine('m-0')?.spec.metadata?.labels).toEqual({ tier: 'lead' });
    expect(world.machine('m-0')?.spec).not.toHaveProperty('taints');
    world.change({
      template: { ...template, spec: { ...template.spec, metadata: { labels: { tier: 'tin' } }, taints: [] } },
    });
    await update();
    expect(world.machine('m-0')?.spec.metadata?.labels).toEqual({ tier: 'tin' });
  });

  it('are written under the name of the set', async () => {
    const { world, update } = setOf([]);
    const made = aMachine({ name: 'm-0', set: world.set ?? aMachineSet() });
    const fresh = { ...made, metadata: { ...made.metadata, resourceVersion: '' } };
    await world.kube.client.create(MACHINES, 'default', fresh, { fieldManager: 'theirs' });
    await update();
    const managers = world.machine('m-0')?.metadata.managedFields?.map(({ manager }) => manager);
    expect(managers).toContain(SET_FIELD_MANAGER);
  });

  it('are not written where the set is paused by then', async () => {
    const { world, update } = setOf(['m-0']);
    world.changeSetMeta({ annotations: { [PAUSED_ANNOTATION]: '' } });
    expect(await update()).toEqual({ isDone: true });
    expect(world.asked('mergePatch')).toEqual([]);
  });

  it('are written sixteen first, then the others after another look, and one that was refused is not tried again', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `m-${String(i).padStart(2, '0')}`);
    const { world, update } = setOf(names);
    let seen = 0;
    world.onRequest = before({}, ({ verb, name }) => {
      if (verb === 'list') seen = world.asked('mergePatch').length;
      if (name === 'm-03' && verb === 'mergePatch') throw new KubeError(403, 'Forbidden', 'denied');
    });
    expect(await update()).toMatchObject({ refused: { machines: [{ name: 'm-03', uid: 'uid-of-m-03' }] } });
    expect(seen).toBe(16);
    expect(world.asked('mergePatch').toSorted()).toEqual(names);
  });

  it('are left to the next look where the first ones take too long', async () => {
    const { world, update } = setOf(Array.from({ length: 20 }, (_, i) => `m-${i}`));
    world.onRequest = before({ verb: 'mergePatch', nth: 1 }, () => world.clock.goAhead(61_000));
    expect(await update()).toEqual({ isDone: false });
    expect(world.asked('mergePatch')).toHaveLength(16);
  });

  it('are looked at again where one changes right before it is written', async () => {
    const { world, behind, update } = setOf(['m-0', 'm-1']);
    world.onRequest = before({ verb: 'mergePatch', nth: 1 }, () =>
      world.changeMachine('m-0', { resourceVersion: '99' }),
    );
    expect(await update()).toEqual({ isDone: false });
    expect(await behind()).toEqual(['m-0']);
    expect(await update()).toEqual({ isDone: true });
    expect(await behind()).toEqual([]);
  });

  it('are told of where they are refused, and not tried while that is waited out', async () => {
    const { world, update } = setOf(['m-0', 'm-1']);
    world.onRequest = before({ verb: 'mergePatch', nth: 1 }, () => {
      throw new KubeError(403, 'Forbidden', 'denied');
    });
    expect(await update()).toEqual({
      isDone: true,
      refused: { machines: [{ name: 'm-0', uid: 'uid-of-m-0' }], message: 'Forbidden: denied' },
    });
    world.onRequest = before({ verb: 'mergePatch' }, () => {});
    const asked = world.asked('mergePatch').length;
    await update(['uid-of-m-0']);
    expect(world.asked('mergePatch')).toHaveLength(asked);
  });
});

describe('the word of a rollout', () => {
  it('comes and goes with that of the set; one that is being deleted needs it no more', async () => {
    const { world, behind, update } = setOf(['m-0', 'm-1']);
    await update();
    world.changeSetMeta(ROLLING);
    world.changeMachine('m-1', { deletionTimestamp: '2026-01-02T00:00:00Z' });
    expect(await behind()).toEqual(['m-0']);
    await update();
    expect(world.machine('m-0')?.metadata.annotations).toMatchObject(ROLLING.annotations);
    world.changeSetMeta({ annotations: {} });
    await update();
    expect(world.machine('m-0')?.metadata.annotations).not.toHaveProperty([ROLLOUT_ANNOTATION]);
  });

  it('goes when no deployment has the set any more, whose Machines follow no template then', async () => {
    const { world, behind, update } = setOf([], ROLLING);
    world.kube.put(aMachine({ name: 'm-0', set: world.set ?? aMachineSet(), metadata: ROLLING }));
    expect(await behind()).toEqual(['m-0']);
    await update();
    expect(world.machine('m-0')?.metadata.annotations ?? {}).toEqual({});
    expect(world.machine('m-0')?.spec).not.toHaveProperty('taints');
    expect(await behind()).toEqual([]);
  });
});
