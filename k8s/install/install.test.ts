import { describe, expect, test } from '@jest/globals';
import { isOurs, isTakeOverUnfinished, type CustomResourceDefinition } from './api-group.ts';
import { installInto } from './install.ts';
import { resumeObjects } from './resume.ts';
import { KubeError } from '../kube-error.ts';
import { PAUSED_ANNOTATION } from '../model/paused-annotation.ts';
import { CLUSTERS, MACHINE_HEALTH_CHECKS, MACHINE_SETS, MACHINES } from '../dialects/openshift/resources.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../resources.ts';
import { aCluster } from '../../test/world/builders/a-cluster.ts';
import { aMachineSet } from '../../test/world/builders/a-machine-set.ts';
import { aMachine } from '../../test/world/builders/a-machine.ts';
import { ApiServer } from '../../test/world/kubernetes/api-server.ts';
import { inForceAtOnce } from '../../test/world/kubernetes/in-force.ts';
import { before, isWrite, straight } from '../../test/world/kubernetes/request.ts';

function foreignCrd(kube: ApiServer, plural: string, kind: string, version = 'v1beta1'): Promise<unknown> {
  const metadata = { name: `${plural}.machine.openshift.io` };
  const versions = [{ name: version, served: true }];
  const spec = { group: 'machine.openshift.io', names: { kind, plural }, versions };
  const options = { fieldManager: 'cluster-version-operator' };
  return kube.others.create(CUSTOM_RESOURCE_DEFINITIONS, undefined, { metadata, spec }, options);
}

function machine(name: string, annotations: Record<string, string> = {}) {
  return aMachine({ name, metadata: { labels: {}, annotations } });
}

function deployment(name: string, replicas: number) {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'elsewhere' }, spec: { replicas } };
}

function pod(name: string, phase: string) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'elsewhere' }, status: { phase } };
}

const emptyCluster = () => inForceAtOnce(new ApiServer());

/** A cluster that another controller's API is in, with two machines, one of them paused by a person. */
async function foreignCluster(): Promise<ApiServer> {
  const kube = emptyCluster();
  await foreignCrd(kube, 'machines', 'Machine');
  await foreignCrd(kube, 'machinesets', 'MachineSet');
  await foreignCrd(kube, 'machinehealthchecks', 'MachineHealthCheck');
  // Of the group, and not ours.
  await foreignCrd(kube, 'controlplanemachinesets', 'ControlPlaneMachineSet');
  kube.put(machine('one'), machine('two', { [PAUSED_ANNOTATION]: 'by hand' }), aMachineSet({ name: 'set' }));
  const { apiVersion, kind } = MACHINE_HEALTH_CHECKS;
  kube.put({ apiVersion, kind, metadata: { name: 'check', namespace: 'default' } });
  return kube;
}

function definitions(kube: ApiServer): CustomResourceDefinition[] {
  return kube.all<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITIONS);
}

function pauses(kube: ApiServer): Record<string, string | undefined> {
  const objects = [MACHINES, MACHINE_SETS, MACHINE_HEALTH_CHECKS].flatMap((resource) => kube.all(resource));
  return Object.fromEntries(objects.map(({ metadata }) => [metadata.name, metadata.annotations?.[PAUSED_ANNOTATION]]));
}

/** Installs with the process ending right before its n-th write. Answers false where there were fewer writes. */
async function installCutOffAt(kube: ApiServer, n: number): Promise<boolean> {
  let writes = 0;
  kube.onRequest = before({}, (request) => {
    if (isWrite(request) && (writes += 1) > n) throw new Error('the process ended');
  });
  try {
    await installInto(kube.client, { takeOver: true });
    return false;
  } catch (error) {
    expect(String(error)).toContain('the process ended');
    return true;
  } finally {
    kube.onRequest = straight;
  }
}

describe('install', () => {
  test('into a cluster without the API applies definitions and policies, and pauses nothing', async () => {
    const kube = emptyCluster();
    const lines: string[] = [];
    const result = await installInto(kube.client, { log: (line) => lines.push(line) });
    expect(result).toEqual({ tookOver: false, paused: 0 });
    expect(definitions(kube).every(isOurs)).toBe(true);
    expect(kube.all(VALIDATING_ADMISSION_POLICY_BINDINGS)).toHaveLength(kube.all(VALIDATING_ADMISSION_POLICIES).length);
    expect(lines).toContain('applied CustomResourceDefinition machines.machine.openshift.io');
  });

  test.each([
    ['takes what they must refuse', () => {}, /would take a Machine that it must refuse/],
    [
      'does not let the installer try',
      () => {
        throw new KubeError(403, 'Forbidden', 'cannot create it');
      },
      /failed for another reason: cannot create it$/,
    ],
  ])('goes on where no status tells of the policies and the API server %s, and warns', async (_what, answer, why) => {
    const kube = inForceAtOnce(new ApiServer(), { policies: false });
    kube.onRequest = before({ verb: 'create' }, answer);
    const lines: string[] = [];
    await installInto(kube.client, { log: (line) => lines.push(line), timeoutMs: 100 });
    const warnings = lines.filter((line) => line.startsWith('warning: '));
    // One of them refuses nothing.
    const names = kube.all(VALIDATING_ADMISSION_POLICIES).map(({ metadata: { name } }) => name);
    const refusing = names.filter((name) => name !== 'rollout-plan.millwright.dev');
    expect(warnings.map((line) => /Policy (\S+) is in force/.exec(line)?.[1])).toEqual(refusing);
    expect(refusing.length).toBeLessThan(names.length);
    expect(kube.all(MACHINES)).toEqual([]);
    const [, reason = ''] = /^warning: .*machine-cluster-label.*? in force: (.*)\. Until/.exec(warnings[0] ?? '') ?? [];
    expect(reason).toMatch(why);
  });

  test('again changes no pause and needs no --take-over', async () => {
    const kube = await foreignCluster();
    await installInto(kube.client, { takeOver: true });
    await resumeObjects(kube.client);
    expect(await installInto(kube.client)).toEqual({ tookOver: false, paused: 0 });
    expect(pauses(kube)).toEqual({ one: undefined, two: 'by hand', set: undefined, check: undefined });
  });

  test('refuses where definitions of the group are somebody else’s, and changes nothing', async () => {
    const kube = await foreignCluster();
    const { version } = kube.store;
    await expect(installInto(kube.client)).rejects.toThrow(
      /machines\.machine\.openshift\.io, written by cluster-version-operator[\s\S]*install --take-over[\s\S]*paused/,
    );
    expect(kube.store.version).toBe(version);
  });

  test('refuses where only a definition that is not ours to make is somebody else’s', async () => {
    const kube = emptyCluster();
    await foreignCrd(kube, 'controlplanemachinesets', 'ControlPlaneMachineSet');
    await expect(installInto(kube.client)).rejects.toThrow(/controlplanemachinesets\.machine\.openshift\.io/);
  });
});

describe('take-over', () => {
  test('pauses every object that is not paused, and resume takes off exactly those pauses', async () => {
    const kube = await foreignCluster();
    expect(await installInto(kube.client, { takeOver: true })).toEqual({ tookOver: true, paused: 3 });
    const paused = { one: 'millwright-take-over', set: 'millwright-take-over', check: 'millwright-take-over' };
    expect(pauses(kube)).toEqual({ ...paused, two: 'by hand' });
    expect(definitions(kube).every(isOurs)).toBe(true);
    expect(definitions(kube).some(isTakeOverUnfinished)).toBe(false);
    expect(await resumeObjects(kube.client)).toEqual({
      machine: 1,
      machineSet: 1,
      machineDeployment: 0,
      machineHealthCheck: 1,
    });
    expect(pauses(kube)).toEqual({ one: undefined, two: 'by hand', set: undefined });
  });

  test('lets the Machines that are there adopt their instances, by a Cluster for each of their labels', async () => {
    const kube = await foreignCluster();
    const labelled = (name: string, cluster: string, namespace: string) =>
      kube.put(aMachine({ name, cluster, namespace }));
    labelled('three', 'prod-x7k2', 'machines');
    labelled('four', 'prod-x7k2', 'machines');
    labelled('five', 'Prod_2', 'machines');
    labelled('six', 'there', 'default');
    kube.put(aCluster({ name: 'there' }));
    const lines: string[] = [];
    await installInto(kube.client, { takeOver: true, log: (line) => lines.push(line) });
    const clusters = kube.all(CLUSTERS).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(clusters).toEqual(['default/there', 'machines/prod-x7k2']);
    expect(lines).toContainEqual(expect.stringContaining('made Cluster machines/prod-x7k2'));
    expect(lines).toContainEqual(expect.stringContaining('--cluster-names machines/Prod_2'));
    labelled('later', 'elsewhere', 'machines');
    await installInto(kube.client);
    expect(kube.all(CLUSTERS)).toHaveLength(2);
  });

  test.each([
    ['a Deployment', deployment('machine-api-operator', 1), /Deployment elsewhere\/machine-api-operator/],
    ['a pod', pod('machine-api-controllers-6c9d-xk2p', 'Running'), /Pod elsewhere\/machine-api-controllers-6c9d-xk2p/],
    ['another group’s controller', deployment('machine-controller-manager', 2), /machine-controller-manager/],
  ])(
    'refuses while %s of a known controller runs, as resume does, and changes nothing',
    async (_what, object, message) => {
      const kube = await foreignCluster();
      kube.put(object);
      const { version } = kube.store;
      await expect(installInto(kube.client, { takeOver: true })).rejects.toThrow(message);
      await expect(resumeObjects(kube.client)).rejects.toThrow(message);
      expect(kube.store.version).toBe(version);
    },
  );

  test('goes on beside a known controller that is scaled to 0 and whose pods have ended', async () => {
    const kube = await foreignCluster();
    kube.put(
      deployment('machine-api-controllers', 0),
      pod('machine-api-controllers-6c9d-xk2p', 'Succeeded'),
      pod('machine-controller-manager-exporter-of-metrics-0', 'Running'),
    );
    expect((await installInto(kube.client, { takeOver: true })).tookOver).toBe(true);
  });

  test('refuses a definition that does not serve our version', async () => {
    const kube = emptyCluster();
    await foreignCrd(kube, 'machines', 'Machine', 'v1alpha1');
    await expect(installInto(kube.client, { takeOver: true })).rejects.toThrow(/serves v1alpha1 and not v1beta1/);
    expect(definitions(kube).some(isOurs)).toBe(false);
  });

  test('pauses a Machine that is made while the definitions become ours', async () => {
    const kube = await foreignCluster();
    kube.onRequest = before({ verb: 'apply', name: 'machinesets.machine.openshift.io', nth: 1 }, () =>
      kube.put(machine('late')),
    );
    expect((await installInto(kube.client, { takeOver: true })).paused).toBe(4);
    expect(pauses(kube)['late']).toBe('millwright-take-over');
  });

  test('keeps the pause that a person set at the same moment', async () => {
    const kube = await foreignCluster();
    kube.onRequest = before({ verb: 'mergePatch', resource: MACHINES, name: 'one', nth: 1 }, () =>
      kube.put(machine('one', { [PAUSED_ANNOTATION]: 'just now' })),
    );
    await installInto(kube.client, { takeOver: true });
    expect(pauses(kube)['one']).toBe('just now');
  });

  test('cut off before any of its writes never leaves a definition ours and a Machine unpaused, and can be finished', async () => {
    for (let n = 0; ; n += 1) {
      const kube = await foreignCluster();
      const cutOff = await installCutOffAt(kube, n);
      if (definitions(kube).some(isOurs)) expect(Object.values(pauses(kube))).not.toContain(undefined);
      if (!cutOff) {
        expect(n).toBeGreaterThan(8);
        return;
      }
      const isHalfOurs = definitions(kube).some(isTakeOverUnfinished);
      if (isHalfOurs) await expect(resumeObjects(kube.client)).rejects.toThrow(/finish it first/);
      await installInto(kube.client, { takeOver: true });
      expect(definitions(kube).every(isOurs)).toBe(true);
      expect(definitions(kube).some(isTakeOverUnfinished)).toBe(false);
      expect(Object.values(pauses(kube))).not.toContain(undefined);
    }
  }, 30_000);

  test('cut off where all definitions are ours is finished by a plain install', async () => {
    const kube = await foreignCluster();
    for (let n = 0; !definitions(kube).every(isOurs); n += 1) await installCutOffAt(kube, n);
    expect(definitions(kube).some(isTakeOverUnfinished)).toBe(true);
    expect((await installInto(kube.client)).tookOver).toBe(true);
    expect(definitions(kube).some(isTakeOverUnfinished)).toBe(false);
  });
});
