import { describe, expect, test } from '@jest/globals';
import { isOurs, isTakeOverUnfinished, type CustomResourceDefinition } from './api-group.ts';
import { installInto } from './install.ts';
import { resumeMachines } from './resume.ts';
import { CLUSTER_LABEL } from '../dialects/openshift/labels.ts';
import { PAUSED_ANNOTATION } from '../model/paused-annotation.ts';
import { KubeError } from '../kube-error.ts';
import { FakeKube } from '../../test/unit/fake-kube.ts';
import { given } from '../../providers/given.ts';

const MACHINE_API = 'machine.openshift.io/v1beta1';

function crd(plural: string, kind: string, version = 'v1beta1') {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.machine.openshift.io`, managedFields: [{ manager: 'cluster-version-operator' }] },
    spec: { group: 'machine.openshift.io', names: { kind, plural }, versions: [{ name: version, served: true }] },
  };
}

function machine(name: string, annotations?: Record<string, string>) {
  const metadata = { name, namespace: 'default', ...given({ annotations }) };
  return { apiVersion: MACHINE_API, kind: 'Machine', metadata };
}

function deployment(name: string, replicas: number) {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'elsewhere' }, spec: { replicas } };
}

function pod(name: string, phase: string) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'elsewhere' }, status: { phase } };
}

/** A cluster that another controller's API is in, with two machines, one of them paused by a person. */
function foreignCluster(): FakeKube {
  const kube = new FakeKube();
  kube.add(crd('machines', 'Machine'));
  kube.add(crd('machinesets', 'MachineSet'));
  kube.add(crd('machinehealthchecks', 'MachineHealthCheck'));
  kube.add(machine('one'));
  kube.add(machine('two', { [PAUSED_ANNOTATION]: 'by hand' }));
  kube.add({ ...machine('set'), kind: 'MachineSet' });
  return kube;
}

function definitions(kube: FakeKube): CustomResourceDefinition[] {
  return kube.all('CustomResourceDefinition') as unknown as CustomResourceDefinition[];
}

function pauses(kube: FakeKube): Record<string, string | undefined> {
  const objects = [...kube.all('Machine'), ...kube.all('MachineSet')];
  return Object.fromEntries(objects.map(({ metadata }) => [metadata.name, metadata.annotations?.[PAUSED_ANNOTATION]]));
}

/** Installs with the process ending right before its n-th write. Answers false where there were fewer writes. */
async function installCutOffAt(kube: FakeKube, n: number): Promise<boolean> {
  let writes = 0;
  kube.beforeWrite = () => {
    writes += 1;
    if (writes > n) throw new Error('the process ended');
  };
  try {
    await installInto(kube.client, { takeOver: true });
    return false;
  } catch (error) {
    expect(String(error)).toContain('the process ended');
    return true;
  } finally {
    kube.beforeWrite = () => {};
  }
}

describe('install', () => {
  test('into a cluster without the API applies definitions and policies, and pauses nothing', async () => {
    const kube = new FakeKube();
    const lines: string[] = [];
    const result = await installInto(kube.client, { log: (line) => lines.push(line) });
    expect(result).toEqual({ tookOver: false, paused: 0 });
    expect(definitions(kube).every(isOurs)).toBe(true);
    expect(kube.all('ValidatingAdmissionPolicyBinding').length).toBe(kube.all('ValidatingAdmissionPolicy').length);
    expect(lines).toContain('applied CustomResourceDefinition machines.machine.openshift.io');
  });

  test.each([
    ['takes what they must refuse', () => {}, /would take a Machine that it must refuse/],
    [
      'does not let the installer try',
      (kind: string) => {
        throw new KubeError(403, 'Forbidden', `cannot create ${kind}`);
      },
      /failed for another reason: cannot create Machine$/,
    ],
  ])('goes on where no status tells of the policies and the API server %s, and warns', async (_what, onDryRun, why) => {
    const kube = new FakeKube();
    kube.hasPolicyStatus = false;
    kube.onDryRun = onDryRun;
    const lines: string[] = [];
    await installInto(kube.client, { log: (line) => lines.push(line), timeoutMs: 100 });
    const warnings = lines.filter((line) => line.startsWith('warning: '));
    expect(warnings.length).toBe(kube.all('ValidatingAdmissionPolicy').length);
    const [, reason = ''] = /^warning: .*machine-cluster-label.*? in force: (.*)\. Until/.exec(warnings[0] ?? '') ?? [];
    expect(reason).toMatch(why);
  });

  test('again changes no pause and needs no --take-over', async () => {
    const kube = foreignCluster();
    await installInto(kube.client, { takeOver: true });
    await resumeMachines(kube.client);
    expect(await installInto(kube.client)).toEqual({ tookOver: false, paused: 0 });
    expect(pauses(kube)).toEqual({ one: undefined, two: 'by hand', set: undefined });
  });

  test('refuses where definitions of the group are somebody else’s, and changes nothing', async () => {
    const kube = foreignCluster();
    kube.beforeWrite = (write) => {
      throw new Error(`not allowed: ${write}`);
    };
    await expect(installInto(kube.client)).rejects.toThrow(
      /machines\.machine\.openshift\.io, written by cluster-version-operator[\s\S]*install --take-over[\s\S]*paused/,
    );
  });

  test('refuses where only a definition that is not ours to make is somebody else’s', async () => {
    const kube = new FakeKube();
    kube.add(crd('machinehealthchecks', 'MachineHealthCheck'));
    await expect(installInto(kube.client)).rejects.toThrow(/machinehealthchecks\.machine\.openshift\.io/);
  });
});

describe('take-over', () => {
  test('pauses every object that is not paused, and resume takes off exactly those pauses', async () => {
    const kube = foreignCluster();
    expect(await installInto(kube.client, { takeOver: true })).toEqual({ tookOver: true, paused: 2 });
    expect(pauses(kube)).toEqual({ one: 'millwright-take-over', two: 'by hand', set: 'millwright-take-over' });
    expect(definitions(kube).every(isOurs)).toBe(true);
    expect(definitions(kube).some(isTakeOverUnfinished)).toBe(false);
    expect(await resumeMachines(kube.client)).toEqual({ machines: 1, machineSets: 1 });
    expect(pauses(kube)).toEqual({ one: undefined, two: 'by hand', set: undefined });
  });

  test('lets the Machines that are there adopt their instances, by a Cluster for each of their labels', async () => {
    const kube = foreignCluster();
    const labelled = (name: string, cluster: string, namespace: string) => {
      const one = machine(name);
      kube.add({ ...one, metadata: { ...one.metadata, namespace, labels: { [CLUSTER_LABEL]: cluster } } });
    };
    labelled('three', 'prod-x7k2', 'machines');
    labelled('four', 'prod-x7k2', 'machines');
    labelled('five', 'Prod_2', 'machines');
    labelled('six', 'there', 'default');
    kube.add({ apiVersion: MACHINE_API, kind: 'Cluster', metadata: { name: 'there', namespace: 'default' } });
    const lines: string[] = [];
    await installInto(kube.client, { takeOver: true, log: (line) => lines.push(line) });
    const clusters = kube.all('Cluster').map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    expect(clusters).toEqual(['default/there', 'machines/prod-x7k2']);
    expect(lines).toContainEqual(expect.stringContaining('made Cluster machines/prod-x7k2'));
    expect(lines).toContainEqual(expect.stringContaining('--cluster-names machines/Prod_2'));
    labelled('later', 'elsewhere', 'machines');
    await installInto(kube.client);
    expect(kube.all('Cluster')).toHaveLength(2);
  });

  test.each([
    ['a Deployment', deployment('machine-api-operator', 1), /Deployment elsewhere\/machine-api-operator/],
    ['a pod', pod('machine-api-controllers-6c9d-xk2p', 'Running'), /Pod elsewhere\/machine-api-controllers-6c9d-xk2p/],
    ['another group’s controller', deployment('machine-controller-manager', 2), /machine-controller-manager/],
  ])(
    'refuses while %s of a known controller runs, as resume does, and changes nothing',
    async (_what, object, message) => {
      const kube = foreignCluster();
      kube.add(object);
      kube.beforeWrite = (write) => {
        throw new Error(`not allowed: ${write}`);
      };
      await expect(installInto(kube.client, { takeOver: true })).rejects.toThrow(message);
      await expect(resumeMachines(kube.client)).rejects.toThrow(message);
    },
  );

  test('goes on beside a known controller that is scaled to 0 and whose pods have ended', async () => {
    const kube = foreignCluster();
    kube.add(deployment('machine-api-controllers', 0));
    kube.add(pod('machine-api-controllers-6c9d-xk2p', 'Succeeded'));
    kube.add(pod('machine-controller-manager-exporter-of-metrics-0', 'Running'));
    expect((await installInto(kube.client, { takeOver: true })).tookOver).toBe(true);
  });

  test('refuses a definition that does not serve our version', async () => {
    const kube = new FakeKube();
    kube.add(crd('machines', 'Machine', 'v1alpha1'));
    await expect(installInto(kube.client, { takeOver: true })).rejects.toThrow(/serves v1alpha1 and not v1beta1/);
    expect(definitions(kube).some(isOurs)).toBe(false);
  });

  test('pauses a Machine that is made while the definitions become ours', async () => {
    const kube = foreignCluster();
    kube.beforeWrite = (write) => {
      if (write === 'apply CustomResourceDefinition machinesets.machine.openshift.io' && !('late' in pauses(kube))) {
        kube.add(machine('late'));
      }
    };
    expect((await installInto(kube.client, { takeOver: true })).paused).toBe(3);
    expect(pauses(kube)['late']).toBe('millwright-take-over');
  });

  test('keeps the pause that a person set at the same moment', async () => {
    const kube = foreignCluster();
    kube.beforeWrite = (write) => {
      kube.beforeWrite = () => {};
      if (write === 'patch Machine one') kube.add(machine('one', { [PAUSED_ANNOTATION]: 'just now' }));
    };
    await installInto(kube.client, { takeOver: true });
    expect(pauses(kube)['one']).toBe('just now');
  });

  test('cut off before any of its writes never leaves a definition ours and a Machine unpaused, and can be finished', async () => {
    for (let n = 0; ; n += 1) {
      const kube = foreignCluster();
      const cutOff = await installCutOffAt(kube, n);
      if (definitions(kube).some(isOurs)) expect(Object.values(pauses(kube))).not.toContain(undefined);
      if (!cutOff) {
        expect(n).toBeGreaterThan(8);
        return;
      }
      const isHalfOurs = definitions(kube).some(isTakeOverUnfinished);
      if (isHalfOurs) await expect(resumeMachines(kube.client)).rejects.toThrow(/finish it first/);
      await installInto(kube.client, { takeOver: true });
      expect(definitions(kube).every(isOurs)).toBe(true);
      expect(definitions(kube).some(isTakeOverUnfinished)).toBe(false);
      expect(Object.values(pauses(kube))).not.toContain(undefined);
    }
  }, 30_000);

  test('cut off where all definitions are ours is finished by a plain install', async () => {
    const kube = foreignCluster();
    for (let n = 0; !definitions(kube).every(isOurs); n += 1) await installCutOffAt(kube, n);
    expect(definitions(kube).some(isTakeOverUnfinished)).toBe(true);
    expect((await installInto(kube.client)).tookOver).toBe(true);
    expect(definitions(kube).some(isTakeOverUnfinished)).toBe(false);
  });
});
