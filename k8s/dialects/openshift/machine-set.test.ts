import { describe, expect, it } from '@jest/globals';
import { storedObject } from '../../../test/world/builders/stored-object.ts';
import { templateOfRevision } from '../../model/machine-set.ts';
import { machineDeployment } from './machine-deployment.ts';
import { machineSet } from './machine-set.ts';
import { MACHINE_DEPLOYMENTS } from './resources.ts';
import { given } from '../../../providers/given.ts';

describe('a new Machine of a set', () => {
  it('is the set’s, has our finalizer from the start, and the template’s labels and spec', () => {
    const spec = {
      selector: { matchLabels: { set: 'w' } },
      template: { metadata: { labels: { set: 'w' } }, spec: { providerSpec: { value: { kind: 'K', a: 1 } } } },
    };
    const { machineSet: set } = machineSet.read(storedObject({ kind: 'MachineSet', spec }));
    expect(set).toMatchObject({ replicas: 1, minReadySeconds: 0, deletePolicy: 'Random' });
    expect(machineSet.newMachine(set, 'm-1')).toMatchObject({
      kind: 'Machine',
      metadata: {
        name: 'm-1',
        namespace: 'ns',
        labels: { set: 'w', 'machine.openshift.io/cluster-api-machineset': 'm' },
        finalizers: ['machine.machine.openshift.io'],
        ownerReferences: [{ kind: 'MachineSet', name: 'm', uid: 'u', controller: true }],
      },
      spec: { providerSpec: { value: { a: 1 } } },
    });
  });
});

describe('a MachineSet that a deployment made of its template', () => {
  const template = { metadata: { labels: { pool: 'p' } }, spec: { providerSpec: { value: { kind: 'K', a: 1 } } } };
  const { machineDeployment: deployment } = machineDeployment.read(
    storedObject({ kind: 'MachineDeployment', spec: { selector: { matchLabels: { pool: 'p' } }, template } }),
  );
  const made = (change: (spec: { template: { spec: object } }) => void = () => {}, owners?: readonly []) => {
    const { metadata, spec } = structuredClone(
      machineDeployment.newMachineSet(deployment, { name: 's', revision: 1 }),
    ) as never as { metadata: object; spec: { template: { spec: object } } };
    change(spec);
    const ownerReferences = given({ ownerReferences: owners });
    return machineSet.read(storedObject({ kind: 'MachineSet', metadata: { ...metadata, ...ownerReferences }, spec }));
  };
  const edit = (spec: { template: { spec: object } }) => (spec.template.spec = { providerSpec: { value: { a: 2 } } });

  it('has that one, also when nothing controls it any more', () => {
    for (const read of [made(), made(undefined, [])]) {
      expect(read.machineSet.templateHash).toBe(deployment.templateHash);
      expect(machineSet.labelsToAdopt(read)).toEqual({});
    }
  });

  it('keeps the settings that it had when it was of the newest one, and gives them back', () => {
    const order = { replicas: 1, maxMachines: 2, minReadySeconds: 0, revision: 1, deploymentName: 'd' };
    const { machineSet: set } = made(
      (spec) => (spec.template.spec = { ...spec.template.spec, drain: { timeout: '1h' } }),
    );
    expect(set).not.toHaveProperty('revisionTemplate');
    const { settings } = set.template;
    const wanted = { ...settings, drain: {}, readinessGates: { Tested: { conditionType: 'Tested' } } };
    const { metadata, spec } = machineSet.writeOrder(order, { of: set.template, wanted, kept: settings });
    const { annotations } = metadata as { annotations: Record<string, string | null> };
    expect(annotations['millwright.dev/revision-settings']).toBe('{"drain":{"timeout":"1h"}}');
    expect(spec).toMatchObject({ template: { spec: { drain: null, readinessGates: [{ conditionType: 'Tested' }] } } });
    const stored = (text: string) =>
      machineSet.read(
        storedObject({
          kind: 'MachineSet',
          metadata: {
            annotations: { 'millwright.dev/revision-settings': text },
            ownerReferences: [
              {
                apiVersion: 'machine.openshift.io/v1beta1',
                kind: 'MachineDeployment',
                name: 'd',
                uid: 'd',
                controller: true,
              },
            ],
          },
          spec: {
            selector: {},
            template: { ...template, spec: { ...template.spec, readinessGates: [{ conditionType: 'Tested' }] } },
          },
        }),
      ).machineSet;
    expect(templateOfRevision(stored('{"drain":{"timeout":"1h"}}')).spec).toEqual({
      ...template.spec,
      drain: { timeout: '1h' },
    });
    expect(templateOfRevision(stored('{}')).spec).toEqual(template.spec);
    // It is of the newest one again.
    expect(machineSet.writeOrder(order, { of: set.template, wanted })).toMatchObject({
      metadata: { annotations: { 'millwright.dev/revision-settings': null } },
    });
    expect(machineSet.writeOrder(order)).not.toHaveProperty([
      'metadata',
      'annotations',
      'millwright.dev/revision-settings',
    ]);
  });

  it('has another one when somebody edits it while nothing controls it, and its label is mended with its adoption', () => {
    const { machineSet: kept } = made(edit);
    expect(kept.templateHash).toBe(deployment.templateHash);
    expect(kept.templateHashNow).not.toBe(deployment.templateHash);
    expect(made().machineSet.templateHashNow).toBeUndefined();
    const read = made(edit, []);
    const { templateHash } = read.machineSet;
    expect(templateHash).not.toBe(deployment.templateHash);
    expect(machineSet.labelsToAdopt(read)).toEqual({ 'machine-template-hash': templateHash });
  });

  it('gets the labels of its template with its adoption, as those that a deployment makes have them', () => {
    const spec = { selector: {}, template };
    const missing = (labels: object) =>
      machineSet.labelsToAdopt(machineSet.read(storedObject({ kind: 'MachineSet', metadata: { labels }, spec })));
    expect(missing({ mine: 'too' })).toEqual({ pool: 'p' });
    expect(missing({ pool: 'q' })).toEqual({ pool: 'p' });
    expect(missing({ pool: 'p' })).toEqual({});
    // The hash of a template that somebody copied is none of its own.
    const copied = { ...template, metadata: { labels: { ...template.metadata.labels, 'machine-template-hash': 'h' } } };
    const copy = storedObject({ kind: 'MachineSet', spec: { selector: {}, template: copied } });
    expect(machineSet.labelsToAdopt(machineSet.read(copy))).toEqual({ pool: 'p' });
  });

  it('has no limit of its machines any more where no deployment controls it', () => {
    const limitOf = (owners: object[]) =>
      machineSet.read(
        storedObject({
          kind: 'MachineSet',
          metadata: { ownerReferences: owners },
          spec: { selector: {}, template, maxMachines: 4 },
        }),
      ).machineSet.maxMachines;
    const { apiVersion, kind } = MACHINE_DEPLOYMENTS;
    expect(limitOf([{ apiVersion, kind, name: 'd', uid: 'd', controller: true }])).toBe(4);
    expect(limitOf([])).toBeUndefined();
  });
});

describe('a MachineSet that is read', () => {
  const read = (labels: object, templateLabels: object) => {
    const spec = { selector: {}, template: { metadata: { labels: templateLabels }, spec: { providerSpec: {} } } };
    return machineSet.read(storedObject({ kind: 'MachineSet', metadata: { labels }, spec }));
  };
  const of = (name: string) => ({ 'machine.openshift.io/cluster-api-cluster': name });

  it('is of the cluster that its Machines will be of, else of its own', () => {
    expect([read(of('a'), of('b')), read(of('a'), {}), read({}, {})].map(({ clusterName }) => clusterName)).toEqual([
      'b',
      'a',
      '',
    ]);
  });

  it('says what its status said last', () => {
    const status = { replicas: 2, errorReason: 'InvalidConfiguration', errorMessage: 'no', conditions: [] };
    const stored = storedObject({ kind: 'MachineSet', spec: { selector: {}, template: {} }, status });
    expect(machineSet.read(stored).status).toEqual({
      replicas: 2,
      error: { reason: 'InvalidConfiguration', message: 'no' },
      conditions: [],
    });
    expect(machineSet.writeStatus(machineSet.read(stored).status as never)).toEqual(status);
  });

  const SIZE = 'machine.openshift.io/cluster-api-autoscaler-node-group-';
  it.each([
    [{ [`${SIZE}min-size`]: '2', [`${SIZE}max-size`]: '5' }, 2],
    [{ [`${SIZE}max-size`]: '5' }, 0],
    [{ [`${SIZE}min-size`]: '2' }, undefined],
    [{ [`${SIZE}min-size`]: '0', [`${SIZE}max-size`]: '0' }, undefined],
    [{ [`${SIZE}min-size`]: '2', [`${SIZE}max-size`]: 'many' }, undefined],
    [{ [`${SIZE}max-size`]: '5', 'cluster.x-k8s.io/paused': '' }, undefined],
    [{}, undefined],
  ])('with the annotations %j is scaled by cluster-autoscaler from %s on', (annotations, least) => {
    const object = storedObject({
      kind: 'MachineSet',
      metadata: { annotations },
      spec: { selector: {}, template: {} },
    });
    expect(machineSet.read(object).machineSet.autoscaledFrom).toBe(least);
  });
});
