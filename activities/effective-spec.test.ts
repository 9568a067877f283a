import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { aMachineClass } from '../test/world/builders/a-machine-class.ts';
import { aMachine, SIMULATED } from '../test/world/builders/a-machine.ts';
import { spoiled } from '../test/world/builders/spoiled.ts';
import { preparedLaunch } from '../test/workflow/prepared-launch.ts';
import { openshift } from '../k8s/dialects/openshift/api.ts';
import type { Cluster } from '../k8s/model/cluster.ts';
import type { MachineClass } from '../k8s/model/machine-class.ts';
import type { Machine, MachineSpec } from '../k8s/model/machine.ts';
import { specHashOf } from '../k8s/spec-hash.ts';
import { withAwsDefaults } from '../providers/aws/with-defaults.ts';
import type { Provider } from '../providers/provider.ts';
import { createProviderRegistry } from '../providers/registry.ts';
import { systemClock } from '../providers/clock.ts';
import { createSimulatedProvider } from '../providers/simulated/simulated-provider.ts';
import { completeSpec, inWordsOfItsSource, requireProviderSpec, type SpecSources } from './effective-spec.ts';

const simulated = createSimulatedProvider({ clock: systemClock, endpoint: 'http://127.0.0.1:1' });
const aws = {
  name: 'aws',
  providerSpecKinds: ['AWSMachineProviderConfig'],
  withDefaults: withAwsDefaults,
} as unknown as Provider;
const providers = createProviderRegistry([simulated, aws]);

const { machine } = openshift.machine.read(aMachine({ metadata: { labels: {} } }));
const NAMESPACE = machine.ref.namespace;
const VALUE = SIMULATED;

const SPEC: MachineSpec = {
  providerSpec: VALUE,
  fields: openshift.machine,
  nodeLabels: {},
  nodeAnnotations: {},
  nodeTaints: [],
  startupTaints: [],
};
const REFERRING: MachineSpec = { ...SPEC, providerSpec: undefined, classRef: { name: 'medium' } };
const CLASS = openshift.machineClass.read(aMachineClass()).machineClass;

function cluster(defaults: Partial<Cluster['defaults']>, paused = false): Cluster {
  const read = openshift.cluster.read(aCluster({ name: 'example', paused })).cluster;
  return { ...read, defaults: { tags: [], ...defaults } };
}

function complete(spec: MachineSpec, sources: Partial<SpecSources> = {}, of: Machine = machine) {
  return completeSpec({ machine: of, spec }, { machineClass: undefined, cluster: undefined, ...sources }, providers);
}

describe('the spec of a Machine', () => {
  test('with neither a class nor a Cluster is what the user wrote, and so is its hash', () => {
    const { machine: read, spec } = complete(SPEC);
    expect(spec).toEqual(SPEC);
    expect(read.specHash).toBe(specHashOf(VALUE));
  });

  test('that is malformed stays so, whatever the defaults: the launch names what is wrong', () => {
    for (const providerSpec of [undefined, 'text', { kind: 'Unknown' }, { ...VALUE, tags: 'none' }]) {
      const { spec } = complete({ ...SPEC, providerSpec }, { cluster: cluster({ tags: [{ name: 'a', value: 'b' }] }) });
      expect(spec.providerSpec).toEqual(providerSpec);
    }
  });

  test('gets its Cluster’s defaults for what it leaves out, and nothing in place of what it says', () => {
    const tags = [
      { name: 'team', value: 'x' },
      { name: 'cost', value: '1' },
    ];
    const defaults = cluster({ region: 'sim-1', credentialsSecret: 'cloud', tags });
    expect(complete(SPEC, { cluster: defaults }).spec.providerSpec).toEqual({
      ...VALUE,
      region: 'sim-1',
      credentialsSecret: { name: 'cloud' },
      tags,
    });
    const own = { region: 'r', credentialsSecret: { name: 'mine' }, tags: [{ name: 'team', value: 'y' }] };
    expect(complete({ ...SPEC, providerSpec: { ...VALUE, ...own } }, { cluster: defaults }).spec.providerSpec).toEqual({
      ...VALUE,
      ...own,
      tags: [
        { name: 'team', value: 'y' },
        { name: 'cost', value: '1' },
      ],
    });
  });

  test('of EC2 has the region in its placement', () => {
    const kind = 'AWSMachineProviderConfig';
    const regionOf = (placement: object | undefined) =>
      complete({ ...SPEC, providerSpec: { kind, placement } }, { cluster: cluster({ region: 'eu-central-1' }) }).spec
        .providerSpec;
    expect(regionOf(undefined)).toMatchObject({ placement: { region: 'eu-central-1' } });
    expect(regionOf({ availabilityZone: 'z' })).toMatchObject({
      placement: { availabilityZone: 'z', region: 'eu-central-1' },
    });
    expect(regionOf({ region: 'us-east-1' })).toMatchObject({ placement: { region: 'us-east-1' } });
  });
});

describe('a Machine that refers to a class', () => {
  test('has the class’s spec, with the kind of the class’s provider and the class’s Secrets', () => {
    const machineClass = { ...CLASS, userDataSecret: { name: 'boot' }, credentialsSecret: { name: 'keys' } };
    const defaults = cluster({ credentialsSecret: 'cloud', region: 'sim-1' });
    const { spec } = complete(REFERRING, { machineClass, cluster: defaults });
    expect(spec.machineClass).toBe(machineClass);
    expect(requireProviderSpec(spec)).toEqual({
      apiVersion: SIMULATED.apiVersion,
      kind: 'SimulatedMachineProviderConfig',
      instanceType: 'sim.medium',
      userDataSecret: { name: 'boot' },
      credentialsSecret: { name: 'keys' },
      region: 'sim-1',
    });
  });

  test('has the class’s spec also where that tells its kind, and its Secrets an empty namespace', () => {
    const providerSpec = { ...SIMULATED, instanceType: 'sim.large' };
    const machineClass = { ...CLASS, providerSpec, credentialsSecret: { name: 'keys', namespace: '' } };
    expect(complete(REFERRING, { machineClass }).spec.providerSpec).toMatchObject(providerSpec);
  });

  test('has the Secrets that the class’s providerSpec names before those beside it', () => {
    const providerSpec = { ...CLASS.providerSpec, userDataSecret: { name: 'inner' } };
    const machineClass = { ...CLASS, providerSpec, userDataSecret: { name: 'outer', namespace: NAMESPACE } };
    expect(complete(REFERRING, { machineClass }).spec.providerSpec).toMatchObject({
      userDataSecret: { name: 'inner' },
    });
  });

  test('has another hash when the class is another, and the same when only its status is', () => {
    const hashOf = (machineClass: MachineClass) => complete(REFERRING, { machineClass }).machine.specHash;
    expect(hashOf({ ...CLASS, providerSpec: { instanceType: 'sim.large' } })).not.toBe(hashOf(CLASS));
    expect(hashOf({ ...CLASS, hasFinalizer: true, generation: 2 })).toBe(hashOf(CLASS));
  });

  test.each<[string, MachineSpec, MachineClass | undefined, string, RegExp]>([
    ['is missing', REFERRING, undefined, 'MachineClassMissing', /^MachineClass \S+\/medium does not exist$/],
    [
      'is of another provider than it asks for',
      { ...REFERRING, classRef: { name: 'medium', provider: 'aws' } },
      CLASS,
      'MachineClassInvalid',
      /is aws, and MachineClass \S+ is of simulated/,
    ],
    [
      'is of a provider that the worker has not',
      REFERRING,
      { ...CLASS, provider: 'azure' },
      'MachineClassInvalid',
      /provider azure is none of this worker's; there is: simulated, aws/,
    ],
    [
      'has the kind of another provider',
      REFERRING,
      { ...CLASS, providerSpec: { kind: 'AWSMachineProviderConfig' } },
      'MachineClassInvalid',
      /providerSpec\.kind is "AWSMachineProviderConfig", and provider simulated takes SimulatedMachineProviderConfig/,
    ],
    [
      'names user data of another namespace',
      REFERRING,
      { ...CLASS, userDataSecret: { name: 's', namespace: 'kube-system' } },
      'MachineClassInvalid',
      /: secretRef\.namespace is kube-system/,
    ],
    [
      'names a Secret of another namespace',
      REFERRING,
      { ...CLASS, credentialsSecret: { name: 's', namespace: 'kube-system' } },
      'MachineClassInvalid',
      /credentialsSecretRef\.namespace is kube-system/,
    ],
    [
      'is malformed',
      REFERRING,
      { ...CLASS, malformed: 'secretRef must be object' },
      'MachineClassInvalid',
      /^MachineClass \S+\/medium: secretRef must be object$/,
    ],
  ])('that %s has no spec but a problem that names it', (_what, spec, machineClass, reason, message) => {
    const read = complete(spec, { machineClass, cluster: cluster({ region: 'sim-1' }) });
    expect(read.spec.providerSpec).toBeUndefined();
    expect(read.spec.problem?.reason).toBe(reason);
    expect(read.spec.problem?.message).toMatch(message);
    expect(() => requireProviderSpec(read.spec)).toThrow(/^providerSpec\.valueFrom\.machineClass\.\w+: /);
    expect(read.machine.specHash).not.toBe(complete(REFERRING, { machineClass: CLASS }).machine.specHash);
  });

  test('that is missing leaves one that was launched as it is: it is not said to be out of date', () => {
    const launched = { ...machine, status: { ...machine.status, launch: preparedLaunch() } };
    expect(complete(REFERRING, {}, launched).machine.specHash).toBe(launched.status.launch.specHash);
  });

  test('is told what is wrong in words of the class', () => {
    const { spec } = complete(REFERRING, { machineClass: CLASS });
    expect(inWordsOfItsSource('providerSpec.value.zone: must be string', spec)).toBe(
      `MachineClass ${NAMESPACE}/medium: providerSpec.zone: must be string`,
    );
    expect(inWordsOfItsSource('too many requests', spec)).toBe('too many requests');
    expect(inWordsOfItsSource('providerSpec.value.zone: x', SPEC)).toBe('providerSpec.value.zone: x');
  });
});

describe('a paused Cluster', () => {
  test('pauses its machines, and says that it was it', () => {
    const { machine: read } = complete(SPEC, { cluster: cluster({}, true) });
    expect(read).toMatchObject({ paused: true, pausedBy: `Cluster ${NAMESPACE}/example` });
  });

  test('says so where it only counts as paused, because it is malformed', () => {
    const { machine: read } = complete(SPEC, { cluster: { ...cluster({}, true), malformed: 'spec must be object' } });
    expect(read.pausedBy).toBe(
      `Cluster ${NAMESPACE}/example (taken for paused, because it is malformed: spec must be object)`,
    );
  });

  test('is not named where a Machine is paused itself', () => {
    const { machine: read } = complete(SPEC, { cluster: cluster({}, true) }, { ...machine, paused: true });
    expect(read.paused).toBe(true);
    expect(read).not.toHaveProperty('pausedBy');
  });
});

describe('what the API server refuses to show', () => {
  const classRefused = 'the worker cannot read it';

  test('is a problem where it is the class, and leaves one that was launched as it is', () => {
    const { spec } = complete(REFERRING, { classRefused });
    expect(spec.problem).toEqual({
      reason: 'KubernetesRefused',
      field: 'providerSpec.valueFrom.machineClass.name',
      message: `MachineClass ${NAMESPACE}/medium: the worker cannot read it`,
    });
    const launched = { ...machine, status: { ...machine.status, launch: preparedLaunch() } };
    expect(complete(REFERRING, { classRefused }, launched).machine.specHash).toBe(launched.status.launch.specHash);
  });

  test('is taken for a pause where it is the Cluster', () => {
    const labelled = { ...machine, clusterName: 'example' };
    const { machine: read } = complete(SPEC, { clusterRefused: 'it cannot be read' }, labelled);
    expect(read).toMatchObject({
      paused: true,
      pausedBy: `Cluster ${NAMESPACE}/example (taken for paused, because it cannot be read)`,
    });
  });
});

test('whatever stands in a Machine, its class and its Cluster, they are put together', () => {
  const json = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom('defaults', 'tags', 'region', 'placement', 'credentialsSecret', 'kind', 'name', 'conditions'),
      fc.oneof(fc.constantFrom('AWSMachineProviderConfig', null, ''), fc.jsonValue({ maxDepth: 3 })),
    ),
  );
  const classParts = fc.record(
    { provider: fc.oneof(fc.constant('aws'), json), providerSpec: json, secretRef: json, status: json },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(classParts, json, json, (parts, clusterSpec, providerSpec) => {
      const { apiVersion, kind, metadata } = aMachineClass();
      const { machineClass } = openshift.machineClass.read(spoiled({ apiVersion, kind, metadata }, parts));
      const { cluster } = openshift.cluster.read(spoiled(aCluster(), { spec: clusterSpec }));
      const sources = { machineClass, cluster };
      complete({ ...SPEC, providerSpec }, sources);
      const { spec } = complete(REFERRING, sources);
      expect(spec.problem === undefined).toBe(spec.providerSpec !== undefined);
    }),
    { numRuns: 300 },
  );
});
